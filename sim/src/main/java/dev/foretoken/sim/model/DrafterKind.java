package dev.foretoken.sim.model;

/** How a drafter drafts. */
public enum DrafterKind {
    /** Block diffusion: all positions of a block in one pass. */
    DFLASH,
    /** One layer over the target's features, one pass per step (EAGLE-3). */
    EAGLE3,
    /** The target's own multi-token-prediction head, one pass per step. */
    MTP,
    /** A small language model of its own, one pass per step. */
    DRAFT_MODEL,
    /** A causal head over the target's features that continues off the spine as well as on it. */
    CAUSAL_HEAD
}
