package dev.foretoken.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.sim.explore.Explorer;
import dev.foretoken.sim.explore.LaunchFlags;
import dev.foretoken.sim.hardware.Gpu;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.model.TargetModel;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.validation.backtest.CaseRow;
import dev.foretoken.validation.backtest.WhiteBoxCase;
import dev.foretoken.validation.compare.Conditions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Public rows whose card, engine and model have kernel timings and an architecture in the catalogue, as scenarios. What a row does
 * not state is read as the plainest setting and said.
 */
final class CatalogueCases implements WhiteBoxCase.Source {
    private static final int TOKENS = 512;
    private static final double USABLE_MEMORY = 0.85;
    private static final Pattern WHOLE = Pattern.compile("[0-9]+");

    private final Workspace workspace;

    CatalogueCases(Workspace workspace) {
        this.workspace = workspace;
    }

    @Override
    public WhiteBoxCase predict(CaseRow row, boolean perRequest) {
        String engine = row.engine().toLowerCase(Locale.ROOT);
        Optional<String> gpu = named(CatalogueKind.GPU, row.gpu());
        if (gpu.isEmpty() || !workspace.hasProfile(gpu.get(), engine)) {
            return WhiteBoxCase.none("no kernel timings of this card under this engine");
        }
        Optional<String> model = named(CatalogueKind.MODEL, row.model());
        if (model.isEmpty()) {
            return WhiteBoxCase.none("the model is not in the catalogue");
        }
        List<String> assumed = new ArrayList<>();
        String weights = weights(row, model.get(), assumed);
        if (weights == null) {
            return WhiteBoxCase.none("weight format " + row.dtype() + " has no kernel timings");
        }
        Integer tp = tp(row, gpu.get(), model.get(), weights, assumed);
        if (tp == null) {
            return WhiteBoxCase.none("TP is not stated, and one card does not hold the model");
        }
        String method = method(row, model.get());
        if (method == null) {
            return WhiteBoxCase.none("the arm's drafts or its drafter are not known");
        }
        if (!row.autoregressive() && row.acceptLength() == null) {
            return WhiteBoxCase.none("no accept length is stated");
        }
        String isl = row.isl();
        if (!WHOLE.matcher(isl).matches() || Integer.parseInt(isl) < 1) {
            assumed.add("prompt length not stated: " + TOKENS + " tokens");
            isl = Integer.toString(TOKENS);
        }
        assumed.add("answer length read as " + TOKENS + " tokens");
        String text = String.format(
                Locale.ROOT,
                """
                schema: foretoken/scenario/1
                hardware: {gpu: %s, count: %d, tp: %d}
                target: {model: %s, weights: %s}
                engine: {name: %s}
                methods: [%s]
                workloads: [{id: w, isl: %s, osl: %d%s}]
                load: [{kind: closed, concurrency: %d}]
                """,
                gpu.get(),
                tp,
                tp,
                model.get(),
                weights,
                engine,
                method,
                isl,
                TOKENS,
                acceptance(row),
                row.concurrency() == null ? 1 : row.concurrency());
        try {
            Scenario s = workspace.readText(row.id(), text).variants().get(0);
            Point p = new Explorer(s, workspace.times(s), LaunchFlags.NONE)
                    .explore("", "", n -> {})
                    .points()
                    .get(0);
            return p.feasible()
                    ? new WhiteBoxCase(perRequest ? p.outputTokSPerRequest() : p.outputTokS(), assumed, null)
                    : WhiteBoxCase.none(p.reason());
        } catch (IllegalArgumentException e) {
            return WhiteBoxCase.none(e.getMessage().lines().findFirst().orElse("refused"));
        }
    }

    /** The entry with the longest id all of whose words stand in the name. */
    private Optional<String> named(CatalogueKind<?> kind, String name) {
        String bare = name.substring(name.lastIndexOf('/') + 1);
        return workspace.catalogue().ids(kind).stream()
                .filter(id ->
                        id.split("-").length <= bare.split("[^A-Za-z0-9.]+").length && Conditions.sameName(bare, id))
                .max(java.util.Comparator.comparingInt(String::length));
    }

    private String weights(CaseRow row, String model, List<String> assumed) {
        String dtype = row.dtype().toLowerCase(Locale.ROOT).strip();
        if (dtype.isEmpty()) {
            String own = workspace.catalogue().model(model).nativeWeights().id();
            assumed.add("weight format not stated: " + own + ", the checkpoint's");
            return own;
        }
        return switch (dtype) {
            case "bf16", "fp8", "nvfp4" -> dtype;
            case "fp16" -> {
                assumed.add("fp16 read as bf16");
                yield "bf16";
            }
            default -> null;
        };
    }

    private Integer tp(CaseRow row, String gpu, String model, String weights, List<String> assumed) {
        if (WHOLE.matcher(row.tp()).matches()) {
            return Integer.valueOf(row.tp());
        }
        Gpu card = workspace.catalogue().gpu(gpu);
        TargetModel m = workspace.catalogue().model(model);
        if (m.weightBytesPerCard(Dtype.of(weights), 1) > USABLE_MEMORY * card.memoryBytes()) {
            return null;
        }
        assumed.add("TP not stated: 1, since one card holds the model");
        return 1;
    }

    private String method(CaseRow row, String model) {
        if (row.autoregressive()) {
            return row.params().isEmpty() ? "{id: m, kind: autoregressive}" : null;
        }
        JsonNode p = row.params();
        String head = model + "-eagle3";
        String block = model + "-dflash";
        return switch (row.method().toUpperCase(Locale.ROOT)) {
            case "EAGLE3" ->
                !p.path("num_steps").isInt()
                                || workspace
                                        .catalogue()
                                        .find(CatalogueKind.DRAFTER, head)
                                        .isEmpty()
                        ? null
                        : String.format(
                                Locale.ROOT,
                                "{id: m, kind: eagle3, drafter: %s, steps: %d, top_k: %d, draft_tokens: %d}",
                                head,
                                p.get("num_steps").intValue(),
                                p.path("topk").asInt(1),
                                p.path("num_draft_tokens")
                                        .asInt(p.get("num_steps").intValue() + 1));
            case "DFLASH" ->
                !p.path("block").isInt()
                                || workspace
                                        .catalogue()
                                        .find(CatalogueKind.DRAFTER, block)
                                        .isEmpty()
                        ? null
                        : String.format(
                                Locale.ROOT,
                                "{id: m, kind: dflash-linear, drafter: %s, block: %d}",
                                block,
                                p.get("block").intValue());
            case "MTP", "NEXTN" ->
                p.path("num_speculative_tokens").isInt()
                        ? "{id: m, kind: mtp, steps: "
                                + p.get("num_speculative_tokens").intValue() + "}"
                        : null;
            default -> null;
        };
    }

    private static String acceptance(CaseRow row) {
        if (row.autoregressive()) {
            return "";
        }
        boolean tree = row.params().path("topk").asInt(1) > 1;
        return tree
                ? String.format(
                        Locale.ROOT,
                        ", acceptance: {m: {accept_length_by_budget: {%d: %s}}}",
                        row.params().path("num_draft_tokens").asInt() - 1,
                        row.acceptLength())
                : ", acceptance: {m: {accept_length: " + row.acceptLength() + "}}";
    }
}
