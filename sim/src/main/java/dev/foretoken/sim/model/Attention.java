package dev.foretoken.sim.model;

/**
 * Softmax attention of a layer.
 *
 * @param heads query heads
 * @param kvHeads key and value heads; divides heads
 * @param headDim values per head
 * @param outputGate true when the query projection also yields a gate of the same size (Qwen3.5 and later)
 * @param slidingLayers layers that see a window only
 * @param slidingWindow the window, tokens; 0 when no layer has one
 */
public record Attention(int heads, int kvHeads, int headDim, boolean outputGate, int slidingLayers, int slidingWindow) {
    public Attention {
        if (heads < 1 || kvHeads < 1 || heads % kvHeads != 0) {
            throw new IllegalArgumentException("query heads " + heads + " must be a multiple of KV heads " + kvHeads);
        }
        if (headDim < 1) {
            throw new IllegalArgumentException("head_dim must be positive: " + headDim);
        }
        if (slidingLayers < 0 || slidingWindow < 0 || (slidingLayers > 0) != (slidingWindow > 0)) {
            throw new IllegalArgumentException("sliding layers need a window and a window needs layers: "
                    + slidingLayers + " layers, window " + slidingWindow);
        }
    }

    /** KV heads that one card holds: KV is replicated above the number of KV heads. */
    public int kvHeadsPerCard(int tp) {
        return Math.max(1, Sizes.perRank(kvHeads, tp));
    }

    /** Bytes that one token adds to the cache of one layer on one card. */
    public long kvBytesPerTokenPerLayer(Dtype kvCache, int tp) {
        return kvCache.bytes(2L * kvHeadsPerCard(tp) * headDim);
    }

    /** Output features of the fused query, key and value projection on one rank. */
    public int qkvFeatures(int tp) {
        int queries = Sizes.perRank(heads, tp) * headDim;
        return (outputGate ? 2 : 1) * queries + 2 * kvHeadsPerCard(tp) * headDim;
    }
}
