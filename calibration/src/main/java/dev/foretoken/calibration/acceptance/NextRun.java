package dev.foretoken.calibration.acceptance;

import dev.foretoken.sim.acceptance.Design;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.commons.math3.linear.RealMatrix;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * What to measure next: for every run that a user could add, the half-width that the interval of kappa and of rho would have,
 * by the information of the evidence so far plus that of the run at the fitted parameters.
 *
 * @param run the run in words
 * @param kappaHalfWidth half-width of kappa's interval with it, at most .5
 * @param rhoHalfWidth half-width of rho's interval with it, at most .5
 */
public record NextRun(String run, double kappaHalfWidth, double rhoHalfWidth) {
    /** Weak knowledge where nothing was seen: logit of rho or kappa within some units. */
    private static final double LOGIT_PRECISION = 1.0 / 9;

    private static final int[] BUDGETS = {8, 16, 32, 64, 128};

    /** Half-widths without another run. */
    public static NextRun today(SrtFitter fitter, SrtFitter.Point point, SrtIntervals intervals) {
        return new Widths(fitter, point, intervals).with("no further run", List.of(), 0);
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
        private final double quantile;
        private final double kappa;
        private final double rho;

        Widths(SrtFitter fitter, SrtFitter.Point point, SrtIntervals intervals) {
            this.information = new Information(fitter.model(), point.freeArray());
            this.total = information.total();
            this.intervals = intervals;
            this.quantile = NormalDistribution.of(0, 1).inverseCumulativeProbability((1 + intervals.level()) / 2);
            this.kappa = point.form().kappa().value();
            this.rho = point.form().rho().value();
            for (int k : new int[] {SrtParameters.RHO, SrtParameters.KAPPA}) {
                total[k][k] += LOGIT_PRECISION;
            }
        }

        NextRun with(String run, List<Evidence> more, double rounds) {
            double[][] sum = new double[SrtParameters.COUNT][SrtParameters.COUNT];
            Information.add(sum, total, 1);
            for (Evidence e : more) {
                Information.add(sum, information.perRound(e), rounds);
            }
            int[] all = {0, 1, 2, 3, 4, 5};
            RealMatrix variance = Information.inverse(Information.part(sum, all));
            return new NextRun(run, half(variance, SrtParameters.KAPPA, kappa), half(variance, SrtParameters.RHO, rho));
        }

        /** Half-width on the parameter's own scale, clustering as in the evidence so far. */
        private double half(RealMatrix variance, int k, double value) {
            double se =
                    Math.sqrt(variance.getEntry(k, k) * intervals.clusterRatio().get(k));
            double logit = Math.log(value / (1 - value));
            double hi = 1 / (1 + Math.exp(-logit - quantile * se));
            double lo = 1 / (1 + Math.exp(-logit + quantile * se));
            return (hi - lo) / 2;
        }
    }
}
