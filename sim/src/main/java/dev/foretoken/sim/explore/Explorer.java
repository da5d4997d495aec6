package dev.foretoken.sim.explore;

import dev.foretoken.sim.acceptance.AcceptanceRefused;
import dev.foretoken.sim.analytical.Steady;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.method.Autoregressive;
import dev.foretoken.sim.method.Method;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.LoadSpec;
import dev.foretoken.sim.scenario.MethodSpec;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.scenario.Slo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * The analytical model over the whole grid of a scenario: TP x workload x method arms x load.
 *
 * <p>Every point is compared with autoregressive decoding at the same TP, workload and load, with the autoregressive arm's own
 * engine flags; where the scenario lists none, one with the scenario's flags is computed.
 */
public final class Explorer {
    private final Scenario scenario;
    private final RoundTimes times;
    private final LaunchFlags launch;
    private final LawCache laws = new LawCache();
    private final List<String> warnings = new ArrayList<>();

    /** Launch flags of an engine for an arm; null where the engine is not known. */
    public interface LaunchFlags {
        LaunchFlags NONE = (scenario, arm, engine, tp) -> null;

        String of(Scenario scenario, Arm arm, EngineSettings engine, int tp);
    }

    public Explorer(Scenario scenario, RoundTimes times, LaunchFlags launch) {
        this.scenario = scenario;
        this.times = times;
        this.launch = launch;
    }

    /** Number of points that {@link #explore} will compute. */
    public long size() {
        long arms =
                scenario.methods().stream().mapToLong(m -> Arm.expand(m).size()).sum();
        return arms
                * scenario.tpSizes().size()
                * WorkloadMix.of(scenario.workloads()).size()
                * OfferedLoad.of(scenario.loads(), new ArrayList<>()).size();
    }

    /**
     * Evaluates the grid.
     *
     * @param version of the program, for the result
     * @param scenarioHash for the result
     * @param progress told the number of finished points now and then
     */
    public Result explore(String version, String scenarioHash, LongConsumer progress) {
        List<OfferedLoad> loads = OfferedLoad.of(scenario.loads(), warnings);
        warnThinkTimes();
        if (times instanceof BlackBoxTimes blackBox) {
            warnings.addAll(blackBox.warnings());
        }
        Map<String, List<Arm>> arms = new LinkedHashMap<>();
        Map<String, Set<String>> shown = new LinkedHashMap<>();
        for (MethodSpec m : scenario.methods()) {
            arms.put(m.id(), Arm.expand(m));
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
        Ranking ranking = new Ranking(scenario, launch);
        List<Point> points = new ArrayList<>(drafts.size());
        for (PointDraft d : drafts) {
            points.add(d.finish(scenario.variant(), parameters(d.arm, shown.get(d.arm.id()))));
        }
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
                Result.ANALYTICAL,
                points,
                ranking.best(drafts, warnings),
                ranking.switchTable(drafts),
                ranking.crossovers(drafts),
                ranking.goodput(drafts),
                List.copyOf(new LinkedHashSet<>(warnings)));
    }

    private void warnThinkTimes() {
        for (LoadSpec l : scenario.loads()) {
            if (l instanceof LoadSpec.Closed c
                    && c.thinkTime().meanMs() > 0
                    && c.thinkTime().dist().equals(LoadSpec.ThinkTime.FIXED)) {
                warnings.add(
                        "fixed think times are treated as exponential ones of the same mean; simulate takes them as they"
                                + " are");
            }
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

    /** The arm under every load; of several alternatives the one with the most output (closed) or least TPOT (open). */
    private List<PointDraft> evaluate(Arm arm, int tp, WorkloadMix mix, List<OfferedLoad> loads) {
        EngineSettings engine = scenario.engine().overriddenBy(arm.engine());
        List<PointEvaluator> alternatives = new ArrayList<>();
        String refused = null;
        for (Arm a : arm.method().alternatives(arm)) {
            try {
                alternatives.add(PointEvaluator.prepare(scenario, times, laws, a, engine, tp, mix));
            } catch (AcceptanceRefused | IllegalArgumentException e) {
                refused = e.getMessage();
            }
        }
        List<PointDraft> points = new ArrayList<>(loads.size());
        for (OfferedLoad load : loads) {
            PointDraft best = null;
            for (PointEvaluator e : alternatives) {
                PointDraft p = e.point(load);
                if (best == null || Ranking.better(p, best)) {
                    best = p;
                    best.prefillMs = e.prefillMs();
                    best.meanOsl = e.meanOsl();
                }
            }
            if (best == null) {
                best = new PointDraft(tp, arm, mix.id(), load.label()).infeasible(refused);
            } else if (alternatives.size() > 1) {
                best.notes.add("budget " + best.arm.budget() + " chosen by cost among " + alternatives.size());
            }
            noteOverrides(arm, best);
            points.add(best);
        }
        return points;
    }

    private static void noteOverrides(Arm arm, PointDraft p) {
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
