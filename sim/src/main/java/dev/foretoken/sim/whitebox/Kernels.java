package dev.foretoken.sim.whitebox;

import dev.foretoken.sim.hardware.Gpu;
import dev.foretoken.sim.hardware.LinkCurve;
import dev.foretoken.sim.hardware.LinkCurve.Operation;
import dev.foretoken.sim.hardware.LinkProfile;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.model.LinearAttention;
import dev.foretoken.sim.model.Moe;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.GemmGrid;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Kernel times of one card under one engine: what a profile and a link profile say, and estimates where they say nothing.
 * Families are read when first used, interpolated curves are kept. Safe to share between threads.
 */
public final class Kernels {
    private static final double WARM_WEIGHT_BYTES = 200e6;
    private static final double DRAM_SHARE = 0.92;
    private static final double DEFAULT_L2_BYTES = 50e6;
    /** Share of an all-reduce that a gather of the same bytes takes; NCCL's on the fast PCIe pair is 0.58. */
    private static final double GATHER_SHARE = 0.58;

    private static final String FP8_BLOCKS = "fp8_block";
    /** GPU time of an empty node of a CUDA graph, microseconds: RTX 5070 Ti Laptop (ocannl issue 488), a stand-in. */
    private static final double GRAPH_NODE_US = 0.57;

    private final Gpu gpu;
    private final Profile profile;
    private final LinkProfile link;
    private final Boolean customAllReduce;
    private final AttentionBackend backend;
    private final Mode mode;
    private final double computeShare;
    private final String powerNote;
    private final double l2Bytes;

    private final Map<String, GemmGrid> grids = new ConcurrentHashMap<>();
    private final Map<String, Double> peaks = new ConcurrentHashMap<>();
    private final Map<List<Object>, Estimate<?>> cache = new ConcurrentHashMap<>();
    private final Map<List<Object>, ModelPass> passes = new ConcurrentHashMap<>();
    private volatile double streamBytesPerUs;

    /**
     * A figure with where it comes from.
     *
     * @param value the figure
     * @param measured false when the profile has no row for it
     * @param note how it was estimated, null when it was measured as asked
     */
    record Estimate<T>(T value, boolean measured, String note) {}

    private Kernels(
            Gpu gpu,
            Profile profile,
            LinkProfile link,
            Boolean customAllReduce,
            AttentionBackend backend,
            Double powerLimitW,
            Mode mode) {
        this.gpu = gpu;
        this.profile = profile;
        this.link = link;
        this.customAllReduce = customAllReduce;
        this.backend = backend;
        this.mode = mode;
        this.l2Bytes = gpu.l2Bytes() == null ? DEFAULT_L2_BYTES : gpu.l2Bytes();
        double share = 1;
        String note = null;
        if (powerLimitW != null && gpu.powerLimitW() != null && powerLimitW < gpu.powerLimitW()) {
            if (gpu.computeShareAt(powerLimitW).isPresent()) {
                share = gpu.computeShareAt(powerLimitW).getAsDouble();
                note = String.format(
                        Locale.ROOT,
                        "The power limit of %.0f W leaves %.0f %% of the tensor throughput at %.0f W: it moves the compute"
                                + " knee, not DRAM.",
                        powerLimitW,
                        100 * share,
                        gpu.powerLimitW());
            } else {
                note = "The power limit of " + powerLimitW + " W is left out: no throughput of " + gpu.id()
                        + " was measured at other limits.";
            }
        }
        this.computeShare = share;
        this.powerNote = note;
    }

    /**
     * Kernel times.
     *
     * @param gpu the card
     * @param profile timings of that card
     * @param link how the cards of a replica talk; null when replicas have one card
     * @param customAllReduce engine's own all-reduce; null = where the link profile has it
     * @param backend attention backend; null = the one the profile has for the shape
     * @param powerLimitW power cap, W; null = the card's default
     * @throws IllegalArgumentException when the profile is another card's
     */
    public static Kernels of(
            Gpu gpu,
            Profile profile,
            LinkProfile link,
            Boolean customAllReduce,
            AttentionBackend backend,
            Double powerLimitW,
            Mode mode) {
        if (!profile.card().equals(gpu.id())) {
            throw new IllegalArgumentException(
                    "the profile " + profile.id() + " holds timings of " + profile.card() + ", not of " + gpu.id());
        }
        return new Kernels(gpu, profile, link, customAllReduce, backend, powerLimitW, mode);
    }

    Gpu gpu() {
        return gpu;
    }

    Profile profile() {
        return profile;
    }

    Mode mode() {
        return mode;
    }

    boolean serving() {
        return mode == Mode.SERVING;
    }

    Optional<String> powerNote() {
        return Optional.ofNullable(powerNote);
    }

    double computeShare() {
        return computeShare;
    }

    ModelPass pass(List<Object> key, Function<Kernels, ModelPass> maker) {
        ModelPass p = passes.get(key);
        if (p == null) {
            p = maker.apply(this);
            passes.put(key, p);
        }
        return p;
    }

    // ---- DRAM ----

    /**
     * Bandwidth at which large bf16 weights stream at few rows, the median over shapes and rows, bytes per microsecond; a share
     * of the card's peak where unknown.
     */
    double streamBytesPerUs() {
        double s = streamBytesPerUs;
        if (s == 0) {
            s = 0;
            List<CurveFamily> bf16 = profile.families(Op.GEMM, "bf16");
            if (!bf16.isEmpty()) {
                List<Double> rates = new ArrayList<>();
                for (Curve c : grid("bf16").curves()) {
                    double bytes = 2.0 * c.shape().get("n") * c.shape().get("k");
                    for (int i = 0; i < c.size() && bytes >= WARM_WEIGHT_BYTES && c.at(i) <= 16; i++) {
                        rates.add(bytes / c.medianUs(i));
                    }
                }
                rates.sort(null);
                s = rates.isEmpty() ? 0 : rates.get(rates.size() / 2);
            }
            s = s > 0 ? Math.min(s, gpu.dramBytesPerS() / 1e6) : DRAM_SHARE * gpu.dramBytesPerS() / 1e6;
            streamBytesPerUs = s;
        }
        return s;
    }

    /** GPU time of a graph node that does next to nothing, microseconds. */
    double graphNodeUs() {
        return gpu.launch() == null || gpu.launch().graphNodeUs() == null
                ? GRAPH_NODE_US
                : gpu.launch().graphNodeUs();
    }

    Elementwise elementwise() {
        return new Elementwise(l2Bytes, streamBytesPerUs());
    }

    // ---- matrix products ----

    /** Names that a dtype's curves may have, the preferred one first. */
    static List<String> names(Dtype dtype) {
        return switch (dtype) {
            case BF16, FP16, FP32 -> List.of("bf16");
            case FP8 -> List.of("fp8", FP8_BLOCKS);
            case NVFP4 -> List.of("nvfp4");
            case MXFP4 -> List.of("mxfp4", "mxfp4_mxfp8");
            case INT4 -> List.of("int4");
        };
    }

    private GemmGrid grid(String dtype) {
        return grids.computeIfAbsent(dtype, d -> {
            List<CurveFamily> families = profile.families(Op.GEMM, d);
            return serving() ? GemmGrid.undisturbed(families) : GemmGrid.of(families, null);
        });
    }

    private double peakFlopsPerUs(String dtype) {
        return peaks.computeIfAbsent(dtype, d -> {
            double best = 0;
            for (Curve c : grid(d).curves()) {
                double flopsPerRow = 2.0 * c.shape().get("n") * c.shape().get("k");
                for (int i = 0; i < c.size(); i++) {
                    best = Math.max(best, flopsPerRow * c.at(i) / c.medianUs(i));
                }
            }
            return best;
        });
    }

    private boolean has(Dtype dtype) {
        return names(dtype).stream().anyMatch(n -> !profile.families(Op.GEMM, n).isEmpty());
    }

    /**
     * The name of the curves that time a dtype's products.
     *
     * @param fp8Blocks prefer fp8 with scales per block of 128 x 128 where the profile has it
     */
    String gemmName(Dtype dtype, boolean fp8Blocks) {
        if (fp8Blocks
                && dtype == Dtype.FP8
                && !profile.families(Op.GEMM, FP8_BLOCKS).isEmpty()) {
            return FP8_BLOCKS;
        }
        for (String name : names(dtype)) {
            if (!profile.families(Op.GEMM, name).isEmpty()) {
                return name;
            }
        }
        throw new IllegalArgumentException("the profile " + profile.id() + " has no matrix products of "
                + dtype.id() + "; it has "
                + profile.families(Op.GEMM).stream()
                        .map(CurveFamily::dtype)
                        .distinct()
                        .toList());
    }

    /**
     * Time of a matrix product along rows. Serving: weights come from DRAM (small ones stay in the L2 cache between repeats
     * of a microbenchmark, between the layers of a model they do not), and a power cap lowers the compute ceiling.
     */
    Curve gemm(String name, double bytesPerWeight, int n, int k) {
        GemmGrid grid = grid(name);
        Curve c = grid.curve(n, k);
        if (mode == Mode.TABLE) {
            return c;
        }
        double floor = bytesPerWeight * n * k / streamBytesPerUs();
        double flopsPerRow = 2.0 * n * k;
        double ceiling = computeShare < 1 ? peakFlopsPerUs(name) * computeShare : Double.POSITIVE_INFINITY;
        double[] at = new double[c.size()];
        double[] us = new double[c.size()];
        for (int i = 0; i < at.length; i++) {
            at[i] = c.at(i);
            us[i] = Math.max(Math.max(c.medianUs(i), floor), flopsPerRow * at[i] / ceiling);
        }
        return Curve.of(c.shape(), at, us, c.stairs());
    }

    /** True when a product lies outside the measured shapes. */
    boolean gemmOutside(String name, int n, int k) {
        return grid(name).outside(n, k);
    }

    // ---- attention ----

    private static String kvName(Dtype kv) {
        return kv == Dtype.FP8 ? "fp8" : "bf16";
    }

    /** Curves of a shape by batch in the family that serves it. */
    private record Batches(TreeMap<Integer, Curve> byBatch, AttentionBackend backend, Shape shape) {}

    private Batches batches(String op, String dtype, Function<Shape, Boolean> fits, AttentionBackend wanted) {
        Batches best = null;
        int bestKnots = 0;
        for (CurveFamily f : profile.families(op, dtype)) {
            AttentionBackend b = AttentionBackend.ofKernel(f.kernel());
            TreeMap<Integer, Curve> byBatch = new TreeMap<>();
            Shape shape = null;
            int knots = 0;
            for (Curve c : f.curves()) {
                if (fits.apply(c.shape())) {
                    byBatch.put(c.shape().get("batch"), c);
                    shape = c.shape().without("batch");
                    knots += c.size();
                }
            }
            if (byBatch.isEmpty()) {
                continue;
            }
            boolean better = best == null
                    || (b == wanted && best.backend != wanted)
                    || ((b == wanted) == (best.backend == wanted) && knots > bestKnots);
            if (better) {
                best = new Batches(byBatch, b, shape);
                bestKnots = knots;
            }
        }
        return best;
    }

    /** Attention of one layer shape with its backend. */
    record AttentionTimes(DecodeAttention decode, ContextAttention context, AttentionBackend backend) {}

    /** Attention times of a shape on one card. */
    @SuppressWarnings("unchecked")
    Estimate<AttentionTimes> attention(int heads, int kvHeads, int headDim, int window, Dtype kv) {
        List<Object> key = List.of("attention", heads, kvHeads, headDim, window, kvName(kv));
        Estimate<?> e = cache.get(key);
        if (e == null) {
            e = makeAttention(heads, kvHeads, headDim, window, kv);
            cache.put(key, e);
        }
        return (Estimate<AttentionTimes>) e;
    }

    private Estimate<AttentionTimes> makeAttention(int heads, int kvHeads, int headDim, int window, Dtype kv) {
        String dtype = kvName(kv);
        double bytesPerToken = kv.bytes() * 2 * kvHeads * headDim;
        Function<Shape, Boolean> exact = s -> s.get("heads") == heads
                && s.get("kv_heads") == kvHeads
                && s.get("head_dim") == headDim
                && s.get("window") == window;
        boolean measured = true;
        String note = null;
        Batches found = batches(Op.ATTENTION_GENERATION, dtype, exact, backend);
        if (found == null) {
            found = nearest(Op.ATTENTION_GENERATION, dtype, heads, kvHeads, headDim, window);
            measured = false;
        }
        double scale = 1;
        if (!measured && found != null) {
            scale = scaleTo(found.shape, kvHeads, headDim);
            note = "Attention of " + heads + " query and " + kvHeads + " KV heads of " + headDim
                    + " is not in the profile: that of " + found.shape + " was scaled by KV bytes.";
        }
        AttentionBackend used = found == null ? backend : found.backend;
        if (backend != null && found != null && found.backend != backend) {
            note = "The profile has no " + backend.id() + " rows for this attention shape: "
                    + (found.backend == null ? "another kernel" : found.backend.id())
                    + " rows time decoding, verification follows " + backend.id() + ".";
            used = backend;
        }
        TreeMap<Integer, Curve> decode;
        double bandwidth;
        if (found == null) {
            note =
                    "Attention of this shape is not in the profile: KV bytes at DRAM speed and 8 us per launch were taken.";
            bandwidth = streamBytesPerUs();
            decode = roofline(bytesPerToken, bandwidth);
        } else {
            decode = found.byBatch;
            bandwidth = DecodeAttention.bandwidth(decode, bytesPerToken / scale, 2 * l2Bytes);
            if (Double.isNaN(bandwidth)) {
                bandwidth = streamBytesPerUs();
            }
        }
        DecodeAttention d = new DecodeAttention(decode, scale, bytesPerToken, bandwidth);
        ContextAttention c = makeContext(heads, kvHeads, headDim, window, dtype, used);
        return new Estimate<>(new AttentionTimes(d, c, used), found != null && measured, note);
    }

    private ContextAttention makeContext(
            int heads, int kvHeads, int headDim, int window, String dtype, AttentionBackend used) {
        Function<Shape, Boolean> exact = s -> s.get("heads") == heads
                && s.get("kv_heads") == kvHeads
                && s.get("head_dim") == headDim
                && s.get("window") == window;
        Batches found = batches(Op.ATTENTION_CONTEXT, dtype, exact, used);
        double scale = 1;
        if (found == null || found.byBatch.firstKey() != 1) {
            found = nearest(Op.ATTENTION_CONTEXT, dtype, heads, kvHeads, headDim, window);
            if (found != null) {
                scale = (double) heads * headDim / (found.shape.get("heads") * found.shape.get("head_dim"));
            }
        }
        if (found == null || found.byBatch.firstKey() != 1) {
            double peak = 0.5 * peakFlopsPerUs("bf16");
            double[] at = new double[15];
            double[] us = new double[15];
            for (int i = 0; i < at.length; i++) {
                at[i] = 1 << i;
                us[i] = 8 + 2.0 * heads * headDim * at[i] * at[i] / peak;
            }
            TreeMap<Integer, Curve> byBatch = new TreeMap<>();
            byBatch.put(1, Curve.of(Shape.of("batch", 1), at, us, new double[0]));
            return ContextAttention.of(byBatch, 1 / computeShare, heads, headDim);
        }
        int foundHeads = found.shape.get("heads");
        int foundDim = found.shape.get("head_dim");
        return ContextAttention.of(found.byBatch, scale / computeShare, foundHeads, foundDim);
    }

    private static double scaleTo(Shape shape, int kvHeads, int headDim) {
        return (double) kvHeads * headDim / (shape.get("kv_heads") * shape.get("head_dim"));
    }

    /** The measured shape whose KV bytes and query values are nearest, same window; null when there is none. */
    private Batches nearest(String op, String dtype, int heads, int kvHeads, int headDim, int window) {
        Shape best = null;
        double bestDistance = Double.POSITIVE_INFINITY;
        for (CurveFamily f : profile.families(op, dtype)) {
            for (Curve c : f.curves()) {
                Shape s = c.shape();
                if (s.get("window") != window || s.get("batch") != 1) {
                    continue;
                }
                double distance = Math.abs(Math.log(scaleTo(s, kvHeads, headDim)))
                        + 0.5 * Math.abs(Math.log((double) heads * headDim / (s.get("heads") * s.get("head_dim"))))
                        + (s.get("head_dim") == headDim ? 0 : 0.1);
                if (distance < bestDistance) {
                    bestDistance = distance;
                    best = s.without("batch");
                }
            }
        }
        if (best == null) {
            return null;
        }
        Shape nearest = best;
        return batches(op, dtype, s -> s.without("batch").equals(nearest), backend);
    }

    private static TreeMap<Integer, Curve> roofline(double bytesPerToken, double bytesPerUs) {
        TreeMap<Integer, Curve> byBatch = new TreeMap<>();
        for (int b = 1; b <= 1024; b *= 2) {
            double end = 131072;
            double[] at = {1, end};
            double[] us = {8 + b * bytesPerToken / bytesPerUs, 8 + b * end * bytesPerToken / bytesPerUs};
            byBatch.put(b, Curve.of(Shape.of("batch", b), at, us, new double[0]));
        }
        return byBatch;
    }

    // ---- recurrent layers ----

    /** Gated-delta layers on one card. */
    @SuppressWarnings("unchecked")
    Estimate<RecurrentLayers> recurrent(LinearAttention linear, int tp, Dtype state) {
        List<Object> key = List.of("recurrent", linear, tp, state);
        Estimate<?> e = cache.get(key);
        if (e == null) {
            e = makeRecurrent(linear, tp, state);
            cache.put(key, e);
        }
        return (Estimate<RecurrentLayers>) e;
    }

    private Estimate<RecurrentLayers> makeRecurrent(LinearAttention linear, int tp, Dtype state) {
        int kHeads = Math.max(1, linear.keyHeads() / tp);
        int vHeads = Math.max(1, linear.valueHeads() / tp);
        Shape heads = Shape.of("k_heads", kHeads).and("v_heads", vHeads).and("head_dim", linear.valueHeadDim());
        double stateBytes = state.bytes() * linear.stateValues(tp);
        Curve step = find(Op.GDN_STEP, heads);
        TreeMap<Integer, Curve> chunk = byBatch(Op.GDN_CHUNK, heads);
        double bandwidth = streamBytesPerUs();
        if (step != null && state == Dtype.FP32) {
            List<Double> cold = new ArrayList<>();
            for (int i = 0; i < step.size(); i++) {
                double bytes = 2 * stateBytes * step.at(i);
                if (bytes > 2 * l2Bytes) {
                    cold.add(bytes / step.medianUs(i));
                }
            }
            if (!cold.isEmpty()) {
                cold.sort(null);
                bandwidth = Math.min(bandwidth, cold.get(cold.size() - 1));
            }
        }
        boolean measured = step != null && chunk != null;
        if (measured) {
            return new Estimate<>(
                    new RecurrentLayers(
                            step,
                            find(Op.CONV_STEP, heads),
                            chunk,
                            byBatch(Op.CONV_CHUNK, heads),
                            stateBytes,
                            bandwidth),
                    true,
                    null);
        }
        Curve streamed = step;
        if (streamed == null) {
            double[] at = {1, 4096};
            double[] us = {5 + 2 * stateBytes / bandwidth, 5 + 2 * 4096 * stateBytes / bandwidth};
            streamed = Curve.of(heads, at, us, new double[0]);
        }
        if (chunk == null) {
            chunk = new TreeMap<>();
            double perToken = 6.0 * linear.stateValues(tp) / (0.1 * peakFlopsPerUs("bf16"));
            for (int b = 1; b <= 64; b *= 2) {
                double[] at = {1, 32768};
                double base = 15 + streamed.us(b);
                chunk.put(b, Curve.of(heads, at, new double[] {base, base + b * 32768 * perToken}, new double[0]));
            }
        }
        return new Estimate<>(
                new RecurrentLayers(streamed, null, chunk, null, stateBytes, bandwidth),
                false,
                "Recurrent kernels of " + kHeads + " key and " + vHeads
                        + " value heads are not in the profile: state bytes at DRAM speed and 15 us per chunk were taken.");
    }

    private Curve find(String op, Shape shape) {
        for (CurveFamily f : profile.families(op)) {
            Curve c = f.find(shape);
            if (c != null) {
                return c;
            }
        }
        return null;
    }

    private TreeMap<Integer, Curve> byBatch(String op, Shape shape) {
        TreeMap<Integer, Curve> out = new TreeMap<>();
        for (CurveFamily f : profile.families(op)) {
            for (Curve c : f.curves()) {
                if (c.shape().without("batch").equals(shape)) {
                    out.putIfAbsent(c.shape().get("batch"), c);
                }
            }
        }
        return out.isEmpty() ? null : out;
    }

    // ---- experts ----

    /** Routed experts on one card. */
    Estimate<MoeExperts> experts(Moe moe, int hidden, int tp, Dtype dtype) {
        Shape shape = Shape.of("hidden", hidden)
                .and("intermediate", moe.intermediate())
                .and("experts", moe.experts())
                .and("top_k", moe.topK())
                .and("tp", tp);
        double expertBytes = dtype.bytes() * 3.0 * hidden * Math.ceil((double) moe.intermediate() / tp);
        List<String> names = new ArrayList<>(names(dtype));
        for (String name : names) {
            for (CurveFamily f : profile.families(Op.MOE, name)) {
                Curve c = f.find(shape);
                if (c != null) {
                    return new Estimate<>(new MoeExperts(moe, c, expertBytes, streamBytesPerUs()), true, null);
                }
            }
        }
        double peak = 0.5 * peakFlopsPerUs(has(dtype) ? gemmName(dtype, false) : "bf16");
        double flopsPerRow = 6.0 * hidden * Math.ceil((double) moe.intermediate() / tp) * moe.topK();
        double[] at = {1, (double) moe.experts() / moe.topK(), 32768};
        double[] us = new double[3];
        for (int i = 0; i < 3; i++) {
            double visited = Math.min(moe.experts(), at[i] * moe.topK());
            us[i] = 20 + Math.max(visited * expertBytes / streamBytesPerUs(), flopsPerRow * at[i] / peak);
        }
        return new Estimate<>(
                new MoeExperts(moe, Curve.of(shape, at, us, new double[0]), expertBytes, streamBytesPerUs()),
                false,
                "Experts of " + shape + " in " + dtype.id()
                        + " are not in the profile: their weights at DRAM speed, half the peak throughput and 20 us per"
                        + " launch were taken.");
    }

    // ---- collectives ----

    /**
     * A collective over the ranks of a replica along bytes.
     *
     * @param captured inside a CUDA graph
     * @throws IllegalArgumentException when the link profile has no curve for these ranks
     */
    Estimate<Curve> collective(Operation operation, int ranks, boolean captured) {
        if (link == null) {
            throw new IllegalArgumentException("TP " + ranks + " needs a link profile");
        }
        List<String> order = new ArrayList<>();
        if (operation == Operation.ALL_REDUCE && !Boolean.FALSE.equals(customAllReduce)) {
            if (!captured) {
                order.add("custom-eager");
            }
            order.add("custom");
        }
        order.add("nccl");
        order.add("mixed");
        if (!order.contains("custom")) {
            order.add("custom");
        }
        for (String implementation : order) {
            Optional<LinkCurve> c = link.curve(operation, ranks, implementation);
            if (c.isPresent()) {
                boolean asked = implementation.equals(order.get(0)) || !implementation.startsWith("custom");
                return new Estimate<>(
                        curve(c.get(), ranks),
                        true,
                        asked
                                ? null
                                : "The link profile " + link.id() + " has no " + order.get(0) + " curve of " + ranks
                                        + " cards: " + implementation + " was taken.");
            }
        }
        if (operation == Operation.ALL_GATHER) {
            Estimate<Curve> reduce = collective(Operation.ALL_REDUCE, ranks, captured);
            double[] at = new double[reduce.value.size()];
            double[] us = new double[at.length];
            for (int i = 0; i < at.length; i++) {
                at[i] = reduce.value.at(i);
                us[i] = GATHER_SHARE * reduce.value.medianUs(i);
            }
            return new Estimate<>(
                    Curve.of(Shape.of("ranks", ranks), at, us, new double[0]),
                    false,
                    "The link profile " + link.id() + " has no gather of " + ranks
                            + " cards: 0.58 of the all-reduce of the same bytes was taken, NCCL's ratio on a PCIe pair.");
        }
        throw new IllegalArgumentException("the link profile " + link.id() + " has no all-reduce of " + ranks
                + " cards (it has " + link.ranks(operation) + "): name another link or calibrate the node");
    }

    private static Curve curve(LinkCurve c, int ranks) {
        double[] at = new double[c.knots().size()];
        double[] us = new double[at.length];
        for (int i = 0; i < at.length; i++) {
            at[i] = c.knots().get(i).bytes();
            us[i] = c.knots().get(i).us();
        }
        return Curve.of(Shape.of("ranks", ranks), at, us, new double[0]);
    }

    /** Id of the link profile, null when there is none. */
    String linkId() {
        return link == null ? null : link.id();
    }
}
