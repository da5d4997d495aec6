package dev.foretoken.sim.scenario;

import dev.foretoken.sim.acceptance.ForcedAcceptance;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What to explore, simulate or validate: one card type, one target, one engine, and the axes of the grid.
 *
 * @param name shown in results
 * @param seed base of every random stream
 * @param hardware cards; null with black-box rounds only
 * @param target served model; null with black-box rounds only
 * @param engine effective flags of the scenario (catalogue defaults filled in)
 * @param methods at least one
 * @param workloads at least one
 * @param loads at least one
 * @param budgetByConcurrency adaptive budgets by method id: the budget of the largest key not above the running requests
 * @param forcedAcceptance engine-forced acceptance, null = none
 * @param slo limits, null = none
 * @param tolerance relative tolerances of validate by figure
 * @param simulate stop rule of simulations
 * @param calibration where round times come from
 * @param variant values of the axes that are neither TP, method, workload nor load, by key; empty when there are none
 */
public record Scenario(
        String name,
        long seed,
        Hardware hardware,
        Target target,
        EngineSettings engine,
        List<MethodSpec> methods,
        List<Workload> workloads,
        List<LoadSpec> loads,
        Map<String, NavigableMap<Integer, Integer>> budgetByConcurrency,
        ForcedAcceptance forcedAcceptance,
        Slo slo,
        Map<String, Double> tolerance,
        SimulateOptions simulate,
        Calibration calibration,
        Map<String, String> variant) {

    public static final String SCHEMA = "foretoken/scenario/1";

    public Scenario {
        methods = List.copyOf(methods);
        workloads = List.copyOf(workloads);
        loads = List.copyOf(loads);
        Map<String, NavigableMap<Integer, Integer>> budgets = new TreeMap<>();
        budgetByConcurrency.forEach((k, v) -> budgets.put(k, Collections.unmodifiableNavigableMap(new TreeMap<>(v))));
        budgetByConcurrency = Collections.unmodifiableMap(budgets);
        tolerance = Map.copyOf(tolerance);
        variant = Collections.unmodifiableMap(new TreeMap<>(variant));
        if (methods.isEmpty() || workloads.isEmpty() || loads.isEmpty()) {
            throw new IllegalArgumentException("a scenario needs at least one method, one workload and one load");
        }
        if (!calibration.blackBox() && (hardware == null || target == null)) {
            throw new IllegalArgumentException("without calibration.round_times a scenario needs hardware and target");
        }
    }

    /** TP sizes of the grid: the hardware's, else 1. */
    public List<Integer> tpSizes() {
        return hardware == null ? List.of(1) : hardware.tp();
    }

    /** The same scenario with another base of its random streams. */
    public Scenario withSeed(long value) {
        return new Scenario(
                name,
                value,
                hardware,
                target,
                engine,
                methods,
                workloads,
                loads,
                budgetByConcurrency,
                forcedAcceptance,
                slo,
                tolerance,
                simulate,
                calibration,
                variant);
    }
}
