package dev.foretoken.calibration.acceptance;

import dev.foretoken.sim.statistics.Isotonic;
import java.util.Arrays;

/**
 * Extrapolation of a published curve of mean accept lengths by draft length k = 1, 2, ..., n. Each figure is a measurement of
 * its own, so differences of neighbours are noisy and may even contradict each other.
 *
 * <ol>
 *   <li>Conditional acceptance r_i from the differences of the means, with standard errors by the delta method from the
 *       relative standard error of a mean.
 *   <li>Where r rises with i it is pooled (isotonic fit, weights 1/variance): a chain's later positions are not easier.
 *   <li>Beyond n the last rate goes on, unless the last two falls both exceed their standard error: then r falls on by the
 *       smaller of the two excesses per position (the minmod rule of total-variation-diminishing schemes), not below 0.
 * </ol>
 *
 * The rule has no fitted constant. The default standard error of 1 % is what about 23,000 rounds give.
 */
public final class PublishedCurve {
    /** Relative standard error of a published mean where none is stated. */
    public static final double DEFAULT_STANDARD_ERROR = 0.01;

    private final double[] survival;
    private final double lastRate;
    private final double fall;

    /** With the default standard error. */
    public PublishedCurve(double... acceptLengths) {
        this(DEFAULT_STANDARD_ERROR, acceptLengths);
    }

    /**
     * @param relativeStandardError of each mean, at least 0
     * @param acceptLengths means for k = 1..n, n at least 2, the first above 1, each at most k + 1, rising
     */
    public PublishedCurve(double relativeStandardError, double[] acceptLengths) {
        int n = acceptLengths.length;
        if (n < 2) {
            throw new IllegalArgumentException("a curve needs the means of at least two draft lengths: " + n);
        }
        if (!(relativeStandardError >= 0) || Double.isInfinite(relativeStandardError)) {
            throw new IllegalArgumentException("relative standard error must be at least 0: " + relativeStandardError);
        }
        double[] s = new double[n];
        double[] rate = new double[n];
        double before = 1;
        for (int i = 0; i < n; i++) {
            s[i] = acceptLengths[i] - before;
            before = acceptLengths[i];
            if (!(s[i] > 0) || s[i] > 1) {
                throw new IllegalArgumentException("accept lengths " + Arrays.toString(acceptLengths)
                        + ": the step to k = " + (i + 1) + " is " + s[i] + ", it must be in (0, 1]");
            }
            rate[i] = i == 0 ? s[0] : s[i] / s[i - 1];
        }
        double[][] jacobian = jacobian(s);
        double[] weights = new double[n];
        double[] falling = new double[n];
        for (int i = 0; i < n; i++) {
            double variance = covariance(jacobian, i, i, acceptLengths, relativeStandardError);
            weights[i] = 1 / Math.max(variance, Double.MIN_NORMAL);
            falling[i] = -rate[i];
        }
        double most = Arrays.stream(weights).max().orElseThrow();
        for (int i = 0; i < n; i++) {
            weights[i] = Math.max(weights[i] / most, Double.MIN_NORMAL);
        }
        double[] pooled = Isotonic.fit(falling, weights);
        double excess = Double.POSITIVE_INFINITY;
        for (int i = Math.max(1, n - 2); i < n; i++) {
            double variance = covariance(jacobian, i, i, acceptLengths, relativeStandardError)
                    + covariance(jacobian, i - 1, i - 1, acceptLengths, relativeStandardError)
                    - 2 * covariance(jacobian, i, i - 1, acceptLengths, relativeStandardError);
            excess = Math.min(excess, pooled[i] - pooled[i - 1] - Math.sqrt(Math.max(0, variance)));
        }
        this.survival = s;
        this.lastRate = Math.min(1, -pooled[n - 1]);
        this.fall = n > 2 ? Math.max(0, excess) : 0;
    }

    /** Derivatives of the rates by the means: r_i = (t_i - t_(i-1))/(t_(i-1) - t_(i-2)). */
    private static double[][] jacobian(double[] s) {
        int n = s.length;
        double[][] j = new double[n][n];
        j[0][0] = 1;
        for (int i = 1; i < n; i++) {
            j[i][i] = 1 / s[i - 1];
            j[i][i - 1] = -1 / s[i - 1] - s[i] / (s[i - 1] * s[i - 1]);
            if (i > 1) {
                j[i][i - 2] = s[i] / (s[i - 1] * s[i - 1]);
            }
        }
        return j;
    }

    private static double covariance(double[][] jacobian, int a, int b, double[] means, double relative) {
        double sum = 0;
        for (int k = 0; k < means.length; k++) {
            double sd = relative * means[k];
            sum += jacobian[a][k] * jacobian[b][k] * sd * sd;
        }
        return sum;
    }

    /**
     * Accept length of a chain; inside the curve the published mean.
     *
     * @param length draft length, at least 1
     */
    public double acceptLength(int length) {
        double tokens = 1;
        for (double s : survival(length)) {
            tokens += s;
        }
        return tokens;
    }

    /**
     * Increments of the mean by draft length: the published ones, then the extrapolated ones. Inside the curve they may rise,
     * since they come from separate measurements.
     */
    public double[] survival(int length) {
        if (length < 1) {
            throw new IllegalArgumentException("draft length must be at least 1: " + length);
        }
        double[] out = Arrays.copyOf(survival, length);
        double rate = lastRate;
        for (int i = survival.length; i < length; i++) {
            rate = Math.max(0, rate - fall);
            out[i] = out[i - 1] * rate;
        }
        return out;
    }

    /** Fall of the conditional rate per position beyond the curve; 0 when the last rate goes on. */
    public double fallPerPosition() {
        return fall;
    }
}
