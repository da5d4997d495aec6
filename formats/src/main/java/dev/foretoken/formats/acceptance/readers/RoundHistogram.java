package dev.foretoken.formats.acceptance.readers;

import java.util.Arrays;

/** Histograms of accepted drafts per round. */
final class RoundHistogram {
    private RoundHistogram() {}

    /** Histogram of a sequence of accepted drafts. */
    static long[] of(int[] accepted) {
        long[] h = new long[Arrays.stream(accepted).max().orElse(0) + 1];
        for (int a : accepted) {
            h[a]++;
        }
        return h;
    }

    /** Without trailing zeros (at least one entry stays). */
    static long[] trimmed(long[] h) {
        int n = h.length;
        while (n > 1 && h[n - 1] == 0) {
            n--;
        }
        return Arrays.copyOf(h, n);
    }
}
