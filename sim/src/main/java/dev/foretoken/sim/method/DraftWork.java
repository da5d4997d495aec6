package dev.foretoken.sim.method;

/**
 * What an arm's drafter does in one round, for round time and memory.
 *
 * @param kind how the draft is made
 * @param passes sequential passes of the drafter
 * @param tokensPerPass query tokens per request in one pass
 * @param treeNodes nodes that the host builds, masks and walks per request; 0 = no tree
 * @param treePath the engine's tree path runs (mask, walk, compaction), whether or not it branches
 */
public record DraftWork(Kind kind, int passes, int tokensPerPass, int treeNodes, boolean treePath) {
    /** No draft at all. */
    public static final DraftWork NONE = new DraftWork(Kind.NONE, 0, 0, 0, false);

    /** How drafts are made. */
    public enum Kind {
        /** No draft. */
        NONE,
        /** The target's own multi-token-prediction head, pass by pass. */
        MTP_HEAD,
        /** One pass of a block-diffusion drafter. */
        BLOCK,
        /** A small autoregressive head on the target's hidden states, pass by pass. */
        HEAD,
        /** A separate small model, pass by pass. */
        MODEL,
        /** Host lookup, no GPU work. */
        LOOKUP
    }

    public DraftWork {
        if (passes < 0 || tokensPerPass < 0 || treeNodes < 0) {
            throw new IllegalArgumentException("draft work must not be negative: " + passes + " passes, "
                    + tokensPerPass + " tokens, " + treeNodes + " nodes");
        }
    }
}
