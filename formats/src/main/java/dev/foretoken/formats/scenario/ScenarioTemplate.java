package dev.foretoken.formats.scenario;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.sim.hardware.Gpu;
import dev.foretoken.sim.model.Drafter;
import dev.foretoken.sim.model.DrafterKind;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.model.TargetModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A commented scenario to start from: complete, valid, and about one card and one model. */
public final class ScenarioTemplate {
    /** Most cards of a node. */
    private static final int NODE = 8;

    /** Share of a card's memory for weights and drafter; the rest is for KV cache, states and activations. */
    private static final double ROOM = 0.8;

    private ScenarioTemplate() {}

    /**
     * The text of the scenario.
     *
     * @param profile true when kernel timings of the card under the engine ship; without them placeholder round times stand
     *     in, to be replaced by the user's own
     * @throws IllegalArgumentException when the catalogue has no such card or model, or no node of the card holds the model
     */
    public static String of(Catalogue catalogue, String gpuId, String modelId, String engine, boolean profile) {
        Gpu gpu = catalogue.gpu(gpuId);
        TargetModel model = catalogue.model(modelId);
        Optional<Drafter> block = drafter(catalogue, modelId);
        Fit fit = fit(catalogue, gpu, model);
        StringBuilder out = new StringBuilder();
        line(out, "# A scenario: which method, draft budget and TP serve this load best?");
        line(out, "# A list where one value is allowed is an axis of the grid. Every key: docs/formats.md.");
        line(out, "schema: foretoken/scenario/1");
        line(out, "name: " + modelId + " on " + gpuId);
        line(out, "seed: 1");
        line(out, "hardware:");
        line(out, "  gpu: " + gpuId + "          # " + gpu.name());
        line(out, "  count: " + fit.tp());
        line(out, "  tp: [" + fit.tp() + "]                  # cards per replica; must divide the query heads");
        boolean needsLink = fit.tp() > 1 && gpu.link().profiles().isEmpty();
        if (needsLink) {
            line(
                    out,
                    "  link: " + catalogue.ids(CatalogueKind.LINK).first()
                            + "      # all-reduce curves of another card: name or calibrate yours");
        }
        line(
                out,
                "  # link: NAME             # all-reduce curves, needed above tp 1; ids: "
                        + String.join(", ", catalogue.ids(CatalogueKind.LINK)));
        line(out, "  # price_per_gpu_hour: 1.8");
        line(out, "target:");
        line(out, "  model: " + modelId);
        line(out, "  weights: " + fit.weights().id() + "            # bf16, fp8, nvfp4, mxfp4, int4");
        line(out, "  kv_cache: bf16");
        line(out, "engine:");
        line(out, "  name: " + engine);
        line(out, "  max_running_requests: 64");
        line(out, "methods:");
        line(out, "  - {id: ar, kind: autoregressive}");
        if (model.mtpLayers() > 0) {
            line(out, "  - {id: mtp, kind: mtp, steps: [1, 2, 3, 4]}");
        }
        if (block.isPresent()) {
            Drafter d = block.get();
            line(out, "  - {id: dflash, kind: dflash-linear, drafter: " + d.id() + ", block: " + blocks(d) + "}");
            boolean port = engine.equals("sglang");
            if (port) {
                line(out, "  # The public port of DDTree runs without overlap scheduling, on triton's attention.");
            }
            line(
                    out,
                    "  - {id: ddtree, kind: ddtree, drafter: " + d.id() + ", block: " + d.block()
                            + ", budget: [8, 16, 32, 64], top_k: 8"
                            + (port ? ", engine: {overlap: false, page_size: 1, attention_backend: triton}" : "")
                            + "}");
        } else {
            line(out, "  - {id: ngram, kind: ngram, draft_tokens: 8, fire_rate: 0.28}");
        }
        line(out, "workloads:");
        line(out, "  - id: chat");
        line(out, "    isl: 512               # prompt tokens");
        line(out, "    osl: {dist: lognormal, mean: 512, cv: 0.6}");
        line(out, "    acceptance:            # replace by your own: foretoken calibrate acceptance LOG");
        if (model.mtpLayers() > 0) {
            line(
                    out,
                    "      # Share of rounds in which at least 1, 2, ... drafts were accepted: Qwen3.6-27B under vLLM, 6 drafts.");
            line(
                    out,
                    "      mtp: {per_position: [0.740, 0.473, 0.309, 0.187], source: a STAND-IN until you measure yours}");
        }
        if (block.isPresent()) {
            line(
                    out,
                    "      # A DFlash drafter on a Qwen3.6-27B derivative under vLLM, chat: 3.25 to 3.85 tokens per round (interval of a);");
            line(
                    out,
                    "      # the other parameters are those of a public 4B log. Chains leave kappa open: trees carry a band.");
            String law =
                    "{srt: {a: [0.241, 0.651], b: 0.128, c1: -1.203, sigma: 1.354, rho: 0.319, kappa: [0.3, 0.643],"
                            + " depth: 15, ranks: 24}, source: a STAND-IN until you measure yours}";
            line(out, "      dflash: " + law);
            line(out, "      ddtree: " + law);
        } else {
            line(out, "      # given that it fires; a stand-in");
            line(out, "      ngram: {accept_length: 3.0, source: a STAND-IN until you measure yours}");
        }
        line(out, "load:");
        line(out, "  - {kind: closed, concurrency: [1, 2, 4, 8, 16, 32, 64]}");
        line(out, "slo: {tpot_p95_ms: 60, ttft_p95_ms: 5000}");
        line(out, "calibration:");
        if (profile) {
            line(
                    out,
                    "  profile: " + gpuId + "/" + engine
                            + "     # published kernel timings; or the round times of your server:");
            line(out, "  # round_times: [{rows: 1, context: 512, ms: 22.1}, {rows: 8, context: 512, ms: 23.4}]");
            line(out, "  # draft_ms: {mtp: 6.9}");
        } else {
            line(
                    out,
                    "  # No kernel timings of this card under this engine ship. PLACEHOLDERS follow: replace them by");
            line(out, "  # autoregressive rounds of your own server (foretoken calibrate endpoint URL).");
            line(out, "  round_times: [{rows: 1, ms: 20.0}, {rows: 64, ms: 30.0}]");
            line(out, "  draft_ms: 4.0");
            line(out, "  prefill_ms_per_token: 0.1");
            line(out, "  source: PLACEHOLDERS until you sweep your server");
        }
        return out.toString();
    }

    /** The drafter's own block and shorter ones, which cost fewer rows. */
    private static String blocks(Drafter d) {
        return d.block() > 8 ? "[4, 8, " + d.block() + "]" : Integer.toString(d.block());
    }

    private static Optional<Drafter> drafter(Catalogue catalogue, String model) {
        return catalogue.ids(CatalogueKind.DRAFTER).stream()
                .map(catalogue::drafter)
                .filter(d -> d.kind() == DrafterKind.DFLASH && d.target().equals(model))
                .findFirst();
    }

    /**
     * How the model is put on the card.
     *
     * @param tp cards per replica
     */
    private record Fit(Dtype weights, int tp) {}

    /**
     * The fewest cards that hold weights and drafter with room for a KV cache: in bf16, else in the checkpoint's own format
     * where that is smaller.
     */
    private static Fit fit(Catalogue catalogue, Gpu gpu, TargetModel model) {
        List<Dtype> formats = new ArrayList<>(List.of(Dtype.BF16));
        if (model.nativeWeights().bytes() < Dtype.BF16.bytes()) {
            formats.add(model.nativeWeights());
        }
        Dtype smallest = formats.get(formats.size() - 1);
        int most = 1;
        for (int tp = 1; tp <= NODE; tp *= 2) {
            if (model.whyNotTp(tp).isPresent()) {
                continue;
            }
            most = tp;
            for (Dtype weights : formats) {
                if (heldBytes(catalogue, model, weights, tp) < ROOM * gpu.memoryBytes()) {
                    return new Fit(weights, tp);
                }
            }
        }
        throw new IllegalArgumentException(String.format(
                Locale.ROOT,
                "%s does not fit one node of %s: at TP %d%s a card needs %.1f GB for weights and drafter in %s, and holds %.1f GB",
                model.id(),
                gpu.id(),
                most,
                most < NODE ? ", the most that divides its heads," : "",
                heldBytes(catalogue, model, smallest, most) / 1e9,
                smallest.id(),
                gpu.memoryBytes() / 1e9));
    }

    /** Weights, MTP head and drafter on one card, bytes. */
    private static double heldBytes(Catalogue catalogue, TargetModel model, Dtype weights, int tp) {
        double drafters = drafter(catalogue, model.id())
                .map(d -> d.weightBytesPerCard(d.weights(), tp))
                .orElse(0L);
        return model.weightBytesPerCard(weights, tp) + Math.max(drafters, model.mtpBytesPerCard(tp));
    }

    private static void line(StringBuilder out, String text) {
        out.append(text).append('\n');
    }
}
