package dev.foretoken.validation.client;

/** Part of a run that a request belongs to. */
public enum Phase {
    /** Sent first and discarded: compilation, caches, filling of the batch. */
    WARMUP,
    /** Counts. */
    MEASURED,
    /** Keeps the load up until the last measured request is complete; discarded. */
    COOLDOWN
}
