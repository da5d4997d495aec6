package dev.foretoken.sim.analytical;

import java.util.function.IntToDoubleFunction;

/**
 * Prompts that join the batch at the same round boundary. They prefill together, chunk by chunk, and those of one chunk have
 * their first token at its end.
 *
 * @param perPromptMs mean prefill time per prompt, ms
 * @param firstTokenMs mean time from the boundary to the end of the own chunk, ms
 */
record Joining(double perPromptMs, double firstTokenMs) {
    private static final Joining NONE = new Joining(0, 0);

    /** Weight relative to the largest below which a number of prompts is left out. */
    private static final double NEGLIGIBLE = 1e-16;

    /**
     * Each of n requests ends in a round with chance 1/R, independently of the others, and another joins in its place: their
     * number is binomial.
     *
     * @param n resident requests
     * @param rounds mean rounds of an answer, R
     */
    static Joining independent(Station station, int n, double rounds) {
        if (rounds <= 1) {
            return staggered(station, n, rounds);
        }
        double odds = 1 / (rounds - 1);
        return over(station, n, n / rounds, k -> odds * (n - k) / (k + 1));
    }

    /**
     * Independent arrivals: their number in a round is Poisson.
     *
     * @param mean arrivals per round
     */
    static Joining poisson(Station station, double mean) {
        return over(station, Integer.MAX_VALUE, mean, k -> mean / (k + 1));
    }

    /**
     * Every answer takes the same number of rounds: staggered requests stay staggered, n/R of them end in each round, as evenly
     * as whole numbers allow.
     */
    static Joining staggered(Station station, int n, double rounds) {
        if (station.prefillMs(1) == 0) {
            return NONE;
        }
        if (rounds <= 0) {
            int m = Math.min(n, station.promptsPerChunk());
            return new Joining(station.prefillMs(m) / m, ownChunkMs(station, n));
        }
        double each = Math.max(1, n / rounds);
        int low = (int) Math.floor(each);
        double more = each - low;
        double ownLow = (1 - more) * low / each;
        return new Joining(
                ((1 - more) * station.prefillMs(low) + more * station.prefillMs(low + 1)) / each,
                ownLow * ownChunkMs(station, low) + (1 - ownLow) * ownChunkMs(station, low + 1));
    }

    /**
     * Means over the number k of prompts where any join; the own prompt sees k with weight k P(k).
     *
     * @param most largest number
     * @param mean of the numbers, none included
     * @param ratio P(k + 1) / P(k)
     */
    private static Joining over(Station station, int most, double mean, IntToDoubleFunction ratio) {
        if (station.prefillMs(1) == 0) {
            return NONE;
        }
        int mode = (int) Math.min(most, Math.max(1, Math.floor(mean)));
        double prefill = 0;
        double prompts = 0;
        double first = 0;
        double p = 1;
        for (int k = mode; k <= most && p > NEGLIGIBLE; k++) {
            prefill += p * station.prefillMs(k);
            prompts += p * k;
            first += p * k * ownChunkMs(station, k);
            p *= ratio.applyAsDouble(k);
        }
        p = 1;
        for (int k = mode - 1; k >= 1; k--) {
            p /= ratio.applyAsDouble(k);
            if (p <= NEGLIGIBLE) {
                break;
            }
            prefill += p * station.prefillMs(k);
            prompts += p * k;
            first += p * k * ownChunkMs(station, k);
        }
        return new Joining(prefill / prompts, first / prompts);
    }

    /** Time until the end of the own chunk when k prompts join: all of it where one chunk holds them, else half and half a chunk. */
    private static double ownChunkMs(Station station, int k) {
        double m = Math.min(k, station.promptsPerChunk());
        return station.prefillMs(k) * (k + m) / (2 * k);
    }
}
