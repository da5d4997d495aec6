package dev.foretoken.sim.whitebox;

import dev.foretoken.sim.profile.CurveSum;

/**
 * Kernels that stream activations: norms with residuals, rotary embedding, gates, activations, quantisation of inputs.
 *
 * <p>A kernel of b bytes takes 1.5 us + min(b, L2) / (2 x DRAM) + max(0, b - L2) / DRAM: what the previous kernel wrote is
 * still in the L2 cache. The two constants are read off the per-layer sums that a microbenchmark of LLMServingSim gives for
 * Llama-3.1-8B on one RTX PRO 6000 (12.5 us at 128 rows, 138 us at 2,048; replay of two vLLM logs), not off any round time.
 */
final class Elementwise {
    private static final double LAUNCH_US = 1.5;
    private static final double L2_OVER_DRAM = 2;

    private final double l2Bytes;
    private final double dramBytesPerUs;
    private int kernels;

    Elementwise(double l2Bytes, double dramBytesPerUs) {
        this.l2Bytes = l2Bytes;
        this.dramBytesPerUs = dramBytesPerUs;
    }

    /** Time of one kernel, microseconds. */
    double us(double bytes) {
        return LAUNCH_US
                + Math.min(bytes, l2Bytes) / (L2_OVER_DRAM * dramBytesPerUs)
                + Math.max(0, bytes - l2Bytes) / dramBytesPerUs;
    }

    /** Adds {@code count} kernels of so many bytes per row to a sum over rows. */
    void addTo(CurveSum sum, int count, double bytesPerRow) {
        if (count > 0 && bytesPerRow > 0) {
            kernels += count;
            sum.add(rows -> count * us(rows * bytesPerRow), l2Bytes / bytesPerRow);
        }
    }

    /** Kernels added so far. */
    int kernels() {
        return kernels;
    }
}
