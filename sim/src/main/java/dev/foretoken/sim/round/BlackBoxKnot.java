package dev.foretoken.sim.round;

/**
 * One measured autoregressive round of a server.
 *
 * @param rows query tokens of the round (resident requests, since each has one)
 * @param contextTokens KV length of the requests, tokens; null = not given
 * @param ms time of the round, ms
 * @param tp tensor-parallel size of the server; null = not given
 * @param lowMs lower end of the 90 % interval of the time, ms; null = no interval
 * @param highMs upper end, ms; null = no interval
 */
public record BlackBoxKnot(int rows, Double contextTokens, double ms, Integer tp, Double lowMs, Double highMs) {
    public BlackBoxKnot {
        if (rows < 1) {
            throw new IllegalArgumentException("rows must be at least 1: " + rows);
        }
        if (contextTokens != null && !(contextTokens >= 0 && Double.isFinite(contextTokens))) {
            throw new IllegalArgumentException("context must be finite and not negative, tokens: " + contextTokens);
        }
        if (!(ms >= 1e-6 && ms <= 1e9)) {
            throw new IllegalArgumentException("ms must lie between 1e-6 and 1e9: " + ms);
        }
        if (tp != null && tp < 1) {
            throw new IllegalArgumentException("tp must be at least 1: " + tp);
        }
        if ((lowMs == null) != (highMs == null)) {
            throw new IllegalArgumentException("an interval has both ends or none: " + lowMs + " " + highMs);
        }
        if (lowMs != null && !(lowMs > 0 && lowMs <= ms && ms <= highMs && Double.isFinite(highMs))) {
            throw new IllegalArgumentException(
                    "the interval must hold the time, ms: " + lowMs + " " + ms + " " + highMs);
        }
    }

    /** A knot without an interval. */
    public BlackBoxKnot(int rows, Double contextTokens, double ms, Integer tp) {
        this(rows, contextTokens, ms, tp, null, null);
    }

    /** The knot at one end of its interval; itself where it has none. */
    BlackBoxKnot end(boolean upper) {
        Double end = upper ? highMs : lowMs;
        return end == null ? this : new BlackBoxKnot(rows, contextTokens, end, tp);
    }
}
