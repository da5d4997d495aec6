package dev.foretoken.validation.validate;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.ForcedAcceptance;
import dev.foretoken.sim.explore.Explorer;
import dev.foretoken.sim.explore.LaunchFlags;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.method.Autoregressive;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.Hardware;
import dev.foretoken.sim.scenario.LengthDistribution;
import dev.foretoken.sim.scenario.LoadSpec;
import dev.foretoken.sim.scenario.MethodSpec;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.scenario.Workload;
import dev.foretoken.validation.measure.MeasuredAcceptance;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Predictions of one arm of a scenario by the analytical model, with the scenario's acceptance or with a measured one. */
public final class ScenarioPredictor {
    private final Scenario scenario;
    private final RoundTimes times;

    /** @param times of the scenario, for every TP size of it */
    public ScenarioPredictor(Scenario scenario, RoundTimes times) {
        this.scenario = scenario;
        this.times = times;
    }

    public Scenario scenario() {
        return scenario;
    }

    /** Prediction with the scenario's own acceptance (forced, where the scenario forces it). */
    public Point full(Arm arm, int tp, Workload workload, LoadSpec load) {
        return predict(arm, tp, workload, load, scenario.forcedAcceptance());
    }

    /**
     * Prediction with measured acceptance.
     *
     * @return null when a law cannot be made of it for this arm (n-gram drafts: its rounds are conditional on firing)
     */
    public Point withAcceptance(Arm arm, int tp, Workload workload, LoadSpec load, MeasuredAcceptance measured) {
        AcceptanceForm form = form(arm, measured);
        if (form == null) {
            return null;
        }
        Map<String, AcceptanceForm> acceptance = new LinkedHashMap<>(workload.acceptance());
        acceptance.put(arm.id(), form);
        Workload w = new Workload(workload.id(), workload.isl(), workload.osl(), workload.share(), acceptance);
        return predict(arm, tp, w, load, null);
    }

    /** The same workload with the prompt and answer lengths that were measured. */
    public static Workload withLengths(Workload w, Double promptTokens, Double outputTokens) {
        LengthDistribution isl = promptTokens != null && w.isl().isFixed()
                ? new LengthDistribution.Fixed((int) Math.max(1, Math.round(promptTokens)))
                : w.isl();
        LengthDistribution osl = outputTokens != null && w.osl().isFixed()
                ? new LengthDistribution.Fixed((int) Math.max(1, Math.round(outputTokens)))
                : w.osl();
        return new Workload(w.id(), isl, osl, w.share(), w.acceptance());
    }

    private static AcceptanceForm form(Arm arm, MeasuredAcceptance m) {
        int most = arm.method().maxAccepted(arm);
        if (arm.method().fireRate(arm) < 1 || most == 0) {
            return null;
        }
        boolean tree =
                arm.budget() != null && arm.budget() > 0 && !Integer.valueOf(1).equals(arm.topK());
        if (!tree) {
            if (m.survival() == null) {
                return new AcceptanceForm.AcceptLength(Math.min(m.acceptLength(), most + 1));
            }
            List<Double> survival = new ArrayList<>();
            for (int i = 0; i < most; i++) {
                survival.add(i < m.survival().length ? m.survival()[i] : 0.0);
            }
            return new AcceptanceForm.PerPosition(survival, false);
        }
        NavigableMap<Integer, Double> byBudget = new TreeMap<>();
        byBudget.put(arm.budget(), Math.min(m.acceptLength(), most + 1));
        return new AcceptanceForm.AcceptLengthByBudget(byBudget);
    }

    private Point predict(Arm arm, int tp, Workload workload, LoadSpec load, ForcedAcceptance forced) {
        Map<String, List<Object>> values = new LinkedHashMap<>();
        arm.values().forEach((k, v) -> values.put(k, List.of(v)));
        MethodSpec only = new MethodSpec(arm.id(), arm.kind(), values, arm.engine());
        Hardware h = scenario.hardware();
        Hardware hardware = h == null
                ? null
                : new Hardware(
                        h.gpu(),
                        h.count(),
                        List.of(tp),
                        h.link(),
                        h.p2p(),
                        h.customAllReduce(),
                        h.powerLimitW(),
                        h.pricePerGpuHour());
        Scenario one = new Scenario(
                scenario.name(),
                scenario.seed(),
                hardware,
                scenario.target(),
                scenario.engine(),
                List.of(only),
                List.of(workload),
                List.of(load),
                scenario.budgetByConcurrency(),
                arm.method() instanceof Autoregressive ? null : forced,
                null,
                Map.of(),
                scenario.simulate(),
                scenario.calibration(),
                scenario.variant());
        Result r = new Explorer(one, times, LaunchFlags.NONE).explore("", "", n -> {});
        if (r.points().isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", r.warnings()));
        }
        return r.points().get(0);
    }

    /** Every load of the scenario one by one, in its order. */
    public static List<LoadSpec> single(List<LoadSpec> loads) {
        List<LoadSpec> list = new ArrayList<>();
        for (LoadSpec l : loads) {
            if (l instanceof LoadSpec.Closed c) {
                c.concurrency().forEach(n -> list.add(new LoadSpec.Closed(List.of(n), c.thinkTime(), c.staggered())));
            } else if (l instanceof LoadSpec.Poisson p) {
                p.ratePerS().forEach(r -> list.add(new LoadSpec.Poisson(List.of(r))));
            } else if (l instanceof LoadSpec.Gamma g) {
                for (double r : g.ratePerS()) {
                    for (double b : g.burstiness()) {
                        list.add(new LoadSpec.Gamma(List.of(r), List.of(b)));
                    }
                }
            } else {
                list.add(l);
            }
        }
        return list;
    }

    /** Rates by position for messages. */
    static String shown(double[] survival) {
        return Arrays.toString(
                Arrays.stream(survival).map(v -> Math.round(v * 1000) / 1000.0).toArray());
    }
}
