package dev.foretoken.sim.model;

/** Parts of a model that are stored, and quantised, alike. */
public enum Part {
    ATTENTION,
    LINEAR_ATTENTION,
    MLP,
    EXPERT,
    SHARED_EXPERT,
    ROUTER,
    DRAFT_INPUT,
    LM_HEAD,
    EMBEDDING;

    /**
     * The format in which the part is stored when the weights of the model are said to be of a format. Quantised checkpoints
     * keep router, lm_head and embedding at 16 bits; MXFP4 checkpoints (gpt-oss) quantise the experts only.
     */
    public Dtype storedAs(Dtype weights) {
        if (!weights.quantised()) {
            return weights;
        }
        boolean kept = switch (this) {
            case ROUTER, LM_HEAD, EMBEDDING -> true;
            case EXPERT -> false;
            default -> weights == Dtype.MXFP4;
        };
        return kept ? Dtype.BF16 : weights;
    }
}
