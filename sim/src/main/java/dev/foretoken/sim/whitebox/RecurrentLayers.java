package dev.foretoken.sim.whitebox;

import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.Interpolation;
import java.util.Arrays;
import java.util.TreeMap;

/**
 * Gated-delta-rule kernels of one layer on one card: the one-token recurrence and its convolution over sequences, the chunk
 * kernel and its convolution over sequences x tokens. Tables repeat one set of states, which fits the L2 cache for small
 * batches; serving reads and writes every state from DRAM:
 *
 * <ul>
 *   <li>one token: max(table(n), launch + 2 n state / bandwidth);
 *   <li>w tokens, each keeping its own state until commit: the one-token recurrence run w times over a state in registers,
 *       which reads one state and writes w: max(table of one token, launch + n (1 + w) state / bandwidth);
 *   <li>w tokens whose states are recomputed at commit: the chunk kernel, max(table(n, w), table(1, w) + 2 n state /
 *       bandwidth).
 * </ul>
 */
final class RecurrentLayers {
    /** Launch and ramp of a kernel that streams states, microseconds: the smallest one-token time less its traffic. */
    private static final double LAUNCH_US = 2.5;

    private final Curve step;
    private final Curve convStep;
    private final Grid chunk;
    private final Grid convChunk;
    private final double stateBytes;
    private final double bytesPerUs;

    /**
     * @param step one-token kernel along sequences
     * @param convStep its convolution, null when not measured
     * @param chunk chunk kernel by batch along tokens
     * @param convChunk its convolution, null when not measured
     * @param stateBytes state of one sequence in one layer on one card
     * @param bytesPerUs DRAM bandwidth, bytes per microsecond
     */
    RecurrentLayers(
            Curve step,
            Curve convStep,
            TreeMap<Integer, Curve> chunk,
            TreeMap<Integer, Curve> convChunk,
            double stateBytes,
            double bytesPerUs) {
        this.step = step;
        this.convStep = convStep;
        this.chunk = new Grid(chunk);
        this.convChunk = convChunk == null ? null : new Grid(convChunk);
        this.stateBytes = stateBytes;
        this.bytesPerUs = bytesPerUs;
    }

    /** Table time of n sequences of w tokens each, microseconds. */
    double tableUs(int n, double w) {
        if (w <= 1) {
            return step.us(n) + (convStep == null ? 0 : convStep.us(n));
        }
        return chunk.us(n, w) + (convChunk == null ? 0 : convChunk.us(n, w));
    }

    /** Serving time of one token of each of n sequences, microseconds. */
    double stepUs(int n) {
        double conv = convStep == null ? 0 : convStep.us(n);
        return Math.max(step.us(n), LAUNCH_US + 2.0 * n * stateBytes / bytesPerUs) + conv;
    }

    /** Serving time of w tokens of each of n sequences where every token keeps its state, microseconds. */
    double savedUs(int n, double w) {
        return Math.max(step.us(n), LAUNCH_US + n * (1 + w) * stateBytes / bytesPerUs) + convUs(n, w);
    }

    /** Serving time of w tokens of each of n sequences by the chunk kernel, microseconds. */
    double chunkUs(int n, double w) {
        double traffic = 2.0 * n * stateBytes / bytesPerUs;
        return Math.max(chunk.us(n, w), chunk.us(1, w) + traffic) + convUs(n, w);
    }

    private double convUs(int n, double w) {
        return convChunk == null ? 0 : convChunk.us(n, w);
    }

    /** State of one sequence in one layer on one card, bytes. */
    double stateBytes() {
        return stateBytes;
    }

    /** Largest measured number of sequences for chunks. */
    int lastBatch() {
        return chunk.batches[chunk.batches.length - 1];
    }

    private static final class Grid {
        private final int[] batches;
        private final Curve[] curves;

        private Grid(TreeMap<Integer, Curve> byBatch) {
            this.batches = byBatch.keySet().stream().mapToInt(i -> i).toArray();
            this.curves = byBatch.values().toArray(new Curve[0]);
        }

        private double us(int n, double w) {
            int i = Arrays.binarySearch(batches, n);
            if (i >= 0) {
                return curves[i].us(w);
            }
            int hi = -i - 1;
            if (hi == 0) {
                return curves[0].us(w);
            }
            int last = batches.length - 1;
            if (hi > last) {
                return curves[last].us(w) * n / batches[last];
            }
            return Interpolation.linear(batches[hi - 1], curves[hi - 1].us(w), batches[hi], curves[hi].us(w), n);
        }
    }
}
