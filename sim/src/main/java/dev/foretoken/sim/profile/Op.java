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
     * Several query tokens per sequence under a tree mask along KV tokens; shape tokens (query tokens per sequence), batch,
     * heads, kv_heads, head_dim.
     */
    public static final String ATTENTION_VERIFY = "attention_verify";
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
    /** RMS norm along tokens; shape hidden. */
    public static final String RMS_NORM = "rms_norm";
    /** Gated SiLU along tokens; shape intermediate. */
    public static final String SILU_MUL = "silu_mul";
    /** Softmax statistics and the k largest logits along rows; shape vocab, k. */
    public static final String TOP_K = "top_k";
    /** Compaction of the accepted path along sequences; shape accepted, layers, kv_heads, head_dim. */
    public static final String GATHER_KV = "gather_kv";
    /** Best-first tree on the host along budget; shape depth, top_k, batch. */
    public static final String TREE_BUILD = "tree_build";
    /** Launch to end of a graph of empty nodes along nodes; no shape. */
    public static final String GRAPH_REPLAY = "graph_replay";
    /** Device to host and back to the caller along bytes; no shape. */
    public static final String DEVICE_TO_HOST = "device_to_host";
    /** One pass of a block drafter along sequences; shape block, layers, hidden, context. */
    public static final String DRAFT_BLOCK = "draft_block";
    /** Stream read of memory along bytes; no shape. */
    public static final String DRAM_READ = "dram_read";
    /** A server's own decode round along rows, in microseconds too; shape tp, context. */
    public static final String ROUND = "round";
    /** What a server's speculative round takes beyond its autoregressive round of as many rows; one knot, no shape. */
    public static final String ROUND_OVERHEAD = "round_overhead";
    /** A server's own prefill, microseconds per prompt token; one knot at 1 token, no shape. */
    public static final String PREFILL = "prefill";

    private Op() {}
}
