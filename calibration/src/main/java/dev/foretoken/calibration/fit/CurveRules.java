package dev.foretoken.calibration.fit;

import dev.foretoken.calibration.fit.Placement.Series;
import dev.foretoken.formats.timings.TimingPoint;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Shape;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** From operations of the timing tool to curves of a profile; a new operation is one entry. */
final class CurveRules {
    private static final Map<String, Function<TimingPoint, Placement>> RULES = new LinkedHashMap<>();

    static {
        RULES.put(
                "gemm",
                p -> place(
                        p,
                        Op.GEMM,
                        dtype(p, "b"),
                        "rows",
                        Shape.gemm(dim(p, "n"), dim(p, "k")),
                        p.params().get("m")));
        RULES.put("attn_verify", CurveRules::attention);
        RULES.put("gdn_verify", CurveRules::gatedDelta);
        RULES.put("conv1d_update", CurveRules::convolution);
        RULES.put(
                "rmsnorm",
                p -> place(
                        p,
                        Op.RMS_NORM,
                        dtype(p, "a"),
                        "tokens",
                        shape(p, "hidden"),
                        p.params().get("tokens")));
        RULES.put(
                "silu_mul",
                p -> place(
                        p,
                        Op.SILU_MUL,
                        dtype(p, "a"),
                        "tokens",
                        shape(p, "intermediate"),
                        p.params().get("tokens")));
        RULES.put(
                "lm_head_topk",
                p -> place(
                        p,
                        Op.TOP_K,
                        dtype(p, "a"),
                        "sequences",
                        shape(p, "vocab", "k"),
                        p.params().get("rows")));
        RULES.put(
                "gather_kv",
                p -> place(
                        p,
                        Op.GATHER_KV,
                        dtype(p, "kv"),
                        "sequences",
                        shape(p, "accepted", "layers")
                                .and("kv_heads", dim(p, "hkv"))
                                .and("head_dim", dim(p, "head_dim")),
                        p.params().get("batch")));
        RULES.put(
                "tree_build",
                p -> place(
                        p,
                        Op.TREE_BUILD,
                        dtype(p, "a"),
                        "budget",
                        shape(p, "depth", "top_k", "batch"),
                        p.params().get("budget")));
        RULES.put(
                "graph_replay",
                p -> place(
                        p,
                        Op.GRAPH_REPLAY,
                        "none",
                        "nodes",
                        Shape.NONE,
                        p.params().get("nodes")));
        RULES.put(
                "d2h",
                p -> place(
                        p,
                        Op.DEVICE_TO_HOST,
                        "none",
                        "bytes",
                        Shape.NONE,
                        p.params().get("bytes")));
        RULES.put(
                "dram_read",
                p -> place(
                        p, Op.DRAM_READ, "none", "bytes", Shape.NONE, p.params().get("bytes")));
        RULES.put(
                "draft_block",
                p -> place(
                        p,
                        Op.DRAFT_BLOCK,
                        dtype(p, "b"),
                        "sequences",
                        shape(p, "block", "layers", "hidden").and("context", dim(p, "kv_len")),
                        p.params().get("batch")));
        RULES.put("all_reduce", p -> collective(p, Op.ALL_REDUCE));
        RULES.put("all_gather", p -> collective(p, Op.ALL_GATHER));
        RULES.put(
                "decode_round",
                p -> place(
                        p,
                        Op.ROUND,
                        dtype(p, "b"),
                        "rows",
                        Shape.of("tp", dim(p, "tp")).and("context", dim(p, "context")),
                        p.params().get("rows")));
    }

    private CurveRules() {}

    /** The curve of a point; empty where profiles have none for its operation. */
    static Optional<Placement> place(TimingPoint p) {
        Function<TimingPoint, Placement> rule = RULES.get(p.op());
        return rule == null ? Optional.empty() : Optional.of(rule.apply(p));
    }

    private static Placement attention(TimingPoint p) {
        Shape heads = Shape.of("batch", dim(p, "batch"))
                .and("heads", dim(p, "hq"))
                .and("kv_heads", dim(p, "hkv"))
                .and("head_dim", dim(p, "head_dim"));
        if (dim(p, "m") == 1) {
            return place(
                    p, Op.ATTENTION_GENERATION, dtype(p, "kv"), "kv_tokens", heads.and("window", 0), p.param("kv_len"));
        }
        Shape verify = Shape.of("tokens", dim(p, "m"));
        for (Map.Entry<String, Integer> d : heads.dims().entrySet()) {
            verify = verify.and(d.getKey(), d.getValue());
        }
        return place(p, Op.ATTENTION_VERIFY, dtype(p, "kv"), "kv_tokens", verify, p.param("kv_len"));
    }

    private static Placement gatedDelta(TimingPoint p) {
        Shape heads =
                Shape.of("k_heads", dim(p, "hk")).and("v_heads", dim(p, "hv")).and("head_dim", dim(p, "dk"));
        if (dim(p, "m") == 1 && "final_state".equals(p.variant())) {
            return place(p, Op.GDN_STEP, dtype(p, "a"), "sequences", heads, p.param("batch"));
        }
        return place(p, Op.GDN_CHUNK, dtype(p, "a"), "tokens", withBatch(p, heads), p.param("m"));
    }

    private static Placement convolution(TimingPoint p) {
        Shape heads =
                Shape.of("k_heads", dim(p, "hk")).and("v_heads", dim(p, "hv")).and("head_dim", dim(p, "dk"));
        return dim(p, "m") == 1
                ? place(p, Op.CONV_STEP, dtype(p, "a"), "sequences", heads, p.param("batch"))
                : place(p, Op.CONV_CHUNK, dtype(p, "a"), "tokens", withBatch(p, heads), p.param("m"));
    }

    private static Shape withBatch(TimingPoint p, Shape heads) {
        Shape shape = Shape.of("batch", dim(p, "batch"));
        for (Map.Entry<String, Integer> d : heads.dims().entrySet()) {
            shape = shape.and(d.getKey(), d.getValue());
        }
        return shape;
    }

    private static Placement collective(TimingPoint p, String op) {
        return place(p, op, dtype(p, "a"), "elements", shape(p, "ranks"), p.param("bytes") / 2);
    }

    private static Placement place(TimingPoint p, String op, String dtype, String axis, Shape shape, Long at) {
        if (at == null) {
            throw new IllegalArgumentException(p.id() + ": no parameter for the axis " + axis);
        }
        String kernel = p.variant() == null ? p.impl() : p.impl() + "-" + p.variant();
        return new Placement(new Series(op, dtype, kernel, axis, shape), at);
    }

    private static Shape shape(TimingPoint p, String... names) {
        Shape s = Shape.NONE;
        for (String name : names) {
            s = s.and(name, dim(p, name));
        }
        return s;
    }

    private static int dim(TimingPoint p, String name) {
        Long v = p.param(name);
        if (v == null || v < 0 || v > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(p.id() + ": parameter " + name + " is missing or out of range: " + v);
        }
        return v.intValue();
    }

    private static String dtype(TimingPoint p, String operand) {
        String d = p.dtype() == null ? null : p.dtype().get(operand);
        if (d == null) {
            throw new IllegalArgumentException(p.id() + ": no dtype of operand " + operand);
        }
        return d;
    }
}
