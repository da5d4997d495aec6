package dev.foretoken.sim.model;

/**
 * Gated delta net layer (GDN): a recurrent state of valueHeads x keyHeadDim x valueHeadDim per sequence and layer, and a short
 * causal convolution over queries, keys and values.
 *
 * @param keyHeads query and key heads
 * @param keyHeadDim values per key head
 * @param valueHeads value heads
 * @param valueHeadDim values per value head
 * @param convKernel taps of the convolution; kernel - 1 inputs are kept per channel
 */
public record LinearAttention(int keyHeads, int keyHeadDim, int valueHeads, int valueHeadDim, int convKernel) {
    public LinearAttention {
        Sizes.positive("linear key heads", keyHeads);
        Sizes.positive("linear key head_dim", keyHeadDim);
        Sizes.positive("linear value heads", valueHeads);
        Sizes.positive("linear value head_dim", valueHeadDim);
        Sizes.positive("convolution kernel", convKernel);
    }

    /** Values of the recurrent state of one sequence in one layer on one card. */
    public long stateValues(int tp) {
        return (long) Sizes.perRank(valueHeads, tp) * keyHeadDim * valueHeadDim;
    }

    /** Values of the convolution state of one sequence in one layer on one card. */
    public long convValues(int tp) {
        long channels =
                2L * Sizes.perRank(keyHeads, tp) * keyHeadDim + (long) Sizes.perRank(valueHeads, tp) * valueHeadDim;
        return channels * (convKernel - 1);
    }

    /** Output features of the fused projection of queries, keys, values and gate on one rank. */
    public int inputFeatures(int tp) {
        return 2 * Sizes.perRank(keyHeads, tp) * keyHeadDim + 2 * Sizes.perRank(valueHeads, tp) * valueHeadDim;
    }
}
