package dev.foretoken.sim.formula;

import dev.foretoken.sim.acceptance.TruncatedGeometric;

/** Speed-up of chains over autoregressive decoding in closed form. */
public final class Speedup {
    private Speedup() {}

    /**
     * Wall-time speed-up at batch 1 with a draft pass per position (Leviathan et al., arXiv 2211.17192, theorem 3.8): accept
     * length over gamma c + 1.
     *
     * @param alpha acceptance per position
     * @param gamma drafted positions
     * @param c time of a draft pass over that of a target pass
     */
    public static double wallTime(double alpha, int gamma, double c) {
        return TruncatedGeometric.acceptLength(alpha, gamma) / (gamma * cost(c) + 1);
    }

    /**
     * Arithmetic per token over that of autoregressive decoding (theorem 3.11): (gamma cHat + gamma + 1) over the accept length.
     *
     * @param cHat arithmetic of a draft pass per token over that of a target pass
     */
    public static double operationsFactor(double alpha, int gamma, double cHat) {
        return (gamma * cost(cHat) + gamma + 1) / TruncatedGeometric.acceptLength(alpha, gamma);
    }

    /** Draft length, from 0, of the largest wall-time speed-up; the smallest of equals. */
    public static int optimalLength(double alpha, double c) {
        if (cost(c) < 1 && alpha == 1) {
            throw new IllegalArgumentException("drafts that are always accepted and cost " + c
                    + " of a target pass have no best length: longer is always better");
        }
        double reach = 1;
        double tokens = 1;
        int gamma = 0;
        while (true) {
            reach *= alpha;
            if (!((tokens + reach) / ((gamma + 1) * c + 1) > tokens / (gamma * c + 1))) {
                return gamma;
            }
            tokens += reach;
            gamma++;
        }
    }

    /** Speed-up with measured times: T_T tau/(gamma T_D + T_V) (MagicDec, arXiv 2408.11049). */
    public static double ofTimes(double acceptLength, int gamma, double draft, double verify, double target) {
        return target * acceptLength / (gamma * draft + Queues.positive(verify, "verification time"));
    }

    /**
     * Batch at which a chain stops paying on a roofline round max(W, c rows) while plain decoding is still bound by memory:
     * (tau W - d)/(c (gamma + 1)).
     *
     * @param w time of a round bound by memory
     * @param c time per row once bound by arithmetic
     * @param d draft time per round
     */
    public static double breakEvenBatch(double acceptLength, double w, double c, double d, int gamma) {
        return (acceptLength * w - d) / (Queues.positive(c, "time per row") * (gamma + 1));
    }

    /**
     * Goodput of a batch on a roofline round: B tau(k)/(max(W, c B (k + 1)) + d [k &gt; 0]) (SmartSpec, arXiv 2406.14066).
     */
    public static double goodput(int batch, double alpha, int length, double w, double c, double d) {
        double round = Math.max(w, c * batch * (length + 1)) + (length > 0 ? d : 0);
        return batch * TruncatedGeometric.acceptLength(alpha, length) / round;
    }

    /** The chain length in [lo, hi] of the largest goodput, the smallest of equals. */
    public static int goodputLength(int batch, double alpha, double w, double c, double d, int lo, int hi) {
        if (lo < 0 || hi < lo) {
            throw new IllegalArgumentException("range of lengths must rise from 0: " + lo + " to " + hi);
        }
        int best = lo;
        for (int k = lo + 1; k <= hi; k++) {
            if (goodput(batch, alpha, k, w, c, d) > goodput(batch, alpha, best, w, c, d)) {
                best = k;
            }
        }
        return best;
    }

    /**
     * The largest batch whose time per token max(W, c B (gamma + 1))/tau meets a limit; 0 when none does.
     *
     * @param limit largest time per token
     */
    public static long largestBatch(double limit, double acceptLength, double w, double c, int gamma) {
        double round = limit * acceptLength;
        if (round < w) {
            return 0;
        }
        double batch = round / (Queues.positive(c, "time per row") * (gamma + 1));
        // a batch that meets the limit exactly counts in spite of rounding
        return (long) Math.floor(batch * (1 + 4 * Math.ulp(1.0)));
    }

    private static double cost(double c) {
        if (!(c >= 0) || Double.isInfinite(c)) {
            throw new IllegalArgumentException("relative cost of a draft pass must be finite and at least 0: " + c);
        }
        return c;
    }
}
