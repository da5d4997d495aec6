package dev.foretoken.sim.serving;

import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.random.CounterRandom;
import dev.foretoken.sim.serving.RunLog.Sum;
import dev.foretoken.sim.statistics.Mser5;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Discrete-event simulation of one point: one engine, one arm, one load.
 *
 * <p>Steady-state loads run once, for as long as the stopping rule asks: the warm-up is deleted by MSER-5 on the end-to-end
 * times in order of completion (one truncation for all figures), and intervals come from 20 to 64 batches. Traces are
 * terminating runs: nothing is deleted, intervals come from independent replications of the acceptance draws, or from
 * batches of one pass where the trace is so long that fewer than {@value #MIN_REPLICATIONS} passes fit under the cap.
 *
 * <p>A run is single-threaded and depends on its arguments only: the same seed gives the same bytes.
 */
public final class Simulator {
    /** Fewest replications of a trace that give intervals. */
    public static final int MIN_REPLICATIONS = 5;

    private static final int FIRST_REPLICATIONS = 10;
    private static final int MAX_REPLICATIONS = 30;
    private static final int FIRST_CHECK = 1024;
    private static final int MIN_BATCHES = 20;
    private static final int REQUESTS_PER_CLIENT = 10;
    private static final long MIN_IN_SYSTEM_LIMIT = 20_000;
    private static final double OVERLOAD = 0.05;

    private final EngineSetup setup;
    private final ServedArm arm;
    private final List<ServedWorkload> workloads;
    private final Load load;
    private final SimulationOptions options;
    private final List<EngineListener> listeners;
    private final List<String> notes = new ArrayList<>();

    private Simulator(
            EngineSetup setup,
            ServedArm arm,
            List<ServedWorkload> workloads,
            Load load,
            SimulationOptions options,
            List<EngineListener> listeners) {
        this.setup = setup;
        this.arm = arm;
        this.workloads = List.copyOf(workloads);
        this.load = load;
        this.options = options;
        this.listeners = List.copyOf(listeners);
        checkWorkloads();
    }

    /**
     * Simulates a point.
     *
     * @param setup the engine
     * @param arm how rounds run
     * @param workloads requests of a mix, at least one; each gives one law per option of the arm
     * @param load closed loop, arrivals or trace
     * @param options seed and stopping rule
     * @param listeners told of the first run only, in order of time
     * @throws IllegalArgumentException when workloads and arm do not belong together
     * @throws SimulationRefused when the point has no figures: a request larger than memory, a load that never drains, no
     *     progress, an empty or unsorted trace
     */
    public static SimulationPoint simulate(
            EngineSetup setup,
            ServedArm arm,
            List<ServedWorkload> workloads,
            Load load,
            SimulationOptions options,
            EngineListener... listeners) {
        Simulator simulator = new Simulator(setup, arm, workloads, load, options, List.of(listeners));
        if (load instanceof Load.Trace trace) {
            return simulator.trace(trace.source());
        }
        return simulator.steady();
    }

    private void checkWorkloads() {
        if (workloads.isEmpty()) {
            throw new IllegalArgumentException("a run needs at least one workload");
        }
        Set<String> ids = new HashSet<>();
        for (ServedWorkload w : workloads) {
            if (!ids.add(w.id())) {
                throw new IllegalArgumentException("two workloads have the id " + w.id());
            }
            if (w.laws().size() != arm.options().size()) {
                throw new IllegalArgumentException("workload " + w.id() + " has "
                        + w.laws().size() + " laws for " + arm.options().size() + " options");
            }
            for (int o = 0; o < w.laws().size(); o++) {
                check(w.laws().get(o), arm.options().get(o), "workload " + w.id());
            }
        }
        if (arm.batchLaw() != null) {
            for (RoundOption o : arm.options()) {
                if (o.width() > 1) {
                    check(arm.batchLaw(), o, "the forced acceptance");
                }
            }
        }
    }

    private static void check(AcceptanceLaw law, RoundOption option, String whose) {
        if (law != null && law.maxAccepted() + 1 > option.width()) {
            throw new IllegalArgumentException(whose + " may emit " + (law.maxAccepted() + 1)
                    + " tokens in a round that verifies " + option.width() + " (budget " + option.budget() + ")");
        }
    }

    // Steady state.

    private SimulationPoint steady() {
        long cap = options.maxRequests();
        long first = FIRST_CHECK;
        double thinkMs = 0;
        long runKey = CounterRandom.runKey(options.seed(), 0);
        ArrivalSource source;
        if (load instanceof Load.Closed closed) {
            first = Math.max(first, (long) closed.clients() * REQUESTS_PER_CLIENT);
            thinkMs = closed.thinkTime().meanMs();
            source = new ClosedArrivals(closed, runKey);
        } else {
            source = new RenewalArrivals((Load.Arrivals) load, runKey);
        }
        first = Math.min(first, cap);
        long perSegment = Math.max(1, (first + RunLog.MAX_SEGMENTS - 1) / RunLog.MAX_SEGMENTS);
        RunLog log = new RunLog(perSegment, thinkMs, true);
        long clients = load instanceof Load.Closed c ? c.clients() : 0;
        long mostInSystem = clients + Math.max(MIN_IN_SYSTEM_LIMIT, cap);
        ServingEngine engine = new ServingEngine(setup, arm, workloads, source, log, listeners, runKey, mostInSystem);
        long base = perSegment * RunLog.MAX_SEGMENTS;
        long target = Math.min(cap, base);
        while (true) {
            engine.runUntil(target);
            Warmup warmup = warmup(log);
            int usable = log.segments() - warmup.segments;
            boolean last = target >= cap;
            if (!warmup.tooShort && (usable >= MIN_BATCHES || (last && usable >= 2))) {
                SimulationPoint point = point(statistics(log, warmup.segments, true), log, engine);
                if (point.targetMet() || last) {
                    return point;
                }
            } else if (last) {
                return uncertain(log, engine);
            }
            // Checks come at 1, 1.5, 2, 3, 4, 6, ... times the first: full and half sets of batches.
            if (target == base) {
                target = base + base / 2;
            } else {
                base *= 2;
                target = base;
            }
            target = Math.min(cap, target);
        }
    }

    private record Warmup(int segments, boolean tooShort) {}

    private static Warmup warmup(RunLog log) {
        double[] e2e = log.e2e().range(0, log.completedUpTo(log.segments() - 1));
        if (e2e.length < 10) {
            return new Warmup(0, false);
        }
        Mser5 mser = Mser5.of(e2e);
        int segments = 0;
        while (segments < log.segments() && log.completedUpTo(segments) <= mser.truncation()) {
            segments++;
        }
        boolean partly =
                segments < log.segments() && mser.truncation() > (segments == 0 ? 0 : log.completedUpTo(segments - 1));
        return new Warmup(partly ? segments + 1 : segments, mser.atLimit());
    }

    /** What the cap leaves when MSER-5 finds no end of the warm-up: the second half, said so. */
    private SimulationPoint uncertain(RunLog log, ServingEngine engine) {
        refuseOverload(log, engine);
        notes.add("the warm-up could not be told from the rest within " + log.completed()
                + " requests (MSER-5 at its limit): figures are of the second half");
        return point(statistics(log, log.segments() / 2, true), log, engine);
    }

    private void refuseOverload(RunLog log, ServingEngine engine) {
        if (!(load instanceof Load.Arrivals arrivals)) {
            return;
        }
        RunStatistics half = statistics(log, log.segments() / 2, true);
        double perS = 1000 * half.total(Sum.REQUESTS) / half.total(Sum.ELAPSED_MS);
        if (perS < arrivals.ratePerS() * (1 - OVERLOAD) && engine.inSystem() > log.completed() * OVERLOAD) {
            throw new SimulationRefused(
                    SimulationRefused.Reason.NEVER_DRAINS,
                    String.format(
                            Locale.ROOT,
                            "%.4g requests arrive per second and %.4g are served: the queue grows without bound "
                                    + "(%d in the system after %d)",
                            arrivals.ratePerS(),
                            perS,
                            engine.inSystem(),
                            log.completed()));
        }
    }

    // Terminating runs.

    private SimulationPoint trace(TraceSource source) {
        RunLog pass = new RunLog(1, 0, true);
        ServingEngine engine = replicate(source, pass, 0, listeners);
        pass.closeRemainder();
        requireRequests(pass, source);
        if (!isRandom()) {
            return point(RunStatistics.exact(pass), pass, engine);
        }
        long fit = options.maxRequests() / pass.completed();
        if (fit < MIN_REPLICATIONS) {
            notes.add("one pass over the trace (" + pass.completed()
                    + " requests); its intervals come from batches, and so contain what varies along the trace");
            return point(statistics(pass, 0, true), pass, engine);
        }
        RunLog log = new RunLog(0, 0, true);
        int most = (int) Math.min(MAX_REPLICATIONS, fit);
        int done = 0;
        SimulationPoint point = null;
        while (point == null || (!point.targetMet() && done < most)) {
            int upTo = Math.min(most, done == 0 ? FIRST_REPLICATIONS : done + done / 2);
            for (; done < upTo; done++) {
                replicate(source, log, done, List.of());
                log.endReplication();
            }
            point = point(statistics(log, 0, false), log, engine);
        }
        return point;
    }

    private static void requireRequests(RunLog log, TraceSource source) {
        if (log.completed() == 0) {
            throw new SimulationRefused(
                    SimulationRefused.Reason.REQUEST_TOO_LARGE,
                    "none of the " + log.refusedRequests() + " requests of " + source.name() + " fits into memory");
        }
    }

    private ServingEngine replicate(TraceSource source, RunLog log, int replication, List<EngineListener> told) {
        Iterator<TraceRequest> requests = source.open();
        try {
            long runKey = CounterRandom.runKey(options.seed(), replication);
            ServingEngine engine = new ServingEngine(
                    setup,
                    arm,
                    workloads,
                    new TraceArrivals(source.name(), requests),
                    log,
                    told,
                    runKey,
                    Long.MAX_VALUE);
            engine.runUntil(Long.MAX_VALUE);
            return engine;
        } finally {
            if (requests instanceof AutoCloseable closeable) {
                close(closeable, source);
            }
        }
    }

    private static void close(AutoCloseable closeable, TraceSource source) {
        try {
            closeable.close();
        } catch (Exception e) {
            throw new SimulationRefused(
                    SimulationRefused.Reason.BAD_LOAD, source.name() + " cannot be closed: " + e.getMessage());
        }
    }

    /** True when two passes over a trace may differ. */
    private boolean isRandom() {
        if (workloads.size() > 1) {
            return true;
        }
        if (arm.batchLaw() != null && spread(arm.batchLaw())) {
            return true;
        }
        for (int o = 0; o < arm.options().size(); o++) {
            double fire = arm.options().get(o).fireRate();
            boolean draws = arm.options().get(o).width() > 1;
            AcceptanceLaw law = workloads.get(0).laws().get(o);
            if (draws && ((fire > 0 && fire < 1) || (law != null && arm.batchLaw() == null && spread(law)))) {
                return true;
            }
        }
        return false;
    }

    private static boolean spread(AcceptanceLaw law) {
        int possible = 0;
        for (double p : law.pmf()) {
            if (p > 0) {
                possible++;
            }
        }
        return possible > 1;
    }

    /** True when the rounds of a request are independent draws of laws with known means. */
    private boolean independentRounds() {
        if (arm.batchLaw() != null) {
            return false;
        }
        for (ServedWorkload w : workloads) {
            for (AcceptanceLaw law : w.laws()) {
                if (law != null
                        && (law.correlatedRounds() || law.requestClasses().size() > 1)) {
                    return false;
                }
            }
        }
        return true;
    }

    // Figures.

    private RunStatistics statistics(RunLog log, int firstSegment, boolean serial) {
        return new RunStatistics(log, firstSegment, options.level(), serial, independentRounds());
    }

    private SimulationPoint point(RunStatistics run, RunLog log, ServingEngine engine) {
        if (load instanceof Load.Arrivals) {
            refuseOverload(log, engine);
        }
        Estimate tokensS = perSecond(run, Sum.OUTPUT_TOKENS);
        Estimate perRequestS = perSecond(run, Sum.REQUESTS);
        if (tokensS == null) {
            throw new SimulationRefused(
                    SimulationRefused.Reason.BAD_LOAD,
                    "nothing takes time in this point: no decode round, no prefill, no think time");
        }
        Spread ttft = run.requestSpread(Sum.TTFT_MS, Sum.REQUESTS, log.ttft());
        Spread tpot = run.requestSpread(Sum.TPOT_MS, Sum.TPOT_REQUESTS, log.tpot());
        Spread e2e = run.requestSpread(Sum.E2E_MS, Sum.REQUESTS, log.e2e());
        double target = options.relHalfWidth();
        boolean met = targetMet(run);
        List<String> all = new ArrayList<>(notes);
        if (run.batches() < 2 && !run.isExact()) {
            all.add("too few requests for intervals: their ends are the figures themselves");
        } else if (!met) {
            all.add(String.format(
                    Locale.ROOT,
                    "stopped at max_requests %d before the interval of every mean was within %.3g %%",
                    options.maxRequests(),
                    100 * target));
        }
        long refused = log.refusedRequests() / log.replications();
        if (refused > 0) {
            all.add(refused + " requests could never fit into memory and were refused");
        }
        long deleted = log.completed() - (long) run.total(Sum.REQUESTS);
        double steps = Math.max(1, run.total(Sum.STEPS));
        return new SimulationPoint(
                tokensS,
                perRequestS,
                ttft,
                tpot,
                run.gapSpread(),
                e2e,
                run.ratio(Sum.QUEUE_MS, Sum.REQUESTS),
                run.ratio(Sum.RESIDENT, Sum.DECODE_ROUNDS),
                run.ratio(Sum.ROWS, Sum.DECODE_ROUNDS),
                run.ratio(Sum.DECODE_MS, Sum.DECODE_ROUNDS),
                run.ratio(Sum.PREFILL_MS, Sum.BUSY_MS),
                run.ratio(Sum.REQUEST_ROUNDS, Sum.REQUESTS),
                run.ratio(Sum.DRAWN_TOKENS, Sum.DRAWS),
                run.ratio(Sum.BUSY_MS, Sum.ELAPSED_MS),
                run.total(Sum.WAITED_FOR_RUNNING) / steps,
                run.total(Sum.WAITED_FOR_MEMORY) / steps,
                (double) engine.preemptions() / Math.max(1, log.completed()),
                engine.peakPages(),
                options.level(),
                (long) run.total(Sum.REQUESTS),
                deleted,
                run.batches(),
                refused,
                met,
                RunSeries.of(run.sorted(log.ttft()), log.queue()),
                all);
    }

    /**
     * Output tokens or requests per second. Closed loop: N over the mean cycle of a client, of which the think time is
     * known. Arrivals: the rate is known and what arrives is served, so only lengths are estimated.
     */
    private Estimate perSecond(RunStatistics run, Sum what) {
        if (load instanceof Load.Closed closed) {
            return timesOrNull(run.ratio(what, Sum.CYCLE_MS), 1000.0 * closed.clients());
        }
        if (load instanceof Load.Arrivals arrivals) {
            return run.ratio(what, Sum.REQUESTS).times(arrivals.ratePerS());
        }
        return timesOrNull(run.ratio(what, Sum.ELAPSED_MS), 1000);
    }

    /** The stopping rule: mean times within the target, throughput, by which everything is ranked, within half of it. */
    private boolean targetMet(RunStatistics run) {
        double target = options.relHalfWidth();
        return (run.batches() >= 2 || run.isExact())
                && within(perSecond(run, Sum.OUTPUT_TOKENS), target / 2)
                && within(run.ratio(Sum.TTFT_MS, Sum.REQUESTS), target)
                && within(run.ratio(Sum.TPOT_MS, Sum.TPOT_REQUESTS), target)
                && within(run.ratio(Sum.E2E_MS, Sum.REQUESTS), target);
    }

    private static Estimate timesOrNull(Estimate estimate, double factor) {
        return estimate == null ? null : estimate.times(factor);
    }

    /** Times below a microsecond count as exact: they are zero in any table. */
    private static boolean within(Estimate e, double target) {
        return e == null || Math.abs(e.value()) < 1e-3 || e.relHalfWidth() <= target;
    }
}
