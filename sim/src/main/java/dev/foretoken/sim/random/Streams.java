package dev.foretoken.sim.random;

import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/**
 * Named random streams: one per (purpose, replication, request), so that common random numbers hold whatever the order in
 * which requests are served and whatever the number of threads.
 */
public final class Streams {
    private Streams() {}

    /** A stream that depends on the arguments only. */
    public static UniformRandomProvider of(long seed, String purpose, long replication, long request) {
        long h = mix(seed);
        for (int i = 0; i < purpose.length(); i++) {
            h = mix(h ^ purpose.charAt(i));
        }
        h = mix(h ^ replication);
        h = mix(h ^ request);
        return RandomSource.XO_RO_SHI_RO_128_PP.create(new long[] {h, mix(h + 0x9E3779B97F4A7C15L)});
    }

    /** Finaliser of SplitMix64 (Steele, Lea and Flood 2014): a bijection of 64-bit words. */
    public static long mix(long x) {
        long z = x + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
