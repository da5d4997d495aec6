package dev.foretoken.sim.round;

/**
 * Time of one round of one arm (method, budget, TP, engine flags fixed), by kernels (white box) or by a server's own sweep
 * (black box). Immutable and safe to share between threads; {@link #roundMs} allocates nothing.
 */
public interface RoundTimeModel {

    /**
     * Time of a decode round without prefill.
     *
     * @param requests resident requests that take part
     * @param rows query tokens of the round after CUDA-graph padding (sum of verify widths)
     * @param contextTokens mean KV length of the requests, tokens
     * @param maxContextTokens largest KV length, tokens (equal to the mean when unknown)
     * @return milliseconds, finite and positive
     */
    double roundMs(int requests, long rows, double contextTokens, double maxContextTokens);

    /**
     * Time of a round that carries prompt tokens beside the decode rows (mixed), or of a prefill chunk alone (requests = 0).
     *
     * @param prefillTokens prompt tokens in this round
     * @param prefillContext KV tokens of those prompts already in the cache before this round (mean over the chunks)
     */
    double mixedRoundMs(
            int requests,
            long rows,
            double contextTokens,
            double maxContextTokens,
            long prefillTokens,
            double prefillContext);

    /** The same decode round with every term, what bounds it, and notes. */
    RoundTime explain(int requests, long rows, double contextTokens, double maxContextTokens);
}
