package dev.foretoken.calibration.acceptance;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Parameter;
import java.util.Arrays;
import java.util.List;
import org.apache.commons.math3.linear.RealMatrix;
import org.apache.commons.statistics.distribution.ChiSquaredDistribution;

/**
 * Intervals of a fit. The likelihood takes rounds as independent, so the profile deviance of each parameter is scaled by the
 * ratio of its clustered (sandwich) to its naive variance: the interval holds the values whose profile deviance exceeds the
 * least by at most ratio x chi-squared(1). The likelihood is a little rugged (trees change their shape in steps), which makes
 * a profile rise early by chance; an interval is therefore never narrower than the clustered standard error says (near the
 * bounds of rho and kappa that of the parameter itself, not of its logit, which goes to infinity there).
 *
 * @param form the fit with the interval of each parameter; what no evidence speaks of has its whole range (kappa in [0, 1],
 *     rho in [.2, .5])
 * @param level confidence level
 * @param clusterRatio ratio of variances by a, b, c1, sigma, rho, kappa; 1 where the parameter is not fitted
 * @param identified whether each of the six was fitted
 */
public record SrtIntervals(AcceptanceForm.Srt form, double level, List<Double> clusterRatio, List<Boolean> identified) {
    private static final double LOW_RHO = 0.2;
    private static final double HIGH_RHO = 0.5;
    /** Least ratio: fewer requests than a hundred can show less variance than independent rounds by chance. */
    private static final double LEAST_RATIO = 0.8;

    /** First step of a profile away from a bound. */
    private static final double BOUND_STEP = 1.5;

    private static final int MOST_STEPS = 12;
    private static final int REFIT_ITERATIONS = 6;
    /** Precision of an end, in first guesses of the half-width. */
    private static final double PRECISION = 0.15;

    public SrtIntervals {
        clusterRatio = List.copyOf(clusterRatio);
        identified = List.copyOf(identified);
    }

    /** Works out the intervals around the best point of a fitter. */
    public static SrtIntervals of(SrtFitter fitter, SrtFitter.Point best, double level) {
        boolean[] fitted = fitter.fitted();
        int[] index = SrtFitter.indices(fitted);
        double[] free = best.freeArray();
        Information information = new Information(fitter.model(), free);
        RealMatrix naive = Information.inverse(Information.part(information.total(), index));
        RealMatrix clustered =
                naive.multiply(Information.part(information.clustered(), index)).multiply(naive);
        double quantile = ChiSquaredDistribution.of(1).inverseCumulativeProbability(level);
        Double[] ratios = new Double[SrtParameters.COUNT];
        Boolean[] identified = new Boolean[SrtParameters.COUNT];
        Arrays.fill(ratios, 1.0);
        Parameter[] parameters = new Parameter[SrtParameters.COUNT];
        for (int k = 0; k < SrtParameters.COUNT; k++) {
            identified[k] = fitted[k];
            if (!fitted[k]) {
                parameters[k] = k == SrtParameters.KAPPA
                        ? new Parameter(SrtParameters.TYPICAL_KAPPA, 0, 1)
                        : new Parameter(SrtParameters.TYPICAL_RHO, LOW_RHO, HIGH_RHO);
            }
        }
        for (int i = 0; i < index.length; i++) {
            int k = index[i];
            double ratio = Math.max(LEAST_RATIO, clustered.getEntry(i, i) / naive.getEntry(i, i));
            ratios[k] = ratio;
            double[] direction = new double[SrtParameters.COUNT];
            for (int j = 0; j < index.length; j++) {
                direction[index[j]] = naive.getEntry(j, i) / naive.getEntry(i, i);
            }
            double step = Math.sqrt(quantile * ratio * naive.getEntry(i, i));
            double value = SrtParameters.natural(k, free[k]);
            double below = free[k] - step;
            double above = free[k] + step;
            if (share(k) && Math.abs(free[k]) > SrtParameters.AT_BOUND) {
                double natural = step * value * (1 - value);
                below = free(k, value - natural);
                above = free(k, value + natural);
                step = Math.min(step, BOUND_STEP);
            }
            Profile profile = new Profile(fitter, best, k, direction, quantile * ratio);
            double lo = bound(k, Math.max(SrtParameters.lowest(k), Math.min(below, profile.end(-step))));
            double hi = bound(k, Math.min(SrtParameters.highest(k), Math.max(above, profile.end(step))));
            parameters[k] = new Parameter(value, Math.min(lo, value), Math.max(hi, value));
        }
        AcceptanceForm.Srt f = best.form();
        return new SrtIntervals(
                new AcceptanceForm.Srt(
                        parameters[0],
                        parameters[1],
                        parameters[2],
                        parameters[3],
                        parameters[4],
                        parameters[5],
                        f.depth(),
                        f.ranks(),
                        f.zAutocorrelation(),
                        f.zRequestShare()),
                level,
                Arrays.asList(ratios),
                Arrays.asList(identified));
    }

    private static boolean share(int k) {
        return k == SrtParameters.RHO || k == SrtParameters.KAPPA;
    }

    /** Logit of a share that may lie beyond 0 and 1. */
    private static double free(int k, double natural) {
        return natural <= 0
                ? SrtParameters.lowest(k)
                : natural >= 1 ? SrtParameters.highest(k) : SrtParameters.free(k, natural);
    }

    /** Natural value of an end, which is a bound of the parameter when the profile never rises far enough. */
    private static double bound(int k, double free) {
        if (share(k) && free <= SrtParameters.lowest(k)) {
            return 0;
        }
        if (share(k) && free >= SrtParameters.highest(k)) {
            return 1;
        }
        return k == SrtParameters.SIGMA && free <= SrtParameters.lowest(k) ? 0 : SrtParameters.natural(k, free);
    }

    /** Deviance over one parameter, the others fitted again. */
    private static final class Profile {
        private final SrtFitter fitter;
        private final SrtFitter.Point best;
        private final int k;
        private final double[] direction;
        private final double limit;
        private final boolean[] others;

        Profile(SrtFitter fitter, SrtFitter.Point best, int k, double[] direction, double limit) {
            this.fitter = fitter;
            this.best = best;
            this.k = k;
            this.direction = direction;
            this.limit = limit;
            this.others = fitter.fitted();
            this.others[k] = false;
        }

        /** Rise of the deviance when the parameter is moved by delta from the best point. */
        private double rise(double delta) {
            double[] start = best.freeArray();
            for (int j = 0; j < start.length; j++) {
                start[j] = SrtParameters.clamp(j, start[j] + delta * direction[j]);
            }
            SrtFitter.Point quadratic = fitter.point(start);
            double rise = quadratic.objective() - best.objective();
            return rise <= limit
                    ? rise
                    : fitter.refit(start, others, REFIT_ITERATIONS).objective() - best.objective();
        }

        /** Value at which the profile crosses the limit, on the side of a first guess of the step. */
        double end(double step) {
            double at = best.freeArray()[k];
            double inside = 0;
            double outside = step;
            int n = 0;
            while (rise(outside) <= limit) {
                inside = outside;
                outside *= 1.6;
                double end = at + outside;
                if (end <= SrtParameters.lowest(k) || end >= SrtParameters.highest(k) || ++n > MOST_STEPS) {
                    return end <= at ? SrtParameters.lowest(k) : SrtParameters.highest(k);
                }
            }
            while (Math.abs(outside - inside) > PRECISION * Math.abs(step) && ++n <= MOST_STEPS + 6) {
                double middle = (inside + outside) / 2;
                if (rise(middle) <= limit) {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
            return at + (inside + outside) / 2;
        }
    }
}
