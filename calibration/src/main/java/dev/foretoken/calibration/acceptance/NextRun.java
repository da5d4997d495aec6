package dev.foretoken.calibration.acceptance;

import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.Parameter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.commons.math3.linear.RealMatrix;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * What to measure next: for every run that a user could add, the half-width that the interval of kappa and of rho would have.
 * Today's is half of the interval of the fit ({@link SrtIntervals}); a run narrows it by the ratio of the standard errors with
 * and without the run. Those come from the information of the evidence so far, scaled to what the intervals say, plus that of
 * the run. Both are taken with rho and kappa in the middle half of their intervals: at the bounds 0 and 1 a logit has no
 * information, whatever is measured.
 *
 * @param run the run in words
 * @param kappaHalfWidth half-width of kappa's interval with it, at most .5
 * @param rhoHalfWidth half-width of rho's interval with it, at most .5
 */
public record NextRun(String run, double kappaHalfWidth, double rhoHalfWidth) {
    /** Weak knowledge where nothing was seen: logit of rho or kappa within some units. */
    private static final double LOGIT_PRECISION = 1.0 / 9;
    /** Closest to 0 and 1 at which information on rho and kappa is taken. */
    private static final double MARGIN = 0.02;

    private static final int[] ALL = {0, 1, 2, 3, 4, 5};
    private static final int[] SHARES = {SrtParameters.RHO, SrtParameters.KAPPA};
    private static final int[] BUDGETS = {8, 16, 32, 64, 128};

    /** Half-widths without another run. */
    public static NextRun today(SrtFitter fitter, SrtFitter.Point point, SrtIntervals intervals) {
        return new Widths(fitter, point, intervals).today();
    }

    /**
     * Candidate runs, the one that narrows kappa most first.
     *
     * @param rounds rounds (misses, trials) of the further run
     */
    public static List<NextRun> rank(SrtFitter fitter, SrtFitter.Point point, SrtIntervals intervals, double rounds) {
        Widths widths = new Widths(fitter, point, intervals);
        int depth = fitter.model().depth();
        List<NextRun> out = new ArrayList<>();
        String n = " of " + (long) rounds + " rounds";
        out.add(widths.with("a chain run of " + depth + " drafts" + n, List.of(one(new Design.Chain(depth))), rounds));
        for (int budget : BUDGETS) {
            if (budget > depth / 2) {
                out.add(widths.with(
                        "a tree histogram at budget " + budget + n,
                        List.of(one(new Design.Tree(depth, fitter.model().ranks(), budget, false))),
                        rounds));
            }
        }
        out.add(widths.with(
                "a rank probe over " + (long) rounds + " first misses",
                List.of(new Evidence.FirstMissRank(depth, List.of(1.0, 0.0, 0.0, 0.0), 0)),
                rounds));
        if (depth > 1) {
            out.add(widths.with(
                    "a sibling probe of " + (long) rounds + " positions",
                    List.of(new Evidence.AfterSibling(depth, 1, 1)),
                    rounds));
        }
        out.sort(Comparator.comparingDouble(NextRun::kappaHalfWidth));
        return out;
    }

    private static Evidence one(Design design) {
        return new Evidence.Histogram(design, List.of(1.0));
    }

    private static final class Widths {
        private final Information information;
        private final double[][] total;
        private final SrtIntervals intervals;
        private final RealMatrix before;

        Widths(SrtFitter fitter, SrtFitter.Point point, SrtIntervals intervals) {
            this.intervals = intervals;
            double[] free = point.freeArray();
            for (int k : SHARES) {
                free[k] = SrtParameters.free(k, middle(interval(k)));
            }
            this.information = new Information(fitter.model(), free);
            double[][] naive = information.total();
            for (int k : SHARES) {
                naive[k][k] += LOGIT_PRECISION;
            }
            this.total = asPrinted(naive, free);
            this.before = variance(total);
        }

        private Parameter interval(int k) {
            return k == SrtParameters.RHO
                    ? intervals.form().rho()
                    : intervals.form().kappa();
        }

        private double half(int k) {
            return (interval(k).hi() - interval(k).lo()) / 2;
        }

        /** The value, or the nearest one within the middle half of its interval and clear of 0 and 1. */
        private static double middle(Parameter p) {
            double quarter = (p.hi() - p.lo()) / 4;
            double x = Math.max(p.lo() + quarter, Math.min(p.hi() - quarter, p.value()));
            return Math.max(MARGIN, Math.min(1 - MARGIN, x));
        }

        /** Information scaled so that the standard errors of rho and kappa are those of their intervals. */
        private double[][] asPrinted(double[][] naive, double[] free) {
            double quantile = NormalDistribution.of(0, 1).inverseCumulativeProbability((1 + intervals.level()) / 2);
            RealMatrix variance = variance(naive);
            double[][] scaled = new double[SrtParameters.COUNT][SrtParameters.COUNT];
            double[] factor = new double[SrtParameters.COUNT];
            for (int k = 0; k < factor.length; k++) {
                factor[k] = 1 / Math.sqrt(intervals.clusterRatio().get(k));
            }
            for (int k : SHARES) {
                double x = SrtParameters.natural(k, free[k]);
                double printed = half(k) / (quantile * x * (1 - x));
                factor[k] = printed > 0 ? Math.sqrt(variance.getEntry(k, k)) / printed : factor[k];
            }
            for (int k = 0; k < factor.length; k++) {
                for (int l = 0; l < factor.length; l++) {
                    scaled[k][l] = naive[k][l] * factor[k] * factor[l];
                }
            }
            return scaled;
        }

        private static RealMatrix variance(double[][] information) {
            return Information.inverse(Information.part(information, ALL));
        }

        NextRun today() {
            return new NextRun("no further run", half(SrtParameters.KAPPA), half(SrtParameters.RHO));
        }

        /** Half-widths with more rounds, which are clustered like those of the evidence. */
        NextRun with(String run, List<Evidence> more, double rounds) {
            double[][] sum = new double[SrtParameters.COUNT][SrtParameters.COUNT];
            Information.add(sum, total, 1);
            for (Evidence e : more) {
                double[][] info = information.perRound(e);
                for (int k = 0; k < sum.length; k++) {
                    for (int l = 0; l < sum.length; l++) {
                        sum[k][l] += rounds
                                * info[k][l]
                                / Math.sqrt(intervals.clusterRatio().get(k)
                                        * intervals.clusterRatio().get(l));
                    }
                }
            }
            RealMatrix after = variance(sum);
            return new NextRun(run, narrowed(after, SrtParameters.KAPPA), narrowed(after, SrtParameters.RHO));
        }

        private double narrowed(RealMatrix after, int k) {
            return half(k) * Math.sqrt(Math.min(1, after.getEntry(k, k) / before.getEntry(k, k)));
        }
    }
}
