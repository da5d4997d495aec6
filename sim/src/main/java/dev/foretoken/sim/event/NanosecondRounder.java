package dev.foretoken.sim.event;

/**
 * Turns durations in milliseconds into whole nanoseconds and carries the fraction over to the next one, so that the sum of
 * many durations is off by less than one nanosecond instead of half a nanosecond each.
 */
public final class NanosecondRounder {
    /** Nanoseconds in a millisecond. */
    public static final double NS_PER_MS = 1e6;

    /** Longest duration that is accepted, ms (about 29 years): above it the clock could overflow. */
    public static final double MAX_MS = 9e11;

    private double carryNs;

    /**
     * The next duration.
     *
     * @param ms milliseconds, finite, 0..{@value #MAX_MS}
     * @return nanoseconds, not negative
     * @throws IllegalArgumentException when ms is out of range
     */
    public long next(double ms) {
        if (!(ms >= 0 && ms <= MAX_MS)) {
            throw new IllegalArgumentException("a duration must lie in 0.." + MAX_MS + " ms: " + ms);
        }
        double exact = ms * NS_PER_MS + carryNs;
        long whole = Math.max(0, Math.round(exact));
        carryNs = exact - whole;
        return whole;
    }

    /** One duration rounded on its own; range and errors as {@link #next}. */
    public static long toNs(double ms) {
        if (!(ms >= 0 && ms <= MAX_MS)) {
            throw new IllegalArgumentException("a duration must lie in 0.." + MAX_MS + " ms: " + ms);
        }
        return Math.round(ms * NS_PER_MS);
    }
}
