package dev.foretoken.sim.statistics;

import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Two one-sided t tests of equivalence: is the mean of the values within (-margin, margin)?
 *
 * @param tLower (mean + margin)/standard error
 * @param tUpper (mean - margin)/standard error
 * @param pValue the larger of the two one-sided p values
 */
public record Tost(double tLower, double tUpper, double pValue) {

    /**
     * @param values log ratios of independent runs, at least 2
     * @param margin half-width of the band, positive, in the unit of the values
     */
    public static Tost of(double[] values, double margin) {
        if (!(margin > 0) || Double.isInfinite(margin)) {
            throw new IllegalArgumentException("margin must be finite and positive: " + margin);
        }
        MeanInterval m = MeanInterval.of(values, 0.95);
        TDistribution t = TDistribution.of(values.length - 1);
        double lower = ratio(m.mean() + margin, m.standardError());
        double upper = ratio(m.mean() - margin, m.standardError());
        return new Tost(lower, upper, Math.max(t.survivalProbability(lower), t.cumulativeProbability(upper)));
    }

    /** Values without spread decide by their mean alone. */
    private static double ratio(double distance, double standardError) {
        if (standardError > 0) {
            return distance / standardError;
        }
        return distance == 0 ? 0 : distance * Double.POSITIVE_INFINITY;
    }

    public boolean equivalent(double alpha) {
        return pValue < alpha;
    }
}
