package dev.foretoken.sim.formula;

/** Requests that a KV pool holds. */
public final class KvCapacity {
    private KvCapacity() {}

    /** Tokens rounded up to whole pages. */
    public static long pageRounded(long tokens, int pageTokens) {
        if (tokens < 0 || pageTokens < 1) {
            throw new IllegalArgumentException(tokens + " tokens in pages of " + pageTokens);
        }
        return (tokens + pageTokens - 1) / pageTokens * pageTokens;
    }

    /**
     * Requests that fit at their full length: whole tokens in the pool over the request's tokens in whole pages.
     *
     * @param poolBytes bytes of the pool
     * @param bytesPerToken KV bytes of one token
     * @param tokensPerRequest prompt, output and the slack for drafted nodes
     * @param pageTokens tokens per page
     */
    public static long requests(double poolBytes, double bytesPerToken, long tokensPerRequest, int pageTokens) {
        if (!(poolBytes >= 0) || Double.isInfinite(poolBytes) || tokensPerRequest < 1) {
            throw new IllegalArgumentException(
                    "pool of " + poolBytes + " bytes, " + tokensPerRequest + " tokens per request");
        }
        long tokens = (long) Math.floor(poolBytes / Queues.positive(bytesPerToken, "KV bytes per token"));
        return tokens / pageRounded(tokensPerRequest, pageTokens);
    }
}
