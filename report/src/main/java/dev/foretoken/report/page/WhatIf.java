package dev.foretoken.report.page;

import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.report.chart.ExploreCharts;
import dev.foretoken.report.chart.Plot;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.acceptance.Survival;
import dev.foretoken.sim.acceptance.TypicalTree;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.method.Method;
import dev.foretoken.sim.method.Methods;
import dev.foretoken.sim.method.Param;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.result.Best;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.scenario.MethodSpec;
import dev.foretoken.sim.scenario.Scenario;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Answers of the page. */
final class WhatIf {
    private static final int MOST_NODES = 256;
    private static final int CHART_WIDTH = 580;
    private static final int CHART_HEIGHT = 400;

    private final WhatIfModel model;

    WhatIf(WhatIfModel model) {
        this.model = model;
    }

    /**
     * What can be chosen.
     *
     * @param gpus card ids and the engines with kernel timings of each
     * @param methods every registered kind that drafts
     */
    record Choices(
            List<Card> gpus,
            List<String> models,
            List<String> drafters,
            List<String> engines,
            List<String> dtypes,
            List<MethodChoice> methods) {}

    record Card(String id, List<String> engines) {}

    record MethodChoice(String kind, String summary, boolean tree, List<Param> parameters) {}

    /**
     * The answer to one setting.
     *
     * @param point the chosen arm at the chosen concurrency
     * @param autoregressive plain decoding there
     * @param best the best arm there
     * @param line the chosen arm at every concurrency
     * @param bestSize its size along the method's axis and the range within 2 %, of the chosen method only
     * @param charts SVG by name
     * @param tree nodes of a typical round's tree, at most {@value #MOST_NODES}
     * @param warnings of the scenario
     * @param yaml the scenario that gives these figures
     */
    record Answer(
            Point point,
            Point autoregressive,
            Best best,
            List<Point> line,
            BestSize bestSize,
            Map<String, String> charts,
            List<Node> tree,
            List<String> warnings,
            String yaml) {}

    record BestSize(String parameter, Object size, List<Object> within, Double outputTokS) {}

    record Node(int parent, int depth, int rank, double probability) {}

    Choices choices() {
        List<Card> cards = new ArrayList<>();
        List<String> engines = List.copyOf(model.catalogue().ids(CatalogueKind.ENGINE));
        for (String gpu : model.catalogue().ids(CatalogueKind.GPU)) {
            cards.add(new Card(
                    gpu, engines.stream().filter(e -> model.hasProfile(gpu, e)).toList()));
        }
        List<String> dtypes = new ArrayList<>();
        for (Dtype d : List.of(Dtype.BF16, Dtype.FP8, Dtype.NVFP4, Dtype.INT4)) {
            dtypes.add(d.id());
        }
        List<MethodChoice> methods = new ArrayList<>();
        for (Method m : Methods.all()) {
            if (!m.kind().equals("autoregressive")) {
                methods.add(new MethodChoice(m.kind(), m.summary(), branches(m), m.params()));
            }
        }
        return new Choices(
                cards,
                List.copyOf(model.catalogue().ids(CatalogueKind.MODEL)),
                List.copyOf(model.catalogue().ids(CatalogueKind.DRAFTER)),
                engines,
                dtypes,
                methods);
    }

    /** Only trees limit the candidates per depth. */
    private static boolean branches(Method m) {
        return m.params().stream().anyMatch(p -> p.name().equals(Method.TOP_K));
    }

    Answer answer(Controls c) throws IOException {
        String yaml = WhatIfScenario.yaml(c);
        ScenarioFile file = model.read("scenario.yaml", yaml);
        Result result = model.explore(file);
        List<Point> line = line(result, c);
        Point point = at(line, c.concurrency());
        Map<String, String> charts = new LinkedHashMap<>();
        for (Map.Entry<String, Plot> e : plots(result).entrySet()) {
            charts.put(e.getKey(), e.getValue().sized(CHART_WIDTH, CHART_HEIGHT).svg(e.getKey()));
        }
        return new Answer(
                point,
                at(
                        result.points().stream()
                                .filter(p -> p.method().equals(WhatIfScenario.AUTOREGRESSIVE))
                                .toList(),
                        c.concurrency()),
                result.best().stream()
                        .filter(b -> Objects.equals(b.load().concurrency(), c.concurrency()))
                        .findFirst()
                        .orElse(null),
                line,
                bestSize(result, c),
                charts,
                tree(file.variants().get(0), c, point),
                result.warnings(),
                yaml);
    }

    /** One chart of a setting. */
    Plot plot(Controls c, String name) {
        Result result = model.explore(model.read("scenario.yaml", WhatIfScenario.yaml(c)));
        Plot plot = plots(result).get(name);
        if (plot == null) {
            throw new IllegalArgumentException("there is no chart " + name + " of these settings");
        }
        return plot;
    }

    private static Map<String, Plot> plots(Result result) {
        Map<String, Plot> plots = new LinkedHashMap<>();
        for (ExploreCharts.Named chart : ExploreCharts.of(result)) {
            String name = chart.name().get(0);
            if (List.of("budget", "speedup", "pareto", "terms").contains(name)) {
                plots.putIfAbsent(name, chart.plot().get());
            }
        }
        return plots;
    }

    /** Points of the chosen arm, one per concurrency. */
    private static List<Point> line(Result result, Controls c) {
        String size = WhatIfScenario.size(c);
        return result.points().stream()
                .filter(p -> p.method().equals(c.method())
                        && (size == null
                                || sizeOf(p, size) == null
                                || sizeOf(p, size).equals(c.parameters().get(size))))
                .toList();
    }

    private static Point at(List<Point> points, int concurrency) {
        return points.stream()
                .filter(p -> Objects.equals(p.load().concurrency(), concurrency))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("these settings have no point of their own"));
    }

    /** Value of a point's size parameter, null where the method has one value only. */
    private static Object sizeOf(Point p, String parameter) {
        if (parameter.equals("budget")) {
            return p.budget();
        }
        return p.parameters() == null ? null : p.parameters().get(parameter);
    }

    /** Best size of the chosen method at the chosen concurrency, and the sizes within 2 % of its output. */
    private static BestSize bestSize(Result result, Controls c) {
        String size = WhatIfScenario.size(c);
        if (size == null) {
            return null;
        }
        List<Point> family = result.points().stream()
                .filter(p -> p.method().equals(c.method())
                        && p.feasible()
                        && Objects.equals(p.load().concurrency(), c.concurrency())
                        && sizeOf(p, size) != null)
                .toList();
        Point best = family.stream()
                .max(java.util.Comparator.comparingDouble(Point::outputTokS))
                .orElse(null);
        if (best == null) {
            return null;
        }
        List<Object> within = family.stream()
                .filter(p -> p.outputTokS() >= 0.98 * best.outputTokS())
                .map(p -> sizeOf(p, size))
                .toList();
        return new BestSize(size, sizeOf(best, size), within, best.outputTokS());
    }

    private static List<Node> tree(Scenario scenario, Controls c, Point point) {
        Map<String, List<Object>> values = new LinkedHashMap<>();
        c.parameters().forEach((k, v) -> values.put(k, List.of(v)));
        Arm arm = Arm.expand(
                        new MethodSpec(c.method(), c.method(), values, dev.foretoken.sim.scenario.EngineSettings.NONE))
                .get(0);
        Design design = arm.method().design(arm);
        if (design instanceof Design.CostAware aware) {
            int budget = point.budget() == null ? aware.maxBudget() : point.budget();
            design = new Design.Tree(aware.depth(), aware.topK(), budget, aware.chainSeed());
        }
        AcceptanceForm form = scenario.workloads().get(0).acceptanceOf(c.method(), c.method());
        TypicalTree typical;
        if (form instanceof AcceptanceForm.Srt srt) {
            typical = TypicalTree.of(srt, design);
        } else {
            AcceptanceLaw law = Laws.of(form, design).central();
            typical = TypicalTree.chain(Survival.fromPmf(law.pmf()));
        }
        List<Node> nodes = new ArrayList<>();
        for (int n = 0; n < Math.min(MOST_NODES, typical.tree().size()); n++) {
            nodes.add(new Node(
                    typical.tree().parent(n),
                    typical.tree().depth(n),
                    typical.tree().rank(n),
                    typical.reach()[n]));
        }
        return nodes;
    }
}
