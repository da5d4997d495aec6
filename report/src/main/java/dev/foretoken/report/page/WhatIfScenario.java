package dev.foretoken.report.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/**
 * Settings as a scenario's text: the method at every size around the chosen one, autoregressive decoding, and the usual
 * concurrencies. It is what the page computes and what it exports.
 */
final class WhatIfScenario {
    static final String AUTOREGRESSIVE = "ar";
    private static final String WORKLOAD = "page";

    /** Parameters along which a method grows; the first that it has is the axis of the page's first chart. */
    static final List<String> SIZES = List.of("budget", "max_budget", "draft_tokens", "steps", "block");

    private static final Map<String, List<Integer>> GRID = Map.of(
            "budget", List.of(4, 8, 12, 16, 22, 32, 48, 64, 96, 128),
            "max_budget", List.of(),
            "draft_tokens", List.of(2, 4, 6, 8, 12, 16, 24, 32),
            "steps", List.of(1, 2, 3, 4, 5, 6, 8),
            "block", List.of(4, 8, 16, 24));
    private static final List<Integer> CONCURRENCY = List.of(1, 2, 4, 8, 16, 32, 64);

    /** Fit to a public log of draft-tree rounds: Qwen3-4B with DFlash, block 16. */
    private static final Map<String, Object> FAMILY =
            Map.of("b", 0.128, "c1", -1.203, "sigma", 1.354, "rho", 0.319, "depth", 15, "ranks", 24);

    private WhatIfScenario() {}

    /** The parameter along which the method grows, null when it has none of those. */
    static String size(Controls c) {
        return SIZES.stream().filter(c.parameters()::containsKey).findFirst().orElse(null);
    }

    /** The scenario as YAML. */
    static String yaml(Controls c) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setSplitLines(false);
        return new Yaml(options).dump(document(c));
    }

    private static Map<String, Object> document(Controls c) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("schema", "foretoken/scenario/1");
        root.put("name", c.model() + " on " + c.gpu() + ", from the what-if page");
        root.put("seed", 1);
        root.put("hardware", map("gpu", c.gpu(), "count", c.tp(), "tp", List.of(c.tp())));
        root.put("target", map("model", c.model(), "weights", c.weights()));
        root.put("engine", map("name", c.engine()));
        root.put("methods", List.of(map("id", AUTOREGRESSIVE, "kind", "autoregressive"), method(c)));
        root.put(
                "workloads",
                List.of(map(
                        "id",
                        WORKLOAD,
                        "isl",
                        c.isl(),
                        "osl",
                        c.osl(),
                        "acceptance",
                        map(c.method(), acceptance(c.acceptance())))));
        root.put("load", List.of(map("kind", "closed", "concurrency", with(CONCURRENCY, c.concurrency()))));
        if (!c.roundTimes().isEmpty()) {
            root.put("calibration", calibration(c));
        }
        return root;
    }

    private static Map<String, Object> method(Controls c) {
        Map<String, Object> method = map("id", c.method(), "kind", c.method());
        String size = size(c);
        new java.util.TreeMap<>(c.parameters()).forEach((name, value) -> {
            boolean axis = name.equals(size)
                    && value instanceof Integer
                    && !GRID.get(name).isEmpty();
            method.put(name, axis ? with(GRID.get(name), (Integer) value) : value);
        });
        return method;
    }

    private static Map<String, Object> acceptance(Controls.Acceptance a) {
        if (a.acceptLength() != null) {
            return map("accept_length", a.acceptLength());
        }
        double half = Math.max(0, Math.min(a.band(), Math.min(a.kappa(), 1 - a.kappa())));
        Map<String, Object> family = map("a", a.spine());
        new java.util.TreeMap<>(FAMILY).forEach(family::put);
        family.put("kappa", half > 0 ? List.of(a.kappa() - half, a.kappa() + half) : a.kappa());
        return map("srt", family);
    }

    private static Map<String, Object> calibration(Controls c) {
        List<Object> knots = new ArrayList<>();
        for (Controls.Knot k : c.roundTimes()) {
            knots.add(map("tp", c.tp(), "rows", k.rows(), "context", 0, "ms", k.ms()));
        }
        Map<String, Object> calibration = map("round_times", knots);
        if (c.draftMs() != null) {
            calibration.put("draft_ms", map(c.method(), c.draftMs()));
        }
        if (c.hostMs() != null) {
            calibration.put("host_ms", map(c.method(), c.hostMs()));
        }
        return calibration;
    }

    private static List<Integer> with(List<Integer> values, int chosen) {
        TreeSet<Integer> sorted = new TreeSet<>(values);
        sorted.add(chosen);
        return new ArrayList<>(sorted);
    }

    private static Map<String, Object> map(Object... entries) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < entries.length; i += 2) {
            map.put((String) entries[i], entries[i + 1]);
        }
        return map;
    }
}
