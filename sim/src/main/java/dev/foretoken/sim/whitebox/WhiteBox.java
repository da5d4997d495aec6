package dev.foretoken.sim.whitebox;

import dev.foretoken.sim.method.DraftWork;
import dev.foretoken.sim.model.Attention;
import dev.foretoken.sim.model.Drafter;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.model.Gemm;
import dev.foretoken.sim.model.Part;
import dev.foretoken.sim.model.TargetModel;
import dev.foretoken.sim.round.RoundTime;
import dev.foretoken.sim.round.RoundTimeModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rounds of one arm from kernel timings. A round is max(GPU, host) with overlap and their sum without; GPU = draft passes +
 * weights + attention + recurrent states + lm_head + all-reduces + commit + elementwise kernels + sampler.
 *
 * <p>Immutable and safe to share between threads; {@link #roundMs} allocates nothing.
 */
public final class WhiteBox implements RoundTimeModel {
    /** Levels of {@link #calibrated}. */
    public static final String NONE = "none";

    public static final String PUBLISHED = "published";
    public static final String MEASURED = "measured";

    private static final int REPLAYED_TOKENS = 16;
    private static final String GATES = "in_proj_ba";
    private static final int TILE = 128;

    private final ModelPass target;
    private final ModelPass draft;
    private final RoundShape shape;
    private final boolean serving;
    private final int draftPasses;
    private final int draftTokens;
    private final double hostFixedMs;
    private final double capturedMs;
    private final double uncapturedMs;
    private final String calibrated;
    private final List<String> notes;

    private WhiteBox(Kernels kernels, ModelPass target, ModelPass draft, RoundShape shape, boolean speculative) {
        this.target = target;
        this.draft = draft;
        this.shape = shape;
        this.serving = kernels.serving();
        this.draftPasses = serving && speculative ? shape.draft().passes() : 0;
        this.draftTokens = Math.max(1, shape.draft().tokensPerPass());
        HostTerms h = shape.host();
        double nodes = target.layers() * h.nodesPerLayer();
        this.capturedMs = nodes * h.graphNodeUs() / 1000;
        this.uncapturedMs = nodes * h.kernelLaunchUs() / 1000;
        this.hostFixedMs = h.scheduleMs() + (speculative ? draftHostMs(shape, draft) : 0);
        List<String> all = new ArrayList<>(target.notes());
        if (draft != null) {
            draft.notes().stream().filter(n -> !all.contains(n)).forEach(all::add);
        }
        kernels.powerNote().ifPresent(all::add);
        if (serving && speculative) {
            describe(all, kernels);
        }
        all.addAll(kernels.profile().notes());
        this.notes = List.copyOf(all);
        boolean guess = kernels.profile().source().name().equals(DatasheetProfile.SOURCE)
                || target.estimated()
                || (draft != null && draft.estimated());
        this.calibrated = guess ? NONE : kernels.profile().source().measured() ? MEASURED : PUBLISHED;
    }

    /**
     * Rounds of an arm.
     *
     * @param kernels kernel times of the card
     * @param model the target
     * @param tp cards of the replica
     * @param weights number format of the target's weights
     * @param kvCache of the KV caches
     * @param state of the recurrent states
     * @throws IllegalArgumentException when the model cannot be split so, or the profile or link has no curves for it
     */
    public static WhiteBox of(
            Kernels kernels, TargetModel model, int tp, Dtype weights, Dtype kvCache, Dtype state, RoundShape shape) {
        model.whyNotTp(tp).ifPresent(why -> {
            throw new IllegalArgumentException(why);
        });
        ModelPass target = ModelPass.of(
                kernels,
                targetSpec(model, tp, weights, kernels.serving(), shape.host().nodesPerLayer()),
                kvCache,
                state);
        boolean speculative = shape.width() > 1 || shape.draft().kind() != DraftWork.Kind.NONE;
        ModelPass draft = kernels.serving() ? draftPass(kernels, model, tp, weights, kvCache, state, shape) : null;
        return new WhiteBox(kernels, target, draft, shape, speculative);
    }

    private static ModelPass.Spec targetSpec(
            TargetModel m, int tp, Dtype weights, boolean serving, double nodesPerLayer) {
        return new ModelPass.Spec(
                m.id(),
                layers(m, tp, serving),
                weights,
                m.lmHead(tp),
                weights,
                m.attention(),
                m.fullAttentionLayers(),
                m.linear(),
                m.linearAttentionLayers(),
                m.moe(),
                m.moe() == null ? 0 : m.layers(),
                m.hidden(),
                m.intermediate(),
                m.vocab(),
                tp,
                serving && fp8Blocks(m),
                nodesPerLayer);
    }

    /**
     * Matrices without the lm_head, as engines fuse them. The small gate projection of gated-delta layers (b, a) stays at 16
     * bits. The reference sums of table entries take query with gate and key with value apart, and the gate projection at a
     * whole tile of 128 outputs.
     */
    private static List<Gemm> layers(TargetModel m, int tp, boolean serving) {
        List<Gemm> out = new ArrayList<>();
        for (Gemm g : m.gemms(tp)) {
            if (g.part() == Part.LM_HEAD) {
                continue;
            }
            if (g.name().equals(GATES)) {
                int n = serving ? g.n() : (g.n() + TILE - 1) / TILE * TILE;
                out.add(new Gemm(Part.ROUTER, g.name(), n, g.k(), g.count()));
            } else if (g.name().equals("qkv") && m.attention().outputGate() && !serving) {
                int kv = 2 * m.attention().kvHeadsPerCard(tp) * m.attention().headDim();
                out.add(new Gemm(g.part(), "q", g.n() - kv, g.k(), g.count()));
                out.add(new Gemm(g.part(), "kv", kv, g.k(), g.count()));
            } else {
                out.add(g);
            }
        }
        return out;
    }

    private static ModelPass draftPass(
            Kernels kernels, TargetModel model, int tp, Dtype weights, Dtype kvCache, Dtype state, RoundShape shape) {
        return switch (shape.draft().kind()) {
            case NONE, LOOKUP -> null;
            case MTP_HEAD ->
                ModelPass.of(kernels, mtpSpec(model, tp, weights, shape.host().nodesPerLayer()), kvCache, state);
            case BLOCK, HEAD ->
                ModelPass.of(
                        kernels,
                        drafterSpec(
                                shape.drafter(),
                                model,
                                tp,
                                shape.draftWeights(),
                                weights,
                                shape.host().nodesPerLayer()),
                        kvCache,
                        state);
            case MODEL -> {
                TargetModel d = shape.draftModel();
                d.whyNotTp(shape.draftTp()).ifPresent(why -> {
                    throw new IllegalArgumentException("draft model: " + why);
                });
                Dtype dw = shape.draftWeights() == null ? d.nativeWeights() : shape.draftWeights();
                yield ModelPass.of(
                        kernels,
                        targetSpec(d, shape.draftTp(), dw, true, shape.host().nodesPerLayer()),
                        kvCache,
                        state);
            }
        };
    }

    /** Qwen publishes fp8 with a scale per block of 128 x 128; other fp8 checkpoints of the catalogue scale channels. */
    private static boolean fp8Blocks(TargetModel m) {
        return m.id().startsWith("qwen");
    }

    /** The model's own head: 16 bits even in quantised checkpoints; its lm_head is the model's. */
    private static ModelPass.Spec mtpSpec(TargetModel m, int tp, Dtype weights, double nodesPerLayer) {
        if (m.mtpLayers() == 0) {
            throw new IllegalArgumentException(m.id() + " has no multi-token-prediction head");
        }
        return new ModelPass.Spec(
                m.id() + "#mtp",
                m.mtpGemms(tp),
                Dtype.BF16,
                m.lmHead(tp),
                weights,
                m.attention(),
                m.mtpLayers(),
                null,
                0,
                m.moe(),
                m.moe() == null ? 0 : m.mtpLayers(),
                m.hidden(),
                m.intermediate(),
                m.vocab(),
                tp,
                false,
                nodesPerLayer);
    }

    private static ModelPass.Spec drafterSpec(
            Drafter d, TargetModel m, int tp, Dtype draftWeights, Dtype weights, double nodesPerLayer) {
        Dtype own = draftWeights == null ? d.weights() : draftWeights;
        Gemm head = null;
        List<Gemm> inner = new ArrayList<>();
        for (Gemm g : d.gemms(tp)) {
            if (g.part() == Part.LM_HEAD) {
                head = g;
            } else {
                inner.add(g);
            }
        }
        Attention a = d.attention();
        return new ModelPass.Spec(
                d.id() + "#" + own,
                inner,
                own,
                head == null ? m.lmHead(tp) : head,
                head == null ? weights : own,
                a,
                d.layers(),
                null,
                0,
                null,
                0,
                d.hidden(),
                d.intermediate(),
                head == null ? m.vocab() : d.draftVocab(),
                tp,
                false,
                nodesPerLayer);
    }

    private static double draftHostMs(RoundShape shape, ModelPass draft) {
        HostTerms h = shape.host();
        DraftWork d = shape.draft();
        double draftMs = switch (d.kind()) {
            case NONE -> 0;
            case LOOKUP -> h.lookupMs();
            case BLOCK -> h.draftGraphMs();
            case MTP_HEAD, HEAD -> Math.min(2, d.passes()) * h.draftGraphMs();
            case MODEL -> draft == null ? 0 : d.passes() * draft.layers() * h.nodesPerLayer() * h.graphNodeUs() / 1000;
        };
        return draftMs + (d.treePath() ? h.treeFixedMs() : 0);
    }

    private void describe(List<String> all, Kernels kernels) {
        AttentionBackend b = target.backend();
        if (b != null && shape.width() > 1) {
            all.add(
                    b.packsAndSplits()
                            ? "Verify attention by " + b.id()
                                    + " is estimated: one pass over the KV cache for all query"
                                    + " tokens of a request, at least the time of its products. The profile has no rows"
                                    + " with several query tokens."
                            : "Verify attention by " + b.id() + " is estimated: whole tiles of 64 query rows per query"
                                    + " head without splitting KV, fitted on the profile's prompt rows. The profile has no"
                                    + " rows with several query tokens.");
        }
        if (target.hasRecurrentLayers() && shape.width() > 1) {
            all.add(
                    shape.replayStates()
                            ? "Recurrent states are recomputed over the accepted tokens at commit, one extra pass of the"
                                    + " recurrent kernels."
                            : "Every verified token writes its own recurrent state, and the accepted one is copied at"
                                    + " commit; both at DRAM speed.");
        }
        if (shape.draft().kind() == DraftWork.Kind.MTP_HEAD) {
            all.add("The MTP head's size is an estimate from the architecture; it runs at 16 bits.");
        }
        if (shape.host().equals(HostTerms.published(kernels.profile().engine()))) {
            all.add("Host times are published ones of other machines: calibrate the host where they bind.");
        }
    }

    // ---- the round ----

    @Override
    public double roundMs(int requests, long rows, double contextTokens, double maxContextTokens) {
        double gpuUs = gpuUs(requests, rows, contextTokens, maxContextTokens);
        if (!serving) {
            return gpuUs / 1000;
        }
        double hostMs = hostMs(requests, rows);
        return shape.overlap() ? Math.max(gpuUs / 1000, hostMs) : gpuUs / 1000 + hostMs;
    }

    private double width(int requests, long rows) {
        return Math.max(1, Math.min(shape.width(), (double) rows / Math.max(1, requests)));
    }

    private double gpuUs(int requests, long rows, double context, double longest) {
        double w = width(requests, rows);
        double us = target.decodeUs(rows);
        us += target.attentionUs(requests, w, context, longest, false);
        us += target.recurrentUs(requests, w, !shape.replayStates());
        if (serving && shape.width() > 1) {
            us += commitUs(requests, w);
        }
        return us + draftUs(requests, w, context, longest);
    }

    private double commitUs(int requests, double w) {
        if (w <= 1) {
            return 0;
        }
        double accepted = Math.min(w, REPLAYED_TOKENS);
        double states = shape.replayStates()
                ? target.recurrentUs(requests, Math.max(2, accepted), false)
                : target.copyStatesUs(requests);
        double kv = shape.draft().treePath() ? target.compactKvUs(requests, accepted) : 0;
        return (target.hasRecurrentLayers() ? states : 0) + kv;
    }

    private double draftUs(int requests, double w, double context, double longest) {
        if (draft == null || draftPasses == 0) {
            return 0;
        }
        double rows = (double) requests * draftTokens;
        double verified = requests * Math.max(draftTokens, w);
        // The first pass reads what was verified; of its rows only the drafting ones are sampled.
        double first = shape.draft().kind() == DraftWork.Kind.BLOCK
                ? draft.decodeUs(rows)
                : draft.partlySampledUs(verified, rows);
        double us = first + (draftPasses - 1) * draft.decodeUs(rows);
        us += draftPasses * draft.attentionUs(requests, draftTokens, context, longest, false);
        return us + draftPasses * draft.recurrentUs(requests, draftTokens, false);
    }

    private double hostMs(int requests, long rows) {
        boolean captured = shape.cudaGraphs() && !shape.padding().eager(requests, rows);
        double tree =
                (double) shape.draft().treeNodes() * requests * shape.host().treeNodeUs() / 1000;
        return hostFixedMs + tree + (captured ? capturedMs : uncapturedMs);
    }

    @Override
    public double mixedRoundMs(
            int requests,
            long rows,
            double contextTokens,
            double maxContextTokens,
            long prefillTokens,
            double prefillContext) {
        if (prefillTokens <= 0) {
            return roundMs(requests, rows, contextTokens, maxContextTokens);
        }
        double all = rows + (double) prefillTokens;
        double us = target.bodyUs(all) + target.headUs(rows + 1);
        us += target.promptAttentionUs(prefillTokens, prefillContext);
        us += target.promptRecurrentUs(prefillTokens);
        double hostMs = shape.host().scheduleMs();
        if (requests > 0) {
            double w = width(requests, rows);
            us += target.attentionUs(requests, w, contextTokens, maxContextTokens, true);
            us += target.recurrentUs(requests, w, !shape.replayStates());
            if (serving && shape.width() > 1) {
                us += commitUs(requests, w);
            }
            us += draftUs(requests, w, contextTokens, maxContextTokens);
            hostMs = hostMs(requests, rows) - (shape.cudaGraphs() ? capturedMs : uncapturedMs);
        }
        us += draftPromptUs(prefillTokens, prefillContext);
        if (!serving) {
            return us / 1000;
        }
        // Prompts run uncaptured; kernels are enqueued while earlier ones run, with or without overlap scheduling.
        double gpuMs = Math.max(us / 1000, uncapturedMs);
        return shape.overlap() ? Math.max(gpuMs, hostMs) : gpuMs + hostMs;
    }

    /** The drafter's own pass over the prompt, which fills its KV cache. */
    private double draftPromptUs(long tokens, double cached) {
        if (draft == null || draftPasses == 0) {
            return 0;
        }
        double us = draft.bodyUs(tokens);
        if (shape.draft().kind() != DraftWork.Kind.BLOCK) {
            us += draft.promptAttentionUs(tokens, cached);
        }
        return us + draft.promptRecurrentUs(tokens);
    }

    /**
     * Prefill time of one prompt alone, in chunks.
     *
     * @param promptTokens tokens to compute
     * @param chunkTokens largest chunk, at least 1
     */
    public double prefillMs(double promptTokens, int chunkTokens) {
        double ms = 0;
        double done = 0;
        while (promptTokens - done >= 0.5) {
            long q = Math.max(1, Math.round(Math.min(chunkTokens, promptTokens - done)));
            ms += mixedRoundMs(0, 0, 0, 0, q, done);
            done += q;
        }
        return ms;
    }

    @Override
    public RoundTime explain(int requests, long rows, double contextTokens, double maxContextTokens) {
        double w = width(requests, rows);
        Map<String, Double> terms = new LinkedHashMap<>();
        double weights = target.weightsUs(rows) / 1000;
        double states = target.recurrentUs(requests, w, !shape.replayStates()) / 1000;
        double draftMs = draftUs(requests, w, contextTokens, maxContextTokens) / 1000;
        terms.put("draft", draftMs);
        terms.put("weights", weights);
        terms.put("attention", target.attentionUs(requests, w, contextTokens, maxContextTokens, false) / 1000);
        terms.put("recurrent_state", states);
        terms.put("lm_head", target.lmHeadUs(rows) / 1000);
        terms.put("all_reduce", target.allReduceUs(rows) / 1000);
        terms.put("commit", serving && shape.width() > 1 ? commitUs(requests, w) / 1000 : 0.0);
        terms.put("elementwise", target.elementwiseUs(rows) / 1000);
        terms.put("sampler", target.samplerUs(rows) / 1000);
        double hostMs = serving ? hostMs(requests, rows) : 0;
        terms.put("host", hostMs);
        double round = roundMs(requests, rows, contextTokens, maxContextTokens);
        double sum = 0;
        for (double t : terms.values()) {
            sum += t;
        }
        double hidden = shape.overlap() && serving ? Math.max(0, sum - round) : 0;
        boolean outside = rows > target.lastRows() || target.attentionOutside(requests, contextTokens);
        return new RoundTime(round, terms, hidden, boundBy(terms, rows, sum - hostMs, hostMs), outside, notes);
    }

    private String boundBy(Map<String, Double> terms, long rows, double gpuMs, double hostMs) {
        if (shape.overlap() && serving && hostMs > gpuMs) {
            return "host";
        }
        String best = null;
        for (String name :
                List.of("weights", "attention", "recurrent_state", "lm_head", "all_reduce", "draft", "host")) {
            boolean counts = !name.equals("host") || !shape.overlap();
            if (counts && (best == null || terms.get(name) > terms.get(best))) {
                best = name;
            }
        }
        return best.equals("weights") && target.pastKnee(rows) ? "compute" : best;
    }

    /** Weakest source of the round's terms: none, published or measured. */
    public String calibrated() {
        return calibrated;
    }

    /** Assumptions, each a sentence. */
    public List<String> notes() {
        return notes;
    }
}
