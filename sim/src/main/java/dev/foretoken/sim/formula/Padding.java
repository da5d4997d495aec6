package dev.foretoken.sim.formula;

import java.util.Arrays;

/** Padding of a batch to the sizes for which CUDA graphs were captured, and to the tiles of a GEMM. */
public final class Padding {
    private Padding() {}

    /** The smallest captured size that holds the batch; the batch itself above the largest (it runs eagerly). */
    public static int toCaptured(int batch, int... capturedSizes) {
        if (batch < 0) {
            throw new IllegalArgumentException("batch must be at least 0: " + batch);
        }
        return Arrays.stream(capturedSizes).filter(s -> s >= batch).min().orElse(batch);
    }

    /**
     * Tiles of an M x N result and the waves in which they run.
     *
     * @param tiles output tiles
     * @param waves rounds of all multiprocessors
     * @param efficiency tiles over what the waves could hold
     */
    public record Waves(long tiles, long waves, double efficiency) {
        public static Waves of(long m, long n, int tileM, int tileN, int multiprocessors) {
            if (m < 1 || n < 1 || tileM < 1 || tileN < 1 || multiprocessors < 1) {
                throw new IllegalArgumentException("GEMM of " + m + " x " + n + " in tiles of " + tileM + " x " + tileN
                        + " on " + multiprocessors + " multiprocessors");
            }
            long tiles = ((m + tileM - 1) / tileM) * ((n + tileN - 1) / tileN);
            long waves = (tiles + multiprocessors - 1) / multiprocessors;
            return new Waves(tiles, waves, (double) tiles / (waves * multiprocessors));
        }
    }
}
