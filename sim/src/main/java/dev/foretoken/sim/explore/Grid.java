package dev.foretoken.sim.explore;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.analytical.Steady;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.method.Autoregressive;
import dev.foretoken.sim.method.Method;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.MethodSpec;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.scenario.Slo;
import dev.foretoken.sim.scenario.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * The grid of a scenario: TP x workload x method arms x load, whoever works out the points.
 *
 * <p>Every point is compared with autoregressive decoding at the same TP, workload and load, with the autoregressive arm's own
 * engine flags; where the scenario lists none, one with the scenario's flags is computed.
 */
abstract class Grid {
    final Scenario scenario;
    final RoundTimes times;
    final LawCache laws = new LawCache();
    final List<String> warnings = new ArrayList<>();
    private final LaunchFlags launch;
    private final String engine;

    /**
     * @param engine what works out the points, as results name it
     */
    Grid(Scenario scenario, RoundTimes times, LaunchFlags launch, String engine) {
        this.scenario = scenario;
        this.times = times;
        this.launch = launch;
        this.engine = engine;
    }

    /** Loads that can be answered; others are named in the warnings. */
    abstract List<OfferedLoad> loads();

    /** One arm under every load. */
    abstract List<PointDraft> evaluate(Arm arm, int tp, WorkloadMix mix, List<OfferedLoad> loads);

    /** Number of points. */
    public final long size() {
        long arms =
                scenario.methods().stream().mapToLong(m -> Arm.expand(m).size()).sum();
        return arms
                * scenario.tpSizes().size()
                * WorkloadMix.of(scenario.workloads()).size()
                * OfferedLoad.of(scenario.loads()).size();
    }

    /**
     * Evaluates the grid.
     *
     * @param version of the program, for the result
     * @param scenarioHash for the result
     * @param progress told the number of finished points now and then
     */
    final Result run(String version, String scenarioHash, LongConsumer progress) {
        List<OfferedLoad> loads = loads();
        Map<String, List<Arm>> arms = new LinkedHashMap<>();
        Map<String, Set<String>> shown = new LinkedHashMap<>();
        for (MethodSpec m : scenario.methods()) {
            arms.put(m.id(), arms(m));
            shown.put(m.id(), shownParameters(m));
        }
        Arm autoregressive = arms.values().stream()
                .flatMap(List::stream)
                .filter(a -> a.method() instanceof Autoregressive)
                .findFirst()
                .orElseGet(() ->
                        new Arm("autoregressive", new Autoregressive(), Map.of(), EngineSettings.NONE, List.of()));
        List<PointDraft> drafts = new ArrayList<>();
        for (int tp : scenario.tpSizes()) {
            for (WorkloadMix mix : WorkloadMix.of(scenario.workloads())) {
                List<PointDraft> baseline = evaluate(autoregressive, tp, mix, loads);
                for (List<Arm> of : arms.values()) {
                    for (Arm arm : of) {
                        List<PointDraft> points = arm == autoregressive ? baseline : evaluate(arm, tp, mix, loads);
                        for (int i = 0; i < points.size(); i++) {
                            compare(points.get(i), baseline.get(i), loads.get(i), mix);
                        }
                        drafts.addAll(points);
                        progress.accept(drafts.size());
                    }
                }
            }
        }
        if (times instanceof BlackBoxTimes blackBox) {
            warnings.addAll(blackBox.warnings());
        }
        warnExtrapolated(drafts);
        arms.values().forEach(this::warnShallow);
        Ranking ranking = new Ranking(scenario, launch);
        List<Point> points = new ArrayList<>(drafts.size());
        for (PointDraft d : drafts) {
            points.add(d.finish(scenario.variant(), parameters(d.arm, shown.get(d.arm.id()))));
        }
        finished(drafts, points);
        if (points.stream().noneMatch(Point::feasible)) {
            Set<String> reasons = new LinkedHashSet<>();
            points.forEach(p -> reasons.add(p.reason()));
            warnings.add("no point of the grid is feasible: " + String.join("; ", reasons));
        }
        return new Result(
                Result.SCHEMA,
                version,
                scenario.name(),
                scenarioHash,
                scenario.seed(),
                engine,
                points,
                ranking.best(drafts, warnings),
                ranking.switchTable(drafts),
                ranking.crossovers(drafts),
                ranking.goodput(drafts),
                ranking.layouts(drafts),
                List.of(),
                List.copyOf(new LinkedHashSet<>(warnings)));
    }

    /** Told of all points, drafts and finished ones in the same order, before the result is put together. */
    void finished(List<PointDraft> drafts, List<Point> points) {}

    /** Arms of a method; where its budget adapts to the running requests, one per combination of the other parameters. */
    private List<Arm> arms(MethodSpec m) {
        List<Arm> all = Arm.expand(m);
        if (!scenario.budgetByConcurrency().containsKey(m.id())) {
            return all;
        }
        Map<Map<String, Object>, Arm> distinct = new LinkedHashMap<>();
        for (Arm arm : all) {
            Map<String, Object> others = new LinkedHashMap<>(arm.values());
            others.remove(Method.BUDGET);
            distinct.putIfAbsent(others, arm);
        }
        if (distinct.size() < all.size()) {
            warnings.add(
                    droppedBudgets(m.id(), all, distinct.values().iterator().next()));
        }
        return List.copyOf(distinct.values());
    }

    private String droppedBudgets(String id, List<Arm> all, Arm kept) {
        List<Integer> budgets = all.stream().map(Arm::budget).distinct().toList();
        int first = scenario.budgetByConcurrency().get(id).firstKey();
        return id + ": the budgets " + budgets + " are no axis, since budget_by_concurrency sets the budget"
                + (first > 1 ? "; below " + first + " running requests it is " + kept.budget() : "");
    }

    /** A fitted law says nothing of positions beyond its depth, which then count as never accepted. */
    private void warnShallow(List<Arm> arms) {
        if (scenario.forcedAcceptance() != null) {
            return;
        }
        for (Workload w : scenario.workloads()) {
            int drafted = 0;
            Arm deepest = null;
            for (Arm arm : arms) {
                int positions = arm.speculative() ? Laws.positions(arm.method().design(arm)) : 0;
                if (positions > drafted) {
                    drafted = positions;
                    deepest = arm;
                }
            }
            if (deepest != null
                    && w.acceptanceOf(deepest.id(), deepest.kind()) instanceof AcceptanceForm.Srt srt
                    && srt.depth() < drafted) {
                warnings.add(deepest.id() + " drafts " + drafted + " positions, its acceptance on workload " + w.id()
                        + " (srt) covers " + srt.depth() + ": deeper ones count as never accepted, so its figures are a"
                        + " lower bound; measure it at its own length, or carry the fitted law on with calibrate"
                        + " acceptance --depth " + drafted);
            }
        }
    }

    private void warnExtrapolated(List<PointDraft> drafts) {
        long outside =
                drafts.stream().filter(d -> d.feasible() && d.extrapolated).count();
        if (outside > 0) {
            warnings.add(
                    outside + " of " + drafts.size() + " points use round times outside the measured rows or contexts:"
                            + " they are marked extrapolated; measure up to the largest concurrency times the largest width");
        }
    }

    /** Axes of a method with several values that a point's own fields do not show. */
    private static Set<String> shownParameters(MethodSpec m) {
        Set<String> names = new LinkedHashSet<>();
        m.values().forEach((name, values) -> {
            if (values.size() > 1 && !name.equals(Method.BUDGET) && !name.equals(Method.TOP_K)) {
                names.add(name);
            }
        });
        return names;
    }

    private static Map<String, Object> parameters(Arm arm, Set<String> names) {
        Map<String, Object> shown = new LinkedHashMap<>();
        for (String n : names) {
            if (arm.values().containsKey(n)) {
                shown.put(n, arm.values().get(n));
            }
        }
        return shown;
    }

    static void noteOverrides(Arm arm, PointDraft p) {
        if (!arm.engine().equals(EngineSettings.NONE)) {
            p.notes.add("runs with its own engine flags: " + arm.engine().given());
        }
    }

    private void compare(PointDraft p, PointDraft ar, OfferedLoad load, WorkloadMix mix) {
        if (!p.feasible()) {
            return;
        }
        Slo slo = scenario.slo();
        if (slo != null) {
            p.meetsSlo = p.unstable ? Boolean.FALSE : meets(p, slo);
        }
        Double price = scenario.hardware() == null ? null : scenario.hardware().pricePerGpuHour();
        if (price != null) {
            p.costPerMillionTokens = price * p.tp / 3600 / p.outputTokS * 1e6;
        }
        if (!ar.feasible()) {
            p.notes.add("no speed-up: autoregressive decoding is not feasible here: " + ar.reason);
            return;
        }
        if (load.clients() != null) {
            p.speedupVsAr = p.outputTokS / ar.outputTokS;
            breakEven(p, ar, load);
        } else if (p.meanTpotMs() != null && ar.meanTpotMs() != null) {
            p.speedupVsAr = ar.meanTpotMs() / p.meanTpotMs();
        } else {
            p.notes.add("no speed-up: " + (ar.unstable ? "autoregressive decoding" : "this arm")
                    + " does not sustain the offered rate on workload " + mix.id());
        }
    }

    /**
     * Saturated closed loop: tokens per round at which X equals the autoregressive rate, from r L / (R t + r p) = X_ar.
     */
    private static void breakEven(PointDraft p, PointDraft ar, OfferedLoad load) {
        Steady s = p.steady;
        if (load.thinkMs() > 0 || !p.arm.speculative() || s == null) {
            return;
        }
        double n = s.resident();
        double rounds = (n * p.meanOsl / (ar.outputTokS / 1000) - n * p.prefillMs) / s.roundMs();
        if (rounds > 0 && p.meanOsl > 1) {
            p.breakEvenAcceptLength = (p.meanOsl - 1) / rounds;
        }
    }

    /** Whether every limit holds: false as soon as one is broken, null when none is but one is unknown. */
    private static Boolean meets(PointDraft p, Slo slo) {
        boolean unknown = false;
        for (Map.Entry<String, Double> limit : slo.limitsMs().entrySet()) {
            String[] parts = limit.getKey().replaceFirst("_ms$", "").split("_(?=[^_]+$)");
            Point.Stat stat = switch (parts[0]) {
                case "ttft" -> p.ttftMs;
                case "tpot" -> p.tpotMs;
                case "e2e" -> p.e2eMs;
                default -> p.roundGapMs;
            };
            Double value = stat == null ? null : stat.get(parts[1]);
            if (value == null) {
                unknown = true;
                p.notes.add(limit.getKey() + " is unknown to the analytical model: simulate gives it");
            } else if (value > limit.getValue()) {
                return Boolean.FALSE;
            }
        }
        return unknown ? null : Boolean.TRUE;
    }
}
