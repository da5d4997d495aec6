package dev.foretoken.calibration.host;

/**
 * A closed loop: so many clients, each sending its next request when its last is done.
 *
 * @param concurrency clients
 * @param requests in all
 * @param outputTokens of each request
 * @param counts how often the prompt counts to ten
 */
public record LoopLoad(int concurrency, int requests, int outputTokens, int counts) {
    /** Usual prompt: about 80 tokens. */
    public static final int SHORT_PROMPT = 4;

    public LoopLoad {
        if (concurrency < 1 || requests < concurrency || outputTokens < 1 || counts < 1) {
            throw new IllegalArgumentException("a load needs clients, at least as many requests, tokens and a prompt: "
                    + concurrency + ", " + requests + ", " + outputTokens + ", " + counts);
        }
    }

    public LoopLoad(int concurrency, int requests, int outputTokens) {
        this(concurrency, requests, outputTokens, SHORT_PROMPT);
    }

    /** Tokens of all answers. */
    public long tokens() {
        return (long) requests * outputTokens;
    }
}
