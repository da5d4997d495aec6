package dev.foretoken.sim.acceptance;

/**
 * A parameter and the interval in which it lies.
 *
 * @param value central value
 * @param lo lower end, at most the value
 * @param hi upper end, at least the value
 */
public record Parameter(double value, double lo, double hi) {
    public Parameter {
        if (!Double.isFinite(lo) || !Double.isFinite(hi) || !(lo <= value && value <= hi)) {
            throw new IllegalArgumentException(
                    "a parameter must be finite and lie in its interval: " + value + " in [" + lo + ", " + hi + "]");
        }
    }

    public static Parameter exact(double value) {
        return new Parameter(value, value, value);
    }

    /** An interval without a central value; its middle stands for it. */
    public static Parameter between(double lo, double hi) {
        if (!(lo <= hi)) {
            throw new IllegalArgumentException("an interval must not be empty: [" + lo + ", " + hi + "]");
        }
        return new Parameter(lo + (hi - lo) / 2, lo, hi);
    }

    public boolean isExact() {
        return lo == hi;
    }
}
