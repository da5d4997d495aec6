package dev.foretoken.sim.statistics;

/** How dependence changes variances. */
public final class Variances {
    private Variances() {}

    /** Variance of a long mean of an AR(1) series over that of independent values: (1 + phi)/(1 - phi). */
    public static double ar1Factor(double phi) {
        return (1 + correlation(phi)) / (1 - phi);
    }

    /** The same for n values: 1 + 2 sum over k = 1..n-1 of (1 - k/n) phi^k. */
    public static double ar1Factor(double phi, int n) {
        correlation(phi);
        if (n < 1) {
            throw new IllegalArgumentException("number of values must be at least 1: " + n);
        }
        double sum = 0;
        double power = 1;
        for (int k = 1; k < n; k++) {
            power *= phi;
            sum += (1 - (double) k / n) * power;
        }
        return 1 + 2 * sum;
    }

    /** Variance of a mean difference under common random numbers over that of independent runs: 1 - rho. */
    public static double commonRandomNumbersRatio(double rho) {
        if (!(rho >= -1 && rho <= 1)) {
            throw new IllegalArgumentException("correlation must be in [-1, 1]: " + rho);
        }
        return 1 - rho;
    }

    /** Coefficient of variation of a ratio x/y by the delta method: sqrt(CVx^2 + CVy^2 - 2 r CVx CVy). */
    public static double ratioCv(double cvX, double cvY, double r) {
        if (!(cvX >= 0) || !(cvY >= 0) || !(r >= -1 && r <= 1)) {
            throw new IllegalArgumentException(
                    "coefficients of variation " + cvX + ", " + cvY + " with correlation " + r);
        }
        return Math.sqrt(Math.max(0, cvX * cvX + cvY * cvY - 2 * r * cvX * cvY));
    }

    private static double correlation(double phi) {
        if (!(phi > -1 && phi < 1)) {
            throw new IllegalArgumentException("an AR(1) coefficient must be in (-1, 1): " + phi);
        }
        return phi;
    }
}
