package dev.foretoken.calibration.host;

/**
 * A closed loop: so many clients, each sending its next request when its last is done.
 *
 * @param concurrency clients
 * @param requests in all
 * @param outputTokens of each request
 */
public record LoopLoad(int concurrency, int requests, int outputTokens) {
    public LoopLoad {
        if (concurrency < 1 || requests < concurrency || outputTokens < 1) {
            throw new IllegalArgumentException("a load needs clients, at least as many requests, and tokens: "
                    + concurrency + ", " + requests + ", " + outputTokens);
        }
    }

    /** Tokens of all answers. */
    public long tokens() {
        return (long) requests * outputTokens;
    }
}
