package dev.foretoken.sim.explore;

import dev.foretoken.sim.acceptance.AcceptanceRefused;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.LoadSpec;
import dev.foretoken.sim.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/** The analytical model over the whole grid of a scenario. */
public final class Explorer extends Grid {

    public Explorer(Scenario scenario, RoundTimes times, LaunchFlags launch) {
        super(scenario, times, launch, Result.ANALYTICAL);
    }

    /**
     * Evaluates the grid.
     *
     * @param version of the program, for the result
     * @param scenarioHash for the result
     * @param progress told the number of finished points now and then
     */
    public Result explore(String version, String scenarioHash, LongConsumer progress) {
        return run(version, scenarioHash, progress);
    }

    @Override
    List<OfferedLoad> loads() {
        warnThinkTimes();
        List<OfferedLoad> answered = new ArrayList<>();
        for (OfferedLoad load : OfferedLoad.of(scenario.loads())) {
            if (load.analytical()) {
                answered.add(load);
            } else {
                warnings.add("load " + load.label().kind()
                        + " is left out: the analytical model has no answer for it, simulate does");
            }
        }
        return answered;
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

    /** The arm under every load; of several alternatives the one with the most output (closed) or least TPOT (open). */
    @Override
    List<PointDraft> evaluate(Arm arm, int tp, WorkloadMix mix, List<OfferedLoad> loads) {
        EngineSettings engine = scenario.engine().overriddenBy(arm.engine());
        List<PointEvaluator> alternatives = new ArrayList<>();
        String refused = null;
        try {
            for (Arm a : arm.method().alternatives(arm)) {
                alternatives.add(PointEvaluator.prepare(scenario, times, laws, a, engine, tp, mix));
            }
        } catch (AcceptanceRefused | IllegalArgumentException e) {
            alternatives.clear();
            refused = e.getMessage();
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
}
