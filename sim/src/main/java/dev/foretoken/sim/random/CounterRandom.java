package dev.foretoken.sim.random;

import org.apache.commons.rng.UniformRandomProvider;

/**
 * Counter-based random numbers: the i-th number of the stream (seed, purpose, request) is a hash of those and i, so that a
 * stream costs nothing to open, may be read at any index, and does not depend on the order in which requests are served.
 * The hash is SplitMix64 (Steele, Lea and Flood 2014): a key per stream, stepped by the golden-ratio increment and finalised.
 *
 * <p>The static methods allocate nothing. An instance is a reusable {@link UniformRandomProvider} over one stream at a time.
 */
public final class CounterRandom implements UniformRandomProvider {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final double TO_UNIT = 0x1.0p-53;

    private long key;
    private long index;

    /** What a stream's numbers are for. Streams of different purposes are independent. */
    public enum Purpose {
        /** Acceptance: one number per (request, round). */
        ROUND,
        /** Latent state of acceptance: a stream per (request, round). */
        LATENT,
        /** Whether an n-gram draft fires: one number per (request, round). */
        FIRE,
        /** Forced acceptance of a whole batch: one number per round. */
        BATCH,
        /** Which workload of a mix a request belongs to. */
        WORKLOAD,
        /** Prompt length of a request. */
        ISL,
        /** Output length of a request. */
        OSL,
        /** Time between arrivals. */
        ARRIVAL,
        /** Think time of a closed-loop client. */
        THINK,
        /** Phase in which a closed-loop client starts. */
        START
    }

    /** Key of a run: replications of one seed are independent. */
    public static long runKey(long seed, long replication) {
        return Streams.mix(Streams.mix(seed) ^ replication);
    }

    /** Key of one stream of a run. */
    public static long streamKey(long runKey, Purpose purpose, long request) {
        return Streams.mix(Streams.mix(runKey + (purpose.ordinal() + 1) * GOLDEN) ^ request);
    }

    /** Number {@code index} of a stream, uniform in [0, 1) on a grid of 2^-53. */
    public static double uniform(long streamKey, long index) {
        return (Streams.mix(streamKey + index * GOLDEN) >>> 11) * TO_UNIT;
    }

    /** Points this provider at the first number of a stream. */
    public CounterRandom reset(long streamKey) {
        key = streamKey;
        index = 0;
        return this;
    }

    @Override
    public long nextLong() {
        return Streams.mix(key + index++ * GOLDEN);
    }
}
