package dev.foretoken.calibration.acceptance;

import dev.foretoken.sim.acceptance.Design;
import org.apache.commons.math3.linear.RealMatrix;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * What a fit's finite evidence leaves open in the accept length of any design, seen or not: the delta method,
 * sqrt(g' V g) with g the derivatives of the accept length by the fitted parameters and V their clustered (sandwich)
 * variance, whose diagonal is never below that of {@link SrtIntervals}. Parameters that were not fitted are no part of it:
 * their whole range is a band of the law.
 */
public final class SamplingError {
    /** Width of a derivative in steps of the fit, as in {@link Information}: trees change their shape in steps. */
    private static final double STEPS = 4;

    private final SrtFitter.Point best;
    private final int[] index;
    private final RealMatrix variance;
    private final double quantile;

    /**
     * @param intervals of the same fit; its level is the level of the half-widths
     */
    public SamplingError(SrtFitter fitter, SrtFitter.Point best, SrtIntervals intervals) {
        this.best = best;
        this.index = SrtFitter.indices(fitter.fitted());
        this.quantile = NormalDistribution.of(0, 1).inverseCumulativeProbability((1 + intervals.level()) / 2);
        Information information = new Information(fitter.model(), best.freeArray());
        RealMatrix naive = Information.inverse(Information.part(information.total(), index));
        RealMatrix v =
                naive.multiply(Information.part(information.clustered(), index)).multiply(naive);
        RealMatrix scaled = v.copy();
        for (int i = 0; i < index.length; i++) {
            for (int j = 0; j < index.length; j++) {
                scaled.setEntry(
                        i, j, v.getEntry(i, j) * widening(intervals, naive, v, i) * widening(intervals, naive, v, j));
            }
        }
        this.variance = scaled;
    }

    private double widening(SrtIntervals intervals, RealMatrix naive, RealMatrix v, int i) {
        double least = intervals.clusterRatio().get(index[i]) * naive.getEntry(i, i);
        return Math.sqrt(Math.max(1, least / v.getEntry(i, i)));
    }

    /** Half-width of the interval of a design's accept length, in tokens per round. */
    public double halfWidth(Design design) {
        double[] slope = new double[index.length];
        for (int i = 0; i < index.length; i++) {
            double h = STEPS * SrtParameters.STEP[index[i]];
            slope[i] = (mean(design, index[i], h) - mean(design, index[i], -h)) / (2 * h);
        }
        double sum = 0;
        for (int i = 0; i < slope.length; i++) {
            for (int j = 0; j < slope.length; j++) {
                sum += slope[i] * variance.getEntry(i, j) * slope[j];
            }
        }
        return quantile * Math.sqrt(Math.max(0, sum));
    }

    private double mean(Design design, int k, double h) {
        double[] free = best.freeArray();
        free[k] += h;
        return EvidenceModel.mean(EvidenceModel.pmf(
                SrtParameters.form(free, best.form().depth(), best.form().ranks()), design));
    }
}
