package dev.foretoken.sim.whitebox;

import dev.foretoken.sim.hardware.LinkCurve.Operation;
import dev.foretoken.sim.model.Attention;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.model.Gemm;
import dev.foretoken.sim.model.LinearAttention;
import dev.foretoken.sim.model.Moe;
import dev.foretoken.sim.model.Part;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveSum;
import dev.foretoken.sim.profile.Shape;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One pass of a model, or of a drafter, on one rank. What depends on rows only is summed into curves once; attention and
 * recurrent layers depend on requests, width and context too. Times are microseconds.
 *
 * <p>Immutable and safe to share between threads; evaluation allocates nothing.
 */
final class ModelPass {
    private static final Shape ROWS = Shape.NONE;
    private static final int ACTIVATION_BYTES = 2;
    private static final int DEFAULT_MULTIPROCESSORS = 132;
    /** Launch of a kernel that moves cache entries, microseconds. */
    private static final double MOVE_LAUNCH_US = 2;

    /** Sampler: bytes per logit at DRAM speed (conversion to 32 bits, softmax or argmax), and two launches. */
    private static final double SAMPLER_BYTES_PER_LOGIT = 12;

    private static final double SAMPLER_LAUNCH_US = 5;
    /** Extra time of unequal KV lengths, share of t(longest) - t(mean): defaults of LLMServingSim are 0.054 and 0.065. */
    private static final double RAGGED_SHARE = 0.05;
    /**
     * Whole-tile cost of decode rows over the fit on prompt rows: LLMServingSim's microbenchmark of this card has 688 and
     * 664 us for 128 rows of 32 query heads over 1,024 KV tokens beside a prompt chunk, the fit gives 590.
     */
    private static final double TILE_OVER_PROMPT = 1.15;

    private final Curve weights;
    private final Curve lmHead;
    private final Curve reduce;
    private final Curve reduceEager;
    private final Curve gather;
    private final Curve elementwise;
    private final Curve sampler;
    private final Curve decode;
    private final Curve body;
    private final AttentionLayers[] attention;
    private final RecurrentLayers recurrent;
    private final int recurrentLayers;
    private final double kneeRows;
    private final double kvBytesPerToken;
    private final double bytesPerUs;
    private final int multiprocessors;
    private final int layers;
    private final double lastRows;
    private final boolean serving;
    private final boolean estimated;
    private final List<String> notes;

    /** Attention layers of one kind. */
    private record AttentionLayers(Kernels.AttentionTimes times, int count, int window, int heads, int headDim) {}

    /**
     * What a pass consists of.
     *
     * @param id for caching
     * @param gemms matrices on one rank, without the lm_head
     * @param weights format of quantisable parts
     * @param lmHead lm_head on one rank, null for none
     * @param lmHeadWeights its format
     * @param attention null for none
     * @param attentionLayers layers with it
     * @param linear recurrent layers' shape, null for none
     * @param linearLayers how many
     * @param moe mixture, null for none
     * @param moeLayers how many
     * @param hidden width
     * @param intermediate width of the MLP over all ranks, 0 for none
     * @param vocab rows of the lm_head over all ranks
     * @param tp ranks
     * @param fp8Blocks fp8 weights carry a scale per block of 128 x 128
     * @param nodesPerLayer nodes of a captured pass per layer; those that no term stands for cost an empty node's time
     */
    record Spec(
            String id,
            List<Gemm> gemms,
            Dtype weights,
            Gemm lmHead,
            Dtype lmHeadWeights,
            Attention attention,
            int attentionLayers,
            LinearAttention linear,
            int linearLayers,
            Moe moe,
            int moeLayers,
            int hidden,
            int intermediate,
            int vocab,
            int tp,
            boolean fp8Blocks,
            double nodesPerLayer) {}

    static ModelPass of(Kernels kernels, Spec spec, Dtype kvCache, Dtype state) {
        return kernels.pass(
                List.of(spec.id, spec.tp, spec.weights, kvCache, state, spec.nodesPerLayer),
                k -> new ModelPass(k, spec, kvCache, state));
    }

    private ModelPass(Kernels kernels, Spec s, Dtype kvCache, Dtype state) {
        Set<String> remarks = new LinkedHashSet<>();
        boolean guessed = false;
        serving = kernels.serving();
        layers = s.attentionLayers + s.linearLayers;

        CurveSum weightSum = new CurveSum();
        CurveSum lmSum = new CurveSum();
        double coveredRows = Double.POSITIVE_INFINITY;
        for (Gemm g : s.gemms) {
            if (g.part() == Part.EXPERT) {
                continue;
            }
            Curve c = product(kernels, g, s.weights, s.fp8Blocks, remarks);
            coveredRows = Math.min(coveredRows, c.last());
            weightSum.add(c, g.count());
        }
        if (s.moe != null) {
            Dtype stored = Part.EXPERT.storedAs(s.weights);
            Kernels.Estimate<MoeExperts> e = kernels.experts(s.moe, s.hidden, s.tp, stored);
            note(remarks, e.note());
            guessed |= !e.measured();
            MoeExperts experts = e.value();
            CurveSum expertSum = new CurveSum();
            double[] knots = expertKnots(experts.table());
            expertSum.add(serving ? experts::us : experts::tableUs, knots);
            weightSum.add(expertSum.curve(ROWS, 1), s.moeLayers);
        }
        if (s.lmHead != null) {
            Curve c = product(kernels, s.lmHead, s.lmHeadWeights, s.fp8Blocks, remarks);
            lmSum.add(c, s.lmHead.count());
        }

        CurveSum reduceSum = new CurveSum();
        CurveSum eagerSum = new CurveSum();
        CurveSum gatherSum = new CurveSum();
        if (s.tp > 1) {
            double bytesPerRow = (double) s.hidden * ACTIVATION_BYTES;
            int perPass = 2 * layers + (serving ? 1 : 0);
            Kernels.Estimate<Curve> captured = kernels.collective(Operation.ALL_REDUCE, s.tp, true);
            Kernels.Estimate<Curve> eager = kernels.collective(Operation.ALL_REDUCE, s.tp, false);
            note(remarks, captured.note());
            reduceSum.add(captured.value(), perPass, bytesPerRow);
            eagerSum.add(eager.value(), perPass, bytesPerRow);
            if (serving && s.lmHead != null) {
                Kernels.Estimate<Curve> gather = kernels.collective(Operation.ALL_GATHER, s.tp, true);
                note(remarks, gather.note());
                gatherSum.add(gather.value(), 1, (double) s.vocab * ACTIVATION_BYTES);
            }
        }

        CurveSum elementSum = new CurveSum();
        CurveSum samplerSum = new CurveSum();
        if (serving) {
            Elementwise kinds = kernels.elementwise();
            addElementwise(kinds, s, elementSum);
            double timed = kinds.kernels() + s.attentionLayers + 2.0 * s.linearLayers;
            for (Gemm g : s.gemms) {
                timed += g.part() == Part.EXPERT ? 0 : g.count();
            }
            double untimed = Math.max(0, s.nodesPerLayer * layersOf(s) - timed) * kernels.graphNodeUs();
            if (untimed > 0) {
                elementSum.add(rows -> untimed);
            }
            if (s.lmHead != null) {
                double perRow = SAMPLER_BYTES_PER_LOGIT * s.vocab / kernels.streamBytesPerUs();
                samplerSum.add(rows -> SAMPLER_LAUNCH_US + rows * perRow);
            }
        }

        weights = weightSum.curve(ROWS, 1);
        lmHead = curveOrNull(lmSum);
        elementwise = curveOrNull(elementSum);
        sampler = curveOrNull(samplerSum);
        reduce = curveOrNull(reduceSum);
        reduceEager = curveOrNull(eagerSum);
        gather = curveOrNull(gatherSum);
        CurveSum whole = new CurveSum();
        whole.add(weights, 1);
        addIfAny(whole, lmHead);
        addIfAny(whole, reduce);
        addIfAny(whole, gather);
        addIfAny(whole, elementwise);
        addIfAny(whole, sampler);
        decode = whole.curve(ROWS, 1);
        CurveSum inner = new CurveSum();
        inner.add(weights, 1);
        addIfAny(inner, reduceEager);
        addIfAny(inner, elementwise);
        body = inner.curve(ROWS, 1);
        kneeRows = knee(weights);
        bytesPerUs = kernels.streamBytesPerUs();
        multiprocessors = kernels.gpu().sms() == null
                ? DEFAULT_MULTIPROCESSORS
                : kernels.gpu().sms();
        kvBytesPerToken = s.attention == null
                ? 0
                : (double) s.attentionLayers * s.attention.kvBytesPerTokenPerLayer(kvCache, s.tp);
        lastRows = coveredRows;

        List<AttentionLayers> parts = new ArrayList<>();
        if (s.attention != null && s.attentionLayers > 0) {
            int heads = Math.max(1, s.attention.heads() / s.tp);
            int kvHeads = s.attention.kvHeadsPerCard(s.tp);
            int sliding = Math.min(s.attention.slidingLayers(), s.attentionLayers);
            int full = s.attentionLayers - sliding;
            if (full > 0) {
                Kernels.Estimate<Kernels.AttentionTimes> e =
                        kernels.attention(heads, kvHeads, s.attention.headDim(), 0, kvCache);
                note(remarks, e.note());
                guessed |= !e.measured();
                parts.add(new AttentionLayers(e.value(), full, 0, heads, s.attention.headDim()));
            }
            if (sliding > 0) {
                // Windows are timed as full attention over the window's tokens.
                Kernels.Estimate<Kernels.AttentionTimes> e =
                        kernels.attention(heads, kvHeads, s.attention.headDim(), 0, kvCache);
                note(remarks, e.note());
                guessed |= !e.measured();
                parts.add(new AttentionLayers(
                        e.value(), sliding, s.attention.slidingWindow(), heads, s.attention.headDim()));
            }
        }
        attention = parts.toArray(new AttentionLayers[0]);
        if (s.linear != null && s.linearLayers > 0) {
            Kernels.Estimate<RecurrentLayers> e = kernels.recurrent(s.linear, s.tp, state);
            note(remarks, e.note());
            guessed |= !e.measured();
            recurrent = e.value();
            recurrentLayers = s.linearLayers;
        } else {
            recurrent = null;
            recurrentLayers = 0;
        }
        estimated = guessed;
        notes = List.copyOf(remarks);
    }

    private static void note(Set<String> remarks, String note) {
        if (note != null) {
            remarks.add(note);
        }
    }

    private static Curve product(Kernels kernels, Gemm g, Dtype weights, boolean fp8Blocks, Set<String> remarks) {
        Dtype stored = g.part().storedAs(weights);
        String name = kernels.gemmName(stored, fp8Blocks);
        if (fp8Blocks && stored == Dtype.FP8 && name.equals("fp8")) {
            remarks.add("The profile has no fp8 products with block scales: those with scales per channel were taken.");
        }
        return kernels.gemm(name, stored.bytes(), g.n(), g.k());
    }

    private static double[] expertKnots(Curve table) {
        double[] at = new double[table.size() + 64];
        for (int i = 0; i < table.size(); i++) {
            at[i] = table.at(i);
        }
        // Visited experts rise smoothly between the table's knots: a knot every row up to 32 and every 8 up to 288.
        for (int i = 0; i < 32; i++) {
            at[table.size() + i] = i + 1;
            at[table.size() + 32 + i] = 40 + 8 * i;
        }
        return at;
    }

    private static Curve curveOrNull(CurveSum sum) {
        return sum.isEmpty() ? null : sum.curve(ROWS, 1);
    }

    private static void addIfAny(CurveSum sum, Curve c) {
        if (c != null) {
            sum.add(c, 1);
        }
    }

    /** Rows at which products take a quarter longer than at one row: the compute knee. */
    private static double knee(Curve weights) {
        double base = weights.us(1);
        for (int i = 0; i < weights.size(); i++) {
            if (weights.medianUs(i) >= 1.25 * base) {
                return weights.at(i);
            }
        }
        return Double.POSITIVE_INFINITY;
    }

    private static void addElementwise(Elementwise e, Spec s, CurveSum sum) {
        double h = s.hidden;
        e.addTo(sum, 2 * layersOf(s) + 1, 4 * h * ACTIVATION_BYTES);
        if (s.moe != null) {
            double width = (double) s.moe.intermediate() / s.tp;
            e.addTo(sum, s.moeLayers, s.moe.topK() * (3 * width + 2 * h) * ACTIVATION_BYTES);
            e.addTo(sum, s.moeLayers, 4.0 * s.moe.experts());
            if (s.moe.sharedIntermediate() > 0) {
                double shared = (double) s.moe.sharedIntermediate() / s.tp;
                e.addTo(sum, s.moeLayers, 3 * shared * ACTIVATION_BYTES);
                e.addTo(sum, s.moeLayers, 3 * h * ACTIVATION_BYTES);
            }
        } else if (s.intermediate > 0) {
            double width = (double) s.intermediate / s.tp;
            e.addTo(sum, layersOf(s), 3 * width * ACTIVATION_BYTES);
        }
        if (s.attention != null) {
            double q = (double) s.attention.heads() / s.tp * s.attention.headDim();
            double kv = 2.0 * s.attention.kvHeadsPerCard(s.tp) * s.attention.headDim();
            e.addTo(sum, s.attentionLayers, 2 * (q + kv) * ACTIVATION_BYTES);
            e.addTo(sum, s.attentionLayers, 2 * kv * ACTIVATION_BYTES);
            if (normsQueriesAndKeys(s.id)) {
                e.addTo(sum, s.attentionLayers, 2 * q * ACTIVATION_BYTES);
                e.addTo(sum, s.attentionLayers, kv * ACTIVATION_BYTES);
            }
            if (s.attention.outputGate()) {
                e.addTo(sum, s.attentionLayers, 3 * q * ACTIVATION_BYTES);
            }
        }
        if (s.linear != null) {
            double in = s.linear.inputFeatures(s.tp);
            double out = (double) s.linear.valueHeads() / s.tp * s.linear.valueHeadDim();
            e.addTo(sum, s.linearLayers, 2 * in * ACTIVATION_BYTES);
            e.addTo(sum, s.linearLayers, 3 * out * ACTIVATION_BYTES);
        }
        if (s.weights.quantised()) {
            for (Gemm g : s.gemms) {
                if (g.part() != Part.EXPERT && g.part().storedAs(s.weights).quantised()) {
                    e.addTo(sum, g.count(), (ACTIVATION_BYTES + 1.0) * g.k());
                }
            }
        }
    }

    /** Qwen3 and its successors normalise each query and key head before the rotary embedding. */
    private static boolean normsQueriesAndKeys(String model) {
        return model.startsWith("qwen3");
    }

    private static int layersOf(Spec s) {
        return s.attentionLayers + s.linearLayers;
    }

    // ---- terms ----

    /** Everything that depends on rows alone in a decode round: products, lm_head, collectives, elementwise, sampler. */
    double decodeUs(double rows) {
        return decode.us(rows);
    }

    /** Products, collectives and elementwise kernels of rows that are not all sampled. */
    double bodyUs(double rows) {
        return body.us(rows);
    }

    double weightsUs(double rows) {
        return weights.us(rows);
    }

    double lmHeadUs(double rows) {
        return at(lmHead, rows);
    }

    /** All-reduces of rows and the gather of their logits, inside a graph. */
    double allReduceUs(double rows) {
        return at(reduce, rows) + at(gather, rows);
    }

    /** A pass whose rows are not all sampled: {@code rows} through the layers, {@code sampled} through the lm_head. */
    double partlySampledUs(double rows, double sampled) {
        return weights.us(rows)
                + at(reduce, rows)
                + at(elementwise, rows)
                + at(lmHead, sampled)
                + at(gather, sampled)
                + at(sampler, sampled);
    }

    private static double at(Curve c, double rows) {
        return c == null ? 0 : c.us(rows);
    }

    double elementwiseUs(double rows) {
        return at(elementwise, rows);
    }

    double samplerUs(double rows) {
        return at(sampler, rows);
    }

    /** lm_head, gather and sampler of sampled rows. */
    double headUs(double rows) {
        return rows <= 0 ? 0 : at(lmHead, rows) + at(gather, rows) + at(sampler, rows);
    }

    /**
     * Attention of a decode or verify round.
     *
     * @param n requests
     * @param w query tokens per request
     * @param context mean KV tokens before the round
     * @param longest largest KV tokens before the round
     * @param besidePrompt a prompt chunk runs in the same kernel call
     */
    double attentionUs(int n, double w, double context, double longest, boolean besidePrompt) {
        double sum = 0;
        for (AttentionLayers a : attention) {
            double mean = a.window > 0 ? Math.min(context, a.window) : context;
            double max = a.window > 0 ? Math.min(longest, a.window) : longest;
            double us = layerUs(a, n, w, mean, besidePrompt);
            if (serving && max > mean) {
                us += RAGGED_SHARE * Math.max(0, layerUs(a, n, w, max, besidePrompt) - us);
            }
            sum += a.count * us;
        }
        return sum;
    }

    private double layerUs(AttentionLayers a, int n, double w, double context, boolean besidePrompt) {
        Kernels.AttentionTimes t = a.times;
        if (!serving) {
            return t.decode().tableUs(n, Math.max(1, context));
        }
        double kv = Math.max(1, context + w - 1);
        double once = t.decode().coldUs(n, kv);
        if (w <= 1 && !besidePrompt) {
            return once;
        }
        AttentionBackend b = t.backend();
        if (b != null && !b.packsAndSplits() && t.context().hasTiles()) {
            double tiles = Math.max(multiprocessors, n * a.heads * Math.ceil(w / ContextAttention.TILE_ROWS));
            return Math.max(
                    once,
                    t.decode().launchUs(n)
                            + TILE_OVER_PROMPT * tiles * t.context().tileUs(kv));
        }
        double flops = 4.0 * n * a.heads * a.headDim * w * kv;
        return Math.max(once, t.decode().launchUs(n) + flops / t.context().flopsPerUs());
    }

    /** Attention of a prompt chunk. */
    double promptAttentionUs(double tokens, double cached) {
        double sum = 0;
        for (AttentionLayers a : attention) {
            double behind = a.window > 0 ? Math.min(cached, a.window) : cached;
            sum += a.count * a.times.context().chunkUs(tokens, behind);
        }
        return sum;
    }

    /**
     * Recurrent kernels of a decode or verify round.
     *
     * @param saved every verified token keeps its own state until commit
     */
    double recurrentUs(int n, double w, boolean saved) {
        if (recurrent == null || n == 0) {
            return 0;
        }
        double us;
        if (!serving) {
            us = recurrent.tableUs(n, w);
        } else if (w <= 1) {
            us = recurrent.stepUs(n);
        } else {
            us = saved ? recurrent.savedUs(n, w) : recurrent.chunkUs(n, w);
        }
        return recurrentLayers * us;
    }

    /** Copying the accepted state of each request into place: one kernel over all layers. */
    double copyStatesUs(int n) {
        return recurrent == null ? 0 : MOVE_LAUNCH_US + 2.0 * n * recurrentLayers * recurrent.stateBytes() / bytesPerUs;
    }

    /** Recurrent kernels of a prompt chunk. */
    double promptRecurrentUs(double tokens) {
        return recurrent == null ? 0 : recurrentLayers * recurrent.tableUs(1, Math.max(2, tokens));
    }

    /** Moving the KV entries of accepted tree nodes next to each other: one kernel a layer. */
    double compactKvUs(int n, double tokens) {
        return attention.length == 0
                ? 0
                : MOVE_LAUNCH_US * attentionLayers() + 2 * n * tokens * kvBytesPerToken / bytesPerUs;
    }

    private int attentionLayers() {
        int sum = 0;
        for (AttentionLayers a : attention) {
            sum += a.count;
        }
        return sum;
    }

    boolean hasRecurrentLayers() {
        return recurrent != null;
    }

    int layers() {
        return layers;
    }

    /** True when the compute knee of the products is passed. */
    boolean pastKnee(double rows) {
        return rows >= kneeRows;
    }

    /** Rows beyond which products are extrapolated. */
    double lastRows() {
        return lastRows;
    }

    /** True when KV or batch lie outside the measured ones. */
    boolean attentionOutside(int n, double context) {
        for (AttentionLayers a : attention) {
            double kv = a.window > 0 ? Math.min(context, a.window) : context;
            if (a.times.decode().outside(n, kv)) {
                return true;
            }
        }
        return false;
    }

    /** Backend that verifies, null when there is no attention or its kernel's name says nothing. */
    AttentionBackend backend() {
        return attention.length == 0 ? null : attention[0].times.backend();
    }

    /** True when part of the pass is an estimate without a row in the profile. */
    boolean estimated() {
        return estimated;
    }

    /** How parts were estimated. */
    List<String> notes() {
        return notes;
    }
}
