package dev.foretoken.sim.profile;

/** Operations whose timings a profile may hold: names as files write them, with the axis and dimensions of their curves. */
public final class Op {
    /** Dense matrix product along rows; shape n, k. */
    public static final String GEMM = "gemm";
    /** One new query token per sequence along KV tokens; shape batch, heads, kv_heads, head_dim, window (0 = none). */
    public static final String ATTENTION_GENERATION = "attention_generation";
    /** Causal attention over a whole prompt along its tokens; shape as for generation. */
    public static final String ATTENTION_CONTEXT = "attention_context";
    /**
     * Gated-delta-rule recurrence, one token per sequence, along sequences; shape k_heads, v_heads, head_dim.
     */
    public static final String GDN_STEP = "gdn_step";
    /** Gated-delta-rule chunk kernel along tokens per sequence; shape batch, k_heads, v_heads, head_dim. */
    public static final String GDN_CHUNK = "gdn_chunk";
    /** Causal convolution of a gated-delta layer, one token per sequence, along sequences; shape as for gdn_step. */
    public static final String CONV_STEP = "conv_step";
    /** The same over several tokens, along tokens per sequence; shape as for gdn_chunk. */
    public static final String CONV_CHUNK = "conv_chunk";
    /**
     * Routed experts of one mixture layer on one card along tokens; shape hidden, intermediate, experts, top_k, tp; balanced
     * routing.
     */
    public static final String MOE = "moe";
    /** Sum over ranks along elements of two bytes; shape ranks. */
    public static final String ALL_REDUCE = "all_reduce";
    /** Concatenation over ranks along elements of two bytes of the gathered whole; shape ranks. */
    public static final String ALL_GATHER = "all_gather";
    /** A server's own decode round along rows, in microseconds too; shape tp, context. */
    public static final String ROUND = "round";

    private Op() {}
}
