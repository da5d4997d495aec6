package dev.foretoken.sim.serving;

/**
 * A simulated figure with its interval.
 *
 * @param value point estimate
 * @param lo lower end of the interval at the run's level; equal to the value where nothing in the run is random
 * @param hi upper end
 */
public record Estimate(double value, double lo, double hi) {
    public Estimate {
        if (!Double.isFinite(value) || !Double.isFinite(lo) || !Double.isFinite(hi) || lo > hi) {
            throw new IllegalArgumentException(
                    "an estimate needs finite ordered ends: " + value + " in [" + lo + ", " + hi + "]");
        }
    }

    static Estimate around(double value, double halfWidth) {
        return new Estimate(value, value - halfWidth, value + halfWidth);
    }

    /** The same in another unit. */
    Estimate times(double factor) {
        return new Estimate(value * factor, lo * factor, hi * factor);
    }

    /** Half the width of the interval. */
    public double halfWidth() {
        return (hi - lo) / 2;
    }

    /** Half-width over the size of the figure; 0 when both are 0. */
    public double relHalfWidth() {
        double half = halfWidth();
        return half == 0 ? 0 : half / Math.abs(value);
    }
}
