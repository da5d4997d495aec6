package dev.foretoken.calibration.acceptance;

import dev.foretoken.sim.acceptance.Design;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.statistics.distribution.ChiSquaredDistribution;

/**
 * What a fit leaves open in the accept length of a design when rho and kappa are wide. Corners of their two intervals would
 * hold pairs that the evidence rules out. Here each of the two is moved over its interval while all other parameters are
 * fitted again; points whose deviance rises by no more than the level allows stay. A design that was measured keeps a narrow
 * range that way, since every point that stays explains it.
 */
public final class JointRange {
    /** Steps over an interval. */
    private static final int STEPS = 8;

    private static final int REFIT_ITERATIONS = 8;

    private final SrtFitter.Point best;
    private final List<SrtFitter.Point> points;

    private JointRange(SrtFitter.Point best, List<SrtFitter.Point> points) {
        this.best = best;
        this.points = List.copyOf(points);
    }

    /** Follows the profiles of rho and kappa, which must both be fitted, away from the best point. */
    public static JointRange of(SrtFitter fitter, SrtFitter.Point best, SrtIntervals intervals) {
        double quantile = ChiSquaredDistribution.of(1).inverseCumulativeProbability(intervals.level());
        List<SrtFitter.Point> kept = new ArrayList<>();
        for (int k : new int[] {SrtParameters.RHO, SrtParameters.KAPPA}) {
            double limit = quantile * intervals.clusterRatio().get(k);
            double value = SrtParameters.natural(k, best.freeArray()[k]);
            double lo = k == SrtParameters.RHO
                    ? intervals.form().rho().lo()
                    : intervals.form().kappa().lo();
            double hi = k == SrtParameters.RHO
                    ? intervals.form().rho().hi()
                    : intervals.form().kappa().hi();
            boolean[] others = fitter.fitted();
            others[k] = false;
            for (double end : new double[] {lo, hi}) {
                SrtFitter.Point at = best;
                for (int step = 1; step <= STEPS && end != value; step++) {
                    double[] start = at.freeArray();
                    start[k] = SrtParameters.free(k, value + (end - value) * step / STEPS);
                    at = fitter.refit(start, others, REFIT_ITERATIONS);
                    if (at.objective() - best.objective() <= limit) {
                        kept.add(at);
                    }
                }
            }
        }
        return new JointRange(best, kept);
    }

    /**
     * How far the accept length of a design lies below and above that of the best point.
     *
     * @return two figures in tokens per round, the first at most 0, the second at least 0
     */
    public double[] around(Design design) {
        double middle = EvidenceModel.mean(EvidenceModel.pmf(best.form(), design));
        double[] range = new double[2];
        for (SrtFitter.Point p : points) {
            double shift = EvidenceModel.mean(EvidenceModel.pmf(p.form(), design)) - middle;
            range[0] = Math.min(range[0], shift);
            range[1] = Math.max(range[1], shift);
        }
        return range;
    }
}
