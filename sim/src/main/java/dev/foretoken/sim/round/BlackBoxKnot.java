package dev.foretoken.sim.round;

/**
 * One measured autoregressive round of a server.
 *
 * @param rows query tokens of the round (resident requests, since each has one)
 * @param contextTokens KV length of the requests, tokens; null = not given
 * @param ms time of the round, ms
 * @param tp tensor-parallel size of the server; null = not given
 */
public record BlackBoxKnot(int rows, Double contextTokens, double ms, Integer tp) {
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
    }
}
