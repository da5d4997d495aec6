package dev.foretoken.sim.formula;

/**
 * A decode step as a roofline: weights read once, or arithmetic, whichever is slower; then the KV cache, two ring all-reduces
 * per layer and a constant.
 *
 * @param params parameters read per step
 * @param bytesPerParam bytes of one parameter
 * @param bandwidth memory bandwidth of a card, bytes/s
 * @param peakFlops peak arithmetic of a card, flop/s
 * @param layers layers of the model
 * @param hidden hidden size
 * @param allReduceBandwidth link bandwidth, bytes/s
 * @param allReduceLatency latency of one hop, s
 * @param overhead constant per step, s
 */
public record Roofline(
        double params,
        double bytesPerParam,
        double bandwidth,
        double peakFlops,
        int layers,
        int hidden,
        double allReduceBandwidth,
        double allReduceLatency,
        double overhead) {
    /** Bytes of one activation (bf16). */
    private static final double ACTIVATION_BYTES = 2;

    public Roofline {
        Queues.positive(params, "parameters");
        Queues.positive(bytesPerParam, "bytes per parameter");
        Queues.positive(bandwidth, "bandwidth");
        Queues.positive(peakFlops, "peak flops");
    }

    /**
     * Seconds of a step over m tokens on tp cards.
     *
     * @param tokens rows of the step
     * @param tp cards
     * @param kvBytes KV bytes read over all cards
     */
    public double seconds(double tokens, int tp, double kvBytes) {
        if (tp < 1) {
            throw new IllegalArgumentException("tp must be at least 1: " + tp);
        }
        double weights = params * bytesPerParam / tp / bandwidth;
        double arithmetic = 2 * params * tokens / tp / peakFlops;
        double kv = kvBytes / tp / bandwidth;
        return Math.max(weights, arithmetic) + kv + 2 * layers * ringAllReduce(tokens, tp) + overhead;
    }

    /** One ring all-reduce of the hidden states: 2 (n - 1) latency + 2 (n - 1)/n bytes/bandwidth. */
    private double ringAllReduce(double tokens, int tp) {
        if (tp == 1) {
            return 0;
        }
        double bytes = tokens * hidden * ACTIVATION_BYTES;
        return 2.0 * (tp - 1) * allReduceLatency + 2.0 * (tp - 1) / tp * bytes / allReduceBandwidth;
    }

    /** Rows at which arithmetic takes as long as reading the weights: peak x bytes per parameter/(2 bandwidth). */
    public static double saturationTokens(double peakFlops, double bandwidth, double bytesPerParam) {
        return Queues.positive(peakFlops, "peak flops") * bytesPerParam / (2 * Queues.positive(bandwidth, "bandwidth"));
    }
}
