package dev.foretoken.sim.explore;

import dev.foretoken.sim.acceptance.AcceptanceRefused;
import dev.foretoken.sim.acceptance.LawBand;
import dev.foretoken.sim.analytical.AnswerRounds;
import dev.foretoken.sim.analytical.BirthDeath;
import dev.foretoken.sim.analytical.Steady;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.method.Method;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.round.GraphPadding;
import dev.foretoken.sim.round.RoundTime;
import dev.foretoken.sim.round.RoundTimeModel;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.scenario.Workload;
import dev.foretoken.sim.serving.EngineSetup;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.IntFunction;

/**
 * One arm on one workload at one TP, prepared once and evaluated under every load: its law, rounds per answer, round times
 * and memory limit.
 */
final class PointEvaluator {
    private static final double Z95 = 1.6448536269514722;
    /** Share of the sustained output from which on an open loop's latencies are said to be approximations. */
    private static final double APPROXIMATE_LOAD = 0.7;

    private static final double APPROXIMATE_PREFILL = 0.2;
    private static final double Z99 = 2.3263478740408408;

    private final Arm arm;
    private final EngineSettings engine;
    private final int tp;
    private final WorkloadMix mix;
    private final RoundTimes.Timing timing;
    private final RoundTimes.Capacity capacity;
    private final int maxResident;
    private final List<Double> prefillMs = new ArrayList<>(List.of(0.0));
    private final double meanOsl;
    private final double contextTokens;
    private final List<Variation> variations;
    private final List<String> notes;
    private final GraphPadding padding;
    private final boolean kernels;

    /** One end of a band: rounds per answer by running requests, and the round-time model. */
    private record Variation(NavigableMap<Integer, ModeRounds> byRunning) {}

    /** The arm that runs from a number of resident requests on. */
    private record ModeRounds(Arm arm, AnswerRounds rounds, double acceptLength, RoundTimeModel model) {}

    /** What a point's figures come from at one end of the band. */
    record Figures(Steady steady, double outputTokPerMs, ArmStation station) {}

    private PointEvaluator(
            Arm arm,
            EngineSettings engine,
            int tp,
            WorkloadMix mix,
            RoundTimes.Timing timing,
            RoundTimes.Capacity capacity,
            double contextTokens,
            List<Variation> variations,
            List<String> notes,
            boolean kernels) {
        this.arm = arm;
        this.engine = engine;
        this.tp = tp;
        this.mix = mix;
        this.timing = timing;
        this.capacity = capacity;
        this.contextTokens = contextTokens;
        this.variations = variations;
        this.notes = notes;
        this.kernels = kernels;
        this.meanOsl = mix.mean(w -> w.osl().mean());
        int running = engine.maxRunningRequests() == null ? Integer.MAX_VALUE : engine.maxRunningRequests();
        this.maxResident = Math.min(running, capacity.maxResident());
        this.padding = GraphPadding.of(engine.name(), engine.cudaGraphs(), engine.graphBatchSizes());
    }

    /**
     * Prepares an arm.
     *
     * @throws AcceptanceRefused when its acceptance is missing or does not determine the law
     * @throws IllegalArgumentException when its rounds cannot be timed
     */
    static PointEvaluator prepare(
            Scenario scenario,
            RoundTimes times,
            LawCache laws,
            Arm arm,
            EngineSettings engine,
            int tp,
            WorkloadMix mix) {
        RoundTimes.Timing timing = times.of(arm, engine, tp);
        RoundTimes.Capacity capacity = mix.capacity(w -> times.capacity(arm, engine, tp, w));
        List<String> notes = new ArrayList<>(arm.notes());
        notes.addAll(timing.notes());
        NavigableMap<Integer, Arm> byRunning = new TreeMap<>();
        NavigableMap<Integer, Integer> adaptive = scenario.budgetByConcurrency().get(arm.id());
        if (adaptive == null || adaptive.firstKey() > 1) {
            byRunning.put(1, arm);
        }
        if (adaptive != null) {
            adaptive.forEach((n, budget) -> byRunning.put(Math.max(1, n), arm.with(Method.BUDGET, budget)));
            notes.add("the budget adapts to the running requests: " + adaptive);
        }
        NavigableMap<Integer, List<LawBand>> bands = new TreeMap<>();
        int corners = 0;
        for (Map.Entry<Integer, Arm> e : byRunning.entrySet()) {
            List<LawBand> perWorkload = new ArrayList<>();
            for (Workload w : mix.workloads()) {
                LawBand band = laws.law(scenario, e.getValue(), w);
                perWorkload.add(band);
                corners = Math.max(corners, band.corners().size());
                notes.addAll(band.notes());
                if (band.central().correlatedRounds()) {
                    notes.add("rounds of a request are autocorrelated: left out here, simulate includes it");
                }
            }
            bands.put(e.getKey(), perWorkload);
        }
        List<Variation> variations = new ArrayList<>();
        for (int v = -1; v < corners; v++) {
            for (int end = 0; end <= timing.bandModels().size(); end++) {
                NavigableMap<Integer, ModeRounds> modes = new TreeMap<>();
                for (Map.Entry<Integer, Arm> e : byRunning.entrySet()) {
                    RoundTimes.Timing t = e.getValue() == arm ? timing : times.of(e.getValue(), engine, tp);
                    modes.put(e.getKey(), mode(e.getValue(), bands.get(e.getKey()), v, mix, laws, t.end(end)));
                }
                variations.add(new Variation(modes));
            }
        }
        List<LawBand> first = bands.firstEntry().getValue();
        double context = mix.weightedByRounds(
                meanRounds(first, mix, laws), i -> mix.workloads().get(i).meanContextTokens());
        return new PointEvaluator(
                arm,
                engine,
                tp,
                mix,
                timing,
                capacity,
                context,
                List.copyOf(variations),
                List.copyOf(new LinkedHashSet<>(notes)),
                !(times instanceof BlackBoxTimes));
    }

    /** An arm with its laws at one end of their bands; -1 = the central laws. */
    private static ModeRounds mode(
            Arm arm, List<LawBand> bands, int corner, WorkloadMix mix, LawCache laws, RoundTimeModel model) {
        List<AnswerRounds> rounds = new ArrayList<>();
        for (int i = 0; i < bands.size(); i++) {
            LawBand band = bands.get(i);
            boolean central = corner < 0 || corner >= band.corners().size();
            rounds.add(laws.rounds(
                    central ? band.central() : band.corners().get(corner),
                    mix.workloads().get(i).osl()));
        }
        double accept = mix.weightedByRounds(
                meanRounds(bands, mix, laws), i -> bands.get(i).central().acceptLength());
        return new ModeRounds(arm, mix.combine(rounds), accept, model);
    }

    private static double[] meanRounds(List<LawBand> bands, WorkloadMix mix, LawCache laws) {
        double[] rounds = new double[bands.size()];
        for (int i = 0; i < rounds.length; i++) {
            rounds[i] = laws.rounds(
                            bands.get(i).central(), mix.workloads().get(i).osl())
                    .mean();
        }
        return rounds;
    }

    /** Prompt tokens to compute, prefix hits taken off. */
    private double promptTokens(Workload w) {
        double hit = engine.prefixHitRate() == null ? 0 : engine.prefixHitRate();
        return w.isl().mean() * (1 - hit);
    }

    /** Prefill of several prompts that share chunks, ms. */
    private double prefillMs(int prompts) {
        while (prefillMs.size() <= prompts) {
            int k = prefillMs.size();
            prefillMs.add(mix.mean(w -> timing.prefill().ms(promptTokens(w) * k)));
        }
        return prefillMs.get(prompts);
    }

    private ArmStation.Prompts prompts(ModeRounds mode) {
        double tokens = mix.mean(this::promptTokens);
        int perChunk = engine.chunkTokens() == null || tokens <= 0
                ? Integer.MAX_VALUE
                : (int) Math.max(1, Math.floor(engine.chunkTokens() / tokens));
        boolean fixedRounds = mode.rounds().perTokenVariance() == 0
                && mix.workloads().size() == 1
                && mix.workloads().get(0).osl().isFixed();
        return new ArmStation.Prompts(this::prefillMs, perChunk, fixedRounds);
    }

    /** Prompts that share steps with decode rows: kernels tell what a step takes, beside a server's own knots prompts are added. */
    private ArmStation.MixedPrompts mixedPrompts(RoundTimeModel model) {
        double tokens = mix.mean(this::promptTokens);
        if (!EngineSettings.MIXED.equals(engine.prefillPolicy())
                || tokens <= 0
                || model.mixedRoundMs(0, 0, 0, 0, Math.max(1, Math.round(tokens)), 0) == 0) {
            return null;
        }
        return new ArmStation.MixedPrompts(
                engine.maxBatchedTokens() == null ? EngineSetup.DEFAULT_TOKENS : engine.maxBatchedTokens(),
                tokens,
                mix.mean(w -> w.isl().mean()) - tokens,
                SimulatedGrid.batchesInFlight(engine, kernels) - 1);
    }

    Arm arm() {
        return arm;
    }

    int tp() {
        return tp;
    }

    double prefillMs() {
        return prefillMs(1);
    }

    double meanOsl() {
        return meanOsl;
    }

    private ArmStation station(int variation) {
        NavigableMap<Integer, ModeRounds> modes = variations.get(variation).byRunning();
        IntFunction<ArmStation.Mode> byRunning;
        if (modes.size() == 1) {
            ModeRounds only = modes.firstEntry().getValue();
            ArmStation.Mode mode =
                    ArmStation.Mode.of(only.rounds().mean(), only.acceptLength(), only.model(), only.arm(), engine);
            byRunning = n -> mode;
        } else {
            NavigableMap<Integer, ArmStation.Mode> table = new TreeMap<>();
            modes.forEach((n, m) ->
                    table.put(n, ArmStation.Mode.of(m.rounds().mean(), m.acceptLength(), m.model(), m.arm(), engine)));
            byRunning = n -> table.floorEntry(n).getValue();
        }
        ModeRounds usual = modes.firstEntry().getValue();
        return new ArmStation(byRunning, maxResident, prompts(usual), mixedPrompts(usual.model()), contextTokens);
    }

    /** Tokens drawn per request and round under a load, over all batch sizes that occur. */
    private double acceptLength(OfferedLoad load, Steady s) {
        boolean saturated = load.clients() != null && load.thinkMs() == 0;
        if (saturated || variations.get(0).byRunning().size() == 1) {
            return running(s.resident()).acceptLength();
        }
        DrawnTokens drawn = new DrawnTokens(station(0), n -> running(n).acceptLength());
        Steady tokens = load.clients() != null
                ? BirthDeath.closed(drawn, load.clients(), load.thinkMs())
                : BirthDeath.open(drawn, load.ratePerS() / 1000);
        return tokens.rows() / tokens.resident();
    }

    /** Figures under a load; null when an open loop's queue grows without bound. */
    Figures figures(OfferedLoad load, int variation) {
        ArmStation station = station(variation);
        Steady s = load.clients() != null
                ? BirthDeath.closed(station, load.clients(), load.thinkMs())
                : BirthDeath.open(station, load.ratePerS() / 1000);
        return s == null ? null : new Figures(s, s.requestsPerMs() * meanOsl, station);
    }

    /** Largest sustainable output rate of an unlimited queue, tokens per ms. */
    private double capacityTokPerMs() {
        return BirthDeath.capacityPerMs(station(0)) * meanOsl;
    }

    /** The point under a load, without what needs other points (speed-up, limits, cost). */
    PointDraft point(OfferedLoad load) {
        PointDraft p = new PointDraft(tp, arm, mix.id(), load.label());
        p.calibrated = timing.calibrated();
        p.notes.addAll(notes);
        if (maxResident < 1) {
            return p.infeasible(capacity.reason());
        }
        if (station(0).at(1).cycleMs(1) == 0) {
            return p.infeasible("nothing takes time here: answers of one token after prompts that are charged no time");
        }
        Figures f = figures(load, 0);
        ModeRounds usual = running(f == null ? maxResident : f.steady().resident());
        p.arm = usual.arm();
        p.acceptLength = usual.acceptLength();
        if (f == null) {
            p.outputTokS = 1000 * capacityTokPerMs();
            p.outputTokSPerGpu = p.outputTokS / tp;
            p.requestsPerS = p.outputTokS / meanOsl;
            p.boundBy =
                    maxResident == capacity.maxResident() && maxResident < Integer.MAX_VALUE ? "memory" : "max_running";
            if (maxResident == Integer.MAX_VALUE) {
                p.boundBy = null;
            }
            p.unstable = true;
            p.notes.add(
                    "the offered rate exceeds what the server sustains: the queue grows without bound, so there are no"
                            + " latencies and output_tok_s is the sustained maximum");
            return p;
        }
        Steady s = f.steady();
        p.steady = s;
        p.acceptLength = acceptLength(load, s);
        p.outputTokS = 1000 * f.outputTokPerMs();
        p.outputTokSPerGpu = p.outputTokS / tp;
        p.requestsPerS = 1000 * s.requestsPerMs();
        p.outputTokSPerRequest = 1000 * meanOsl / s.e2eMs();
        p.roundsPerRequest = s.rounds();
        p.roundMs = s.roundMs();
        p.rowsPerRound = s.rows();
        p.residentRequests = s.resident();
        p.prefillShare = s.prefillShare();
        latencies(p, s);
        if (load.ratePerS() != null && f.outputTokPerMs() > APPROXIMATE_LOAD * capacityTokPerMs()) {
            p.notes.add(
                    "more than 70 % of what the server sustains: latencies of open loops are approximations there, simulate"
                            + " has them");
        }
        if (load.ratePerS() != null
                && s.prefillShare() > APPROXIMATE_PREFILL
                && p.tpotMs != null
                && mix.workloads().stream().anyMatch(w -> !w.osl().isFixed())) {
            p.notes.add(
                    "prompts stall short answers for as long as long ones: with random lengths the mean TPOT of an open loop"
                            + " is low here, simulate has it");
        }
        explain(p, s, load);
        if (variations.size() > 1) {
            double lo = p.outputTokS;
            double hi = p.outputTokS;
            p.cornerTokS = new double[variations.size()];
            p.cornerTokS[0] = p.outputTokS;
            for (int v = 1; v < variations.size(); v++) {
                Figures other = figures(load, v);
                double x = 1000 * (other == null ? capacityTokPerMs() : other.outputTokPerMs());
                p.cornerTokS[v] = x;
                lo = Math.min(lo, x);
                hi = Math.max(hi, x);
            }
            if (hi > lo) {
                p.interval = new Point.Interval("band", List.of(lo, hi));
            }
        }
        return p;
    }

    /** What runs with a number of resident requests. */
    private ModeRounds running(double resident) {
        return variations
                .get(0)
                .byRunning()
                .floorEntry((int) Math.max(1, Math.round(resident)))
                .getValue();
    }

    private void latencies(PointDraft p, Steady s) {
        p.e2eMs = Point.Stat.mean(s.e2eMs());
        p.ttftMs = new Point.Stat(s.ttftMs(), null, ttftQuantile(s, 0.05), ttftQuantile(s, 0.01), null);
        AnswerRounds rounds =
                variations.get(0).byRunning().firstEntry().getValue().rounds();
        if (s.rounds() <= 0 || rounds.perToken() <= 0) {
            return;
        }
        double perRound = (s.e2eMs() - s.ttftMs()) / s.rounds();
        p.roundGapMs = Point.Stat.mean(perRound);
        // With an adaptive budget the chain's mean rounds differ from the usual mode's: scale the per-token figure
        // alike.
        double scale = s.rounds() / rounds.mean();
        double mean = perRound * rounds.perToken() * scale;
        double sd = perRound * Math.sqrt(rounds.perTokenVariance()) * scale;
        double most = Math.max(mean, perRound);
        p.tpotMs = new Point.Stat(mean, mean, Math.min(most, mean + Z95 * sd), Math.min(most, mean + Z99 * sd), null);
    }

    /**
     * Upper quantile of the time to first token: the sum of the parts' own quantiles, which bounds the sum's. The wait for a
     * place is exponential given that there is one (the same for all in a saturated closed loop), so is the wait for earlier
     * prompts, the wait for the round in progress uniform.
     */
    private static double ttftQuantile(Steady s, double tail) {
        double wait = s.waitProbability() == 1
                ? s.waitMs()
                : s.waitProbability() > tail
                        ? s.waitMs() / s.waitProbability() * Math.log(s.waitProbability() / tail)
                        : 0;
        double prompts = s.promptWaitProbability() > tail
                ? s.promptWaitMs() / s.promptWaitProbability() * Math.log(s.promptWaitProbability() / tail)
                : 0;
        return wait + prompts + 2 * s.boundaryMs() * (1 - tail) + s.firstTokenPrefillMs();
    }

    private void explain(PointDraft p, Steady s, OfferedLoad load) {
        int n = (int) Math.max(1, Math.round(s.resident()));
        ModeRounds mode = running(n);
        int width = mode.arm().method().verifyWidth(mode.arm(), engine.name());
        double fire = mode.arm().method().fireRate(mode.arm());
        long rows = fire == 1.0 ? padding.rows(n, width) : Math.round(s.rows());
        RoundTime t = mode.model().explain(n, rows, contextTokens, contextTokens);
        double scale = s.roundMs() / t.roundMs();
        t.termsMs().forEach((k, v) -> p.termsMs.put(k, v * scale));
        p.hiddenMs = t.hiddenMs() > 0 ? t.hiddenMs() * scale : null;
        p.extrapolated = t.extrapolated() || extrapolatedAnywhere(s, load, mode);
        p.notes.addAll(t.notes());
        if (padding.eager(n, rows)) {
            p.notes.add("the batch lies above the largest captured graph size: it runs unpadded (eager)");
        }
        boolean full = s.resident() > maxResident - 0.5 && maxResident == capacity.maxResident();
        if (full && "vllm".equals(engine.name())) {
            p.notes.add(
                    "answers grow into full memory: what vLLM preempts and computes again is left out here, simulate"
                            + " includes it");
        }
        if (s.prefillShare() > 0.5) {
            p.boundBy = "prefill";
        } else if (load.clients() != null && load.clients() > maxResident || s.waiting() > s.resident()) {
            p.boundBy = maxResident == capacity.maxResident() ? "memory" : "max_running";
        } else if (load.clients() == null && s.busyShare() < 0.5) {
            p.boundBy = "arrivals";
        } else {
            p.boundBy = t.boundBy();
        }
    }

    /** A chain visits many batch sizes: flagged when the largest likely one lies outside the knots. */
    private boolean extrapolatedAnywhere(Steady s, OfferedLoad load, ModeRounds mode) {
        if (load.clients() != null && load.thinkMs() == 0) {
            return false;
        }
        int reach = (int) Math.min(maxResident, Math.ceil(s.resident() + 3 * Math.sqrt(s.resident())));
        if (load.clients() != null) {
            reach = Math.min(reach, load.clients());
        }
        int width = mode.arm().method().verifyWidth(mode.arm(), engine.name());
        return mode.model()
                .explain(Math.max(1, reach), padding.rows(Math.max(1, reach), width), contextTokens, contextTokens)
                .extrapolated();
    }
}
