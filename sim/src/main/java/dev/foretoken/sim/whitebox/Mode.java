package dev.foretoken.sim.whitebox;

/** What the terms of a round stand for. */
public enum Mode {
    /** What a server sees: weights, KV and states come from DRAM, and every kernel and host step of the round counts. */
    SERVING,
    /**
     * Sums of table entries: weights, attention at one query token, recurrent kernels, lm_head, two all-reduces per layer.
     * For checking sums against the tables.
     */
    TABLE
}
