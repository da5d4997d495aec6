package dev.foretoken.cli;

import dev.foretoken.sim.explore.SimulatedGrid;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.method.Param;
import dev.foretoken.sim.result.Best;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.scenario.Hardware;
import dev.foretoken.sim.scenario.LoadSpec;
import dev.foretoken.sim.scenario.MethodSpec;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.scenario.Workload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Best arms of an explored grid, simulated: one sentence each. */
final class Confirmation {
    private Confirmation() {}

    /** Simulates the first {@code count} best arms. */
    static List<String> of(Workspace workspace, List<Scenario> variants, Result result, int count, Common common)
            throws IOException {
        List<String> sentences = new ArrayList<>();
        List<Best> best = result.best().subList(0, Math.min(count, result.best().size()));
        try (Common.Progress progress = common.progress("simulate the best", best.size());
                PointStore store = PointStore.none()) {
            for (Best b : best) {
                sentences.add(one(workspace, variants, b, store));
                progress.accept(sentences.size());
            }
        }
        return sentences;
    }

    private static String one(Workspace workspace, List<Scenario> variants, Best b, PointStore store) {
        Map<String, String> labels = b.variant() == null ? Map.of() : b.variant();
        Scenario whole = variants.stream()
                .filter(s -> s.variant().equals(labels))
                .findFirst()
                .orElseThrow();
        SimulatedGrid grid = SimulateCommand.grid(workspace, only(whole, b), store, RunFiles.NONE);
        Point p = grid.simulate(Main.version(), "", n -> {}).points().stream()
                .filter(x -> x.workload().equals(b.workload()))
                .findFirst()
                .orElseThrow();
        String what = String.format(
                Locale.ROOT,
                "simulated: %s%s, TP %d, %s at %s: ",
                b.method(),
                b.budget() == null ? "" : " budget " + b.budget(),
                b.tp(),
                b.workload(),
                b.load().label());
        if (!p.feasible()) {
            return what + p.reason();
        }
        String range = p.interval() == null
                ? ""
                : String.format(
                        Locale.ROOT,
                        " [%.1f, %.1f]",
                        p.interval().outputTokS().get(0),
                        p.interval().outputTokS().get(1));
        return what
                + String.format(
                        Locale.ROOT,
                        "%.1f%s tok/s against %.1f explored (%+.1f %%)",
                        p.outputTokS(),
                        range,
                        b.outputTokS(),
                        100 * (b.outputTokS() / p.outputTokS() - 1));
    }

    /** The scenario with one TP, arm, workload (or mix) and load. */
    private static Scenario only(Scenario s, Best b) {
        Hardware h = s.hardware();
        Hardware one = h == null
                ? null
                : new Hardware(
                        h.gpu(),
                        h.count(),
                        List.of(b.tp()),
                        h.link(),
                        h.p2p(),
                        h.customAllReduce(),
                        h.powerLimitW(),
                        h.pricePerGpuHour());
        List<Workload> workloads =
                s.workloads().stream().filter(w -> w.id().equals(b.workload())).toList();
        return new Scenario(
                s.name(),
                s.seed(),
                one,
                s.target(),
                s.engine(),
                List.of(only(s, spec(s, b.method()), b)),
                workloads.isEmpty() ? s.workloads() : workloads,
                List.of(load(s, b.load())),
                s.budgetByConcurrency(),
                s.forcedAcceptance(),
                null,
                s.tolerance(),
                s.simulate(),
                s.calibration(),
                s.variant());
    }

    private static MethodSpec spec(Scenario s, String id) {
        return s.methods().stream().filter(m -> m.id().equals(id)).findFirst().orElseThrow();
    }

    private static MethodSpec only(Scenario s, MethodSpec spec, Best b) {
        boolean adaptive = s.budgetByConcurrency().containsKey(spec.id());
        Arm arm = Arm.expand(spec).stream()
                .filter(a ->
                        adaptive || a.method().alternatives(a).size() > 1 || Objects.equals(a.budget(), b.budget()))
                .filter(a -> Objects.equals(a.topK(), b.topK())
                        && Objects.equals(a.method().draftTokens(a), b.draftTokens()))
                .findFirst()
                .orElseThrow();
        Map<String, List<Object>> values = new LinkedHashMap<>();
        for (Param p : arm.method().params()) {
            if (arm.values().containsKey(p.name())) {
                values.put(p.name(), List.of(arm.values().get(p.name())));
            }
        }
        return new MethodSpec(spec.id(), spec.kind(), values, spec.engine());
    }

    private static LoadSpec load(Scenario s, Point.LoadPoint point) {
        if (point.concurrency() == null) {
            return new LoadSpec.Poisson(List.of(point.ratePerS()));
        }
        return s.loads().stream()
                .filter(l -> l instanceof LoadSpec.Closed c && c.concurrency().contains(point.concurrency()))
                .map(LoadSpec.Closed.class::cast)
                .map(c -> (LoadSpec) new LoadSpec.Closed(List.of(point.concurrency()), c.thinkTime(), c.staggered()))
                .findFirst()
                .orElseThrow();
    }
}
