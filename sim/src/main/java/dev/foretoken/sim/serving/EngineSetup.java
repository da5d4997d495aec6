package dev.foretoken.sim.serving;

import dev.foretoken.sim.round.GraphPadding;

/**
 * The serving engine of one replica.
 *
 * @param scheduler name of a registered scheduler ({@link Schedulers})
 * @param maxRunning largest number of resident requests; {@link Integer#MAX_VALUE} = no limit
 * @param maxBatchedTokens tokens of a mixed step, prompts and decode rows together (mixed schedulers)
 * @param chunkTokens prompt tokens of a prefill round (prefill-first schedulers)
 * @param batchesInFlight steps scheduled before the first of them returns: 1 = synchronous, 2 = vLLM's asynchronous
 *     scheduling
 * @param memory pages and slots
 * @param padding CUDA-graph padding of decode rounds
 * @param prefixHitRate share of prompt tokens found in the prefix cache, [0, 1], where a request doesn't say its own
 * @param cutDrafts drafts are cut so that a request never verifies more tokens than it may still emit (llama.cpp); SGLang
 *     and vLLM verify full drafts to the end
 */
public record EngineSetup(
        String scheduler,
        int maxRunning,
        int maxBatchedTokens,
        int chunkTokens,
        int batchesInFlight,
        MemoryLimits memory,
        GraphPadding padding,
        double prefixHitRate,
        boolean cutDrafts) {
    /** Default tokens of a prefill chunk (SGLang, large cards) and of a mixed step. */
    public static final int DEFAULT_TOKENS = 8192;

    public EngineSetup {
        Schedulers.byName(scheduler);
        atLeastOne("max_running_requests", maxRunning);
        atLeastOne("max_batched_tokens", maxBatchedTokens);
        atLeastOne("chunk_tokens", chunkTokens);
        if (batchesInFlight < 1 || batchesInFlight > 8) {
            throw new IllegalArgumentException("batches in flight must lie in 1..8: " + batchesInFlight);
        }
        if (!(prefixHitRate >= 0 && prefixHitRate <= 1)) {
            throw new IllegalArgumentException("prefix_hit_rate must lie in [0, 1]: " + prefixHitRate);
        }
    }

    private static void atLeastOne(String key, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(key + " must be at least 1: " + value);
        }
    }

    /** A synchronous engine without limits: every resident request in every round, no padding, no prefix hits. */
    public static EngineSetup of(String scheduler) {
        return new EngineSetup(
                scheduler,
                Integer.MAX_VALUE,
                DEFAULT_TOKENS,
                DEFAULT_TOKENS,
                1,
                MemoryLimits.NONE,
                GraphPadding.NONE,
                0,
                false);
    }

    /** The same with another limit of resident requests. */
    public EngineSetup withMaxRunning(int n) {
        return new EngineSetup(
                scheduler,
                n,
                maxBatchedTokens,
                chunkTokens,
                batchesInFlight,
                memory,
                padding,
                prefixHitRate,
                cutDrafts);
    }

    /** The same with other tokens per mixed step. */
    public EngineSetup withMaxBatchedTokens(int tokens) {
        return new EngineSetup(
                scheduler, maxRunning, tokens, chunkTokens, batchesInFlight, memory, padding, prefixHitRate, cutDrafts);
    }

    /** The same with other tokens per prefill round. */
    public EngineSetup withChunkTokens(int tokens) {
        return new EngineSetup(
                scheduler,
                maxRunning,
                maxBatchedTokens,
                tokens,
                batchesInFlight,
                memory,
                padding,
                prefixHitRate,
                cutDrafts);
    }

    /** The same with another number of steps in flight. */
    public EngineSetup withBatchesInFlight(int depth) {
        return new EngineSetup(
                scheduler, maxRunning, maxBatchedTokens, chunkTokens, depth, memory, padding, prefixHitRate, cutDrafts);
    }

    /** The same with other memory. */
    public EngineSetup withMemory(MemoryLimits limits) {
        return new EngineSetup(
                scheduler,
                maxRunning,
                maxBatchedTokens,
                chunkTokens,
                batchesInFlight,
                limits,
                padding,
                prefixHitRate,
                cutDrafts);
    }

    /** The same with other padding. */
    public EngineSetup withPadding(GraphPadding rows) {
        return new EngineSetup(
                scheduler,
                maxRunning,
                maxBatchedTokens,
                chunkTokens,
                batchesInFlight,
                memory,
                rows,
                prefixHitRate,
                cutDrafts);
    }

    /** The same with another prefix hit rate. */
    public EngineSetup withPrefixHitRate(double rate) {
        return new EngineSetup(
                scheduler,
                maxRunning,
                maxBatchedTokens,
                chunkTokens,
                batchesInFlight,
                memory,
                padding,
                rate,
                cutDrafts);
    }

    /** The same with drafts cut at the remaining tokens, or not. */
    public EngineSetup withCutDrafts(boolean cut) {
        return new EngineSetup(
                scheduler,
                maxRunning,
                maxBatchedTokens,
                chunkTokens,
                batchesInFlight,
                memory,
                padding,
                prefixHitRate,
                cut);
    }
}
