package dev.foretoken.sim.statistics;

import org.apache.commons.statistics.distribution.NormalDistribution;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Mean of independent values (replications or batch means) with a Student interval.
 *
 * @param mean mean
 * @param standardError standard error of the mean
 * @param halfWidth half-width at the level asked for
 * @param count number of values
 */
public record MeanInterval(double mean, double standardError, double halfWidth, int count) {

    /**
     * @param values at least 2, finite
     * @param level confidence level in (0, 1)
     */
    public static MeanInterval of(double[] values, double level) {
        if (values.length < 2) {
            throw new IllegalArgumentException("an interval needs at least 2 values: " + values.length);
        }
        double t = TDistribution.of(values.length - 1).inverseCumulativeProbability((1 + level(level)) / 2);
        double mean = 0;
        for (double v : values) {
            mean += v / values.length;
        }
        double squares = 0;
        for (double v : values) {
            squares += (v - mean) * (v - mean);
        }
        double se = Math.sqrt(squares / (values.length - 1) / values.length);
        if (!Double.isFinite(se)) {
            throw new IllegalArgumentException("values of an interval must be finite");
        }
        return new MeanInterval(mean, se, t * se, values.length);
    }

    /** Half-width over the size of the mean. */
    public double relativeHalfWidth() {
        return halfWidth / Math.abs(mean);
    }

    /**
     * Replications for a relative half-width: (z CV/eps)^2, rounded up.
     *
     * @param cv coefficient of variation of one replication, at least 0
     * @param eps relative half-width, positive
     * @param level confidence level
     */
    public static long replicationsNeeded(double cv, double eps, double level) {
        if (!(cv >= 0) || !(eps > 0) || Double.isInfinite(cv)) {
            throw new IllegalArgumentException("coefficient of variation " + cv + ", relative half-width " + eps);
        }
        double z = NormalDistribution.of(0, 1).inverseCumulativeProbability((1 + level(level)) / 2);
        return (long) Math.ceil((z * cv / eps) * (z * cv / eps));
    }

    /** As {@link #replicationsNeeded} for a relative error against the true mean: eps/(1 + eps) (Law and Kelton). */
    public static long replicationsNeededAdjusted(double cv, double eps, double level) {
        return replicationsNeeded(cv, eps / (1 + eps), level);
    }

    private static double level(double level) {
        if (!(level > 0 && level < 1)) {
            throw new IllegalArgumentException("confidence level must be in (0, 1): " + level);
        }
        return level;
    }
}
