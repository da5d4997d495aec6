package dev.foretoken.sim.explore;

import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.acceptance.AcceptanceRefused;
import dev.foretoken.sim.acceptance.FiringLaw;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.method.Method;
import dev.foretoken.sim.result.Num;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.round.GraphPadding;
import dev.foretoken.sim.round.RoundTime;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.LoadSpec;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.scenario.Workload;
import dev.foretoken.sim.serving.BudgetPolicy;
import dev.foretoken.sim.serving.EngineListener;
import dev.foretoken.sim.serving.EngineSetup;
import dev.foretoken.sim.serving.Estimate;
import dev.foretoken.sim.serving.LengthSampler;
import dev.foretoken.sim.serving.Load;
import dev.foretoken.sim.serving.MemoryLimits;
import dev.foretoken.sim.serving.RoundOption;
import dev.foretoken.sim.serving.ServedArm;
import dev.foretoken.sim.serving.ServedWorkload;
import dev.foretoken.sim.serving.SimulationOptions;
import dev.foretoken.sim.serving.SimulationPoint;
import dev.foretoken.sim.serving.SimulationRefused;
import dev.foretoken.sim.serving.Simulator;
import dev.foretoken.sim.serving.Spread;
import dev.foretoken.sim.serving.TraceSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/** The grid of a scenario by discrete-event simulation. */
public final class SimulatedGrid extends Grid {
    private final Support support;
    private final List<Simulated> simulated = new ArrayList<>();
    private final AtomicLong done = new AtomicLong();
    private LongConsumer progress = n -> {};

    /** What a simulation needs beside the scenario. */
    public interface Support {
        /** Pages and slots of an arm's cards. */
        MemoryLimits memory(Arm arm, EngineSettings engine, int tp);

        /** Requests of a trace file. */
        TraceSource trace(String file);

        /** The point of an earlier run that was interrupted, null when there is none. */
        default SimulationPoint finished(String key) {
            return null;
        }

        /**
         * Runs a point's simulation, with listeners or without; may be called from several threads.
         *
         * @param label names the point for people
         * @param simulation simulates with the listeners that it is given
         */
        default SimulationPoint run(String label, Function<EngineListener[], SimulationPoint> simulation) {
            return simulation.apply(new EngineListener[0]);
        }

        /** Told of every simulated point; may be called from several threads. */
        default void finish(String key, SimulationPoint point) {}
    }

    public SimulatedGrid(Scenario scenario, RoundTimes times, LaunchFlags launch, Support support) {
        super(scenario, times, launch, Result.SIMULATION);
        this.support = support;
    }

    /**
     * Simulates the grid.
     *
     * @param version of the program, for the result
     * @param scenarioHash for the result
     * @param told of the number of finished points now and then
     */
    public Result simulate(String version, String scenarioHash, LongConsumer told) {
        progress = told;
        return run(version, scenarioHash, n -> {});
    }

    /**
     * A point with its run.
     *
     * @param point as in the result
     * @param run its simulation
     */
    public record Simulated(Point point, SimulationPoint run) {}

    /** The simulated points of the grid, in the order of the result; empty before {@link #simulate}. */
    public List<Simulated> simulated() {
        return List.copyOf(simulated);
    }

    @Override
    void finished(List<PointDraft> drafts, List<Point> points) {
        int capped = 0;
        double widest = 0;
        String where = null;
        for (int i = 0; i < drafts.size(); i++) {
            SimulationPoint run = drafts.get(i).simulated;
            if (run == null) {
                continue;
            }
            simulated.add(new Simulated(points.get(i), run));
            if (run.targetMet()) {
                continue;
            }
            capped++;
            for (Map.Entry<String, Estimate> mean : means(run).entrySet()) {
                Estimate e = mean.getValue();
                // What is 0 in any table has no relative width.
                if (e != null && Math.abs(e.value()) >= 1e-3 && e.relHalfWidth() > widest) {
                    widest = e.relHalfWidth();
                    where = mean.getKey() + " of " + name(points.get(i));
                }
            }
        }
        if (capped > 0) {
            warnings.add(String.format(
                    Locale.ROOT,
                    "%d of %d simulated points stopped at max_requests %d before the interval of every mean was within "
                            + "%.3g %%%s",
                    capped,
                    simulated.size(),
                    scenario.simulate().maxRequests(),
                    100 * scenario.simulate().relHalfWidth(),
                    where == null
                            ? ""
                            : String.format(Locale.ROOT, "; the widest is +-%.3g %% (%s)", 100 * widest, where)));
        }
    }

    private static Map<String, Estimate> means(SimulationPoint run) {
        Map<String, Estimate> means = new LinkedHashMap<>();
        means.put("output_tok_s", run.outputTokS());
        means.put("ttft_ms", run.ttftMs() == null ? null : run.ttftMs().mean());
        means.put("tpot_ms", run.tpotMs() == null ? null : run.tpotMs().mean());
        means.put("e2e_ms", run.e2eMs() == null ? null : run.e2eMs().mean());
        return means;
    }

    private static String name(Point p) {
        return p.method() + (p.budget() == null ? "" : " budget " + p.budget()) + " on " + p.workload() + ", TP "
                + p.tp() + ", " + p.load().label();
    }

    @Override
    List<OfferedLoad> loads() {
        return OfferedLoad.of(scenario.loads());
    }

    @Override
    List<PointDraft> evaluate(Arm arm, int tp, WorkloadMix mix, List<OfferedLoad> loads) {
        if (arm.method().alternatives(arm).size() > 1) {
            return chosenByCost(arm, tp, mix, loads);
        }
        EngineSettings engine = scenario.engine().overriddenBy(arm.engine());
        Prepared prepared;
        try {
            prepared = prepare(arm, engine, tp, mix);
        } catch (AcceptanceRefused | IllegalArgumentException e) {
            String why = e.getMessage();
            return loads.stream()
                    .map(load -> new PointDraft(tp, arm, mix.id(), load.label()).infeasible(why))
                    .toList();
        }
        return IntStream.range(0, loads.size())
                .parallel()
                .mapToObj(i -> {
                    PointDraft p = simulate(prepared, loads.get(i));
                    noteOverrides(arm, p);
                    progress.accept(done.incrementAndGet());
                    return p;
                })
                .toList();
    }

    /** The setting that the analytical model chooses for each load, simulated. */
    private List<PointDraft> chosenByCost(Arm arm, int tp, WorkloadMix mix, List<OfferedLoad> loads) {
        List<PointDraft> points = new ArrayList<>();
        Explorer explorer = new Explorer(scenario, times, LaunchFlags.NONE);
        for (OfferedLoad load : loads) {
            if (load.trace() != null) {
                points.add(new PointDraft(tp, arm, mix.id(), load.label())
                        .infeasible("the budget is chosen by cost for a steady load: a trace has none"));
                continue;
            }
            OfferedLoad smooth = load.analytical()
                    ? load
                    : new OfferedLoad(load.label(), null, load.think(), false, load.ratePerS(), null, null);
            PointDraft choice = explorer.evaluate(arm, tp, mix, List.of(smooth)).get(0);
            if (!choice.feasible()) {
                points.add(new PointDraft(tp, arm, mix.id(), load.label()).infeasible(choice.reason));
                continue;
            }
            try {
                Prepared prepared = prepare(choice.arm, scenario.engine().overriddenBy(arm.engine()), tp, mix);
                PointDraft p = simulate(prepared, load);
                p.notes.add("budget " + choice.arm.budget() + " chosen by cost");
                points.add(p);
            } catch (AcceptanceRefused | IllegalArgumentException e) {
                points.add(new PointDraft(tp, arm, mix.id(), load.label()).infeasible(e.getMessage()));
            }
            progress.accept(done.incrementAndGet());
        }
        return points;
    }

    /** An arm on a workload, ready for every load. */
    private record Prepared(
            Arm arm,
            EngineSettings engine,
            int tp,
            WorkloadMix mix,
            RoundTimes.Timing timing,
            RoundTimes.Capacity capacity,
            EngineSetup setup,
            ServedArm served,
            List<ServedWorkload> workloads,
            NavigableMap<Integer, Arm> running,
            boolean openAcceptance,
            List<String> notes) {}

    private Prepared prepare(Arm arm, EngineSettings engine, int tp, WorkloadMix mix) {
        RoundTimes.Timing timing = times.of(arm, engine, tp);
        RoundTimes.Capacity capacity = mix.capacity(w -> times.capacity(arm, engine, tp, w));
        List<String> notes = new ArrayList<>(arm.notes());
        notes.addAll(timing.notes());
        NavigableMap<Integer, Integer> adaptive = scenario.budgetByConcurrency().get(arm.id());
        List<Arm> arms = new ArrayList<>();
        Map<Integer, Integer> optionByRunning = new TreeMap<>();
        if (adaptive != null) {
            notes.add("the budget adapts to the running requests: " + adaptive);
            if (adaptive.firstKey() > 1) {
                optionByRunning.put(1, arms.size());
                arms.add(arm);
            }
            adaptive.forEach((n, budget) -> {
                optionByRunning.put(n, arms.size());
                arms.add(arm.with(Method.BUDGET, budget));
            });
        } else {
            arms.add(arm);
        }
        NavigableMap<Integer, Arm> running = new TreeMap<>();
        optionByRunning.forEach((n, option) -> running.put(n, arms.get(option)));
        List<RoundOption> options = new ArrayList<>();
        for (Arm a : arms) {
            RoundTimes.Timing t = a == arm ? timing : times.of(a, engine, tp);
            options.add(new RoundOption(
                    a.budget() != null ? a.budget() : a.method().maxAccepted(a),
                    a.method().verifyWidth(a, engine.name()),
                    a.method().fireRate(a),
                    t.model()));
        }
        BudgetPolicy policy = adaptive != null ? BudgetPolicy.byConcurrency(optionByRunning) : BudgetPolicy.fixed(0);
        ServedArm served = ServedArm.of(options, policy);
        if (scenario.forcedAcceptance() != null && scenario.forcedAcceptance().sharedByBatch() && arm.speculative()) {
            served = served.withBatchLaw(
                    scenario.forcedAcceptance().law(arm.method().maxAccepted(arm)));
        }
        boolean open = false;
        List<ServedWorkload> workloads = new ArrayList<>();
        for (int i = 0; i < mix.workloads().size(); i++) {
            Workload w = mix.workloads().get(i);
            List<AcceptanceLaw> each = new ArrayList<>();
            for (Arm a : arms) {
                var band = laws.law(scenario, a, w);
                notes.addAll(band.notes());
                open |= band.hasBand();
                each.add(whenFired(band.central()));
            }
            workloads.add(new ServedWorkload(
                    w.id(),
                    LengthSampler.ofPmf(w.isl().min(), w.isl().pmf()),
                    LengthSampler.ofPmf(w.osl().min(), w.osl().pmf()),
                    mix.weights()[i],
                    each));
        }
        int most = engine.maxRunningRequests() == null ? Integer.MAX_VALUE : engine.maxRunningRequests();
        boolean vllm = EngineSettings.MIXED.equals(engine.prefillPolicy());
        EngineSetup setup = new EngineSetup(
                vllm ? "vllm" : "sglang",
                most,
                engine.maxBatchedTokens() == null ? EngineSetup.DEFAULT_TOKENS : engine.maxBatchedTokens(),
                engine.chunkTokens() == null ? EngineSetup.DEFAULT_TOKENS : engine.chunkTokens(),
                batchesInFlight(engine, !(times instanceof BlackBoxTimes)),
                support.memory(arm, engine, tp),
                GraphPadding.of(engine.name(), engine.cudaGraphs(), engine.graphBatchSizes()),
                engine.prefixHitRate() == null ? 0 : engine.prefixHitRate(),
                "llama.cpp".equals(engine.name()));
        return new Prepared(arm, engine, tp, mix, timing, capacity, setup, served, workloads, running, open, notes);
    }

    /**
     * Steps that are scheduled before the first of them returns: 2 with vLLM's asynchronous scheduling of mixed steps. The knots of
     * a black box know nothing of them.
     *
     * @param kernels whether rounds are built from kernel times
     */
    static int batchesInFlight(EngineSettings engine, boolean kernels) {
        return kernels
                        && "vllm".equals(engine.name())
                        && EngineSettings.MIXED.equals(engine.prefillPolicy())
                        && !Boolean.FALSE.equals(engine.overlap())
                ? 2
                : 1;
    }

    /** The engine draws whether a draft fires; the law it needs is the one given that it does. */
    private static AcceptanceLaw whenFired(AcceptanceLaw law) {
        return law instanceof FiringLaw firing ? firing.whenFired() : law;
    }

    private PointDraft simulate(Prepared a, OfferedLoad load) {
        PointDraft p = new PointDraft(a.tp(), a.arm(), a.mix().id(), load.label());
        p.calibrated = a.timing().calibrated();
        p.openAcceptance = a.openAcceptance();
        p.notes.addAll(a.notes());
        if (a.capacity().maxResident() < 1) {
            return p.infeasible(a.capacity().reason());
        }
        if (load.ratePerS() != null) {
            PointDraft overload = overload(a, load, p);
            if (overload != null) {
                return overload;
            }
        }
        String key = key(a, load);
        SimulationPoint s = support.finished(key);
        if (s == null) {
            try {
                s = support.run(
                        label(a, load),
                        listeners -> Simulator.simulate(
                                a.setup(),
                                a.served(),
                                a.workloads(),
                                load(load),
                                new SimulationOptions(
                                        scenario.seed(),
                                        scenario.simulate().relHalfWidth(),
                                        scenario.simulate().level(),
                                        scenario.simulate().maxRequests()),
                                listeners));
            } catch (SimulationRefused e) {
                return p.infeasible(e.getMessage());
            }
            support.finish(key, s);
        }
        figures(p, a, load, s);
        return p;
    }

    /** The point of an open loop whose offered rate the server cannot sustain, null when it can. */
    private PointDraft overload(Prepared a, OfferedLoad load, PointDraft p) {
        PointDraft sustained = PointEvaluator.prepare(scenario, times, laws, a.arm(), a.engine(), a.tp(), a.mix())
                .point(new OfferedLoad(load.label(), null, load.think(), false, load.ratePerS(), null, null));
        if (!sustained.unstable) {
            return null;
        }
        sustained.notes.addAll(p.notes);
        return sustained;
    }

    /** Names a point for people: ddtree B=16 on code, TP 4, c=8. */
    private static String label(Prepared a, OfferedLoad load) {
        Arm arm = a.arm();
        return arm.id() + (arm.budget() == null ? "" : " B=" + arm.budget())
                + (arm.topK() == null ? "" : " k=" + arm.topK()) + " on "
                + a.mix().id() + ", TP " + a.tp() + ", " + load.label().label()
                + (load.thinkMs() > 0 ? " think=" + Num.plain(load.thinkMs()) + "ms" : "");
    }

    /** Names a point across runs of the same scenario. */
    private String key(Prepared a, OfferedLoad load) {
        return scenario.variant() + "|" + a.tp() + "|" + a.arm().id() + "|"
                + a.arm().values() + "|" + a.mix().id() + "|" + load;
    }

    private Load load(OfferedLoad load) {
        if (load.clients() != null) {
            Load.ThinkTime think = load.think().dist().equals(LoadSpec.ThinkTime.EXPONENTIAL)
                    ? Load.ThinkTime.exponential(load.thinkMs())
                    : Load.ThinkTime.fixed(load.thinkMs());
            return new Load.Closed(load.clients(), think, load.staggered());
        }
        if (load.trace() != null) {
            return new Load.Trace(support.trace(load.trace()));
        }
        return new Load.Arrivals(load.ratePerS(), load.burstiness() == null ? 1 : load.burstiness());
    }

    private static void figures(PointDraft p, Prepared a, OfferedLoad load, SimulationPoint s) {
        p.outputTokS = s.outputTokS().value();
        p.outputTokSPerGpu = p.outputTokS / a.tp();
        p.requestsPerS = s.requestsPerS().value();
        p.roundsPerRequest = value(s.roundsPerRequest());
        p.acceptLength = value(s.acceptLength());
        p.roundMs = value(s.roundMs());
        p.rowsPerRound = value(s.rowsPerRound());
        p.residentRequests = value(s.residentRequests());
        p.prefillShare = value(s.prefillShare());
        p.ttftMs = stat(s.ttftMs());
        p.tpotMs = stat(s.tpotMs());
        p.roundGapMs = stat(s.roundGapMs());
        p.e2eMs = stat(s.e2eMs());
        if (p.e2eMs != null && p.requestsPerS > 0) {
            p.outputTokSPerRequest = 1000 * (p.outputTokS / p.requestsPerS) / p.e2eMs.mean();
        }
        p.interval = new Point.Interval(
                Double.toString(s.level()),
                List.of(s.outputTokS().lo(), s.outputTokS().hi()));
        p.notes.addAll(s.notes());
        p.simulated = s;
        p.prefillMs = 0;
        p.meanOsl = p.requestsPerS > 0 ? p.outputTokS / p.requestsPerS : 0;
        if (!a.running().isEmpty() && p.residentRequests != null) {
            int n = (int) Math.max(1, Math.round(p.residentRequests));
            p.arm = a.running().floorEntry(Math.max(n, a.running().firstKey())).getValue();
        }
        if (p.residentRequests != null && p.rowsPerRound != null && p.roundMs != null) {
            explain(p, a);
        }
        if (p.prefillShare != null && p.prefillShare > 0.5) {
            p.boundBy = "prefill";
        } else if (s.waitForMemoryShare() > 0.5) {
            p.boundBy = "memory";
        } else if (s.waitForRunningShare() > 0.5) {
            p.boundBy = "max_running";
        } else if (load.clients() == null
                && value(s.busyShare()) != null
                && s.busyShare().value() < 0.5) {
            p.boundBy = "arrivals";
        }
    }

    /** Terms of the mean round, in the proportions of the model at the mean batch. */
    private static void explain(PointDraft p, Prepared a) {
        int n = (int) Math.max(1, Math.round(p.residentRequests));
        double context = a.mix().mean(Workload::meanContextTokens);
        RoundTime t = a.timing().model().explain(n, Math.max(1, Math.round(p.rowsPerRound)), context, context);
        double scale = p.roundMs / t.roundMs();
        Map<String, Double> terms = new LinkedHashMap<>();
        t.termsMs().forEach((k, v) -> terms.put(k, v * scale));
        p.termsMs.putAll(terms);
        p.hiddenMs = t.hiddenMs() > 0 ? t.hiddenMs() * scale : null;
        p.extrapolated = t.extrapolated();
        p.boundBy = t.boundBy();
        p.notes.addAll(t.notes());
    }

    private static Double value(Estimate e) {
        return e == null ? null : e.value();
    }

    private static Point.Stat stat(Spread s) {
        if (s == null) {
            return null;
        }
        return new Point.Stat(
                value(s.mean()),
                value(s.p50()),
                value(s.p95()),
                value(s.p99()),
                s.mean().halfWidth());
    }
}
