package dev.foretoken.validation.validate;

import dev.foretoken.sim.acceptance.ForcedAcceptance;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.random.Streams;
import dev.foretoken.sim.scenario.LoadSpec;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.scenario.Workload;
import dev.foretoken.validation.client.Load;
import dev.foretoken.validation.client.Phase;
import dev.foretoken.validation.client.PlannedRequest;
import dev.foretoken.validation.client.RequestOptions;
import dev.foretoken.validation.client.RequestSource;
import dev.foretoken.validation.client.RunPlan;
import dev.foretoken.validation.compare.Cell;
import dev.foretoken.validation.compare.Conditions;
import dev.foretoken.validation.compare.Figures;
import dev.foretoken.validation.compare.Guards;
import dev.foretoken.validation.server.EngineAdapter;
import dev.foretoken.validation.server.EngineAdapters;
import dev.foretoken.validation.server.ServerSnapshot;
import dev.foretoken.validation.session.EndpointException;
import dev.foretoken.validation.session.EndpointSession;
import dev.foretoken.validation.session.PromptBook;
import dev.foretoken.validation.session.RunOutcome;
import dev.foretoken.validation.session.RunSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Drives a server with a scenario's workloads and loads, one after another, and keeps every measurement. A trace load needs
 * its arrivals; see {@link TraceArrivals}.
 */
public final class LiveValidation {
    private static final double RESTARTED = 0.999;

    private final Scenario scenario;
    private final String scenarioHash;
    private final EndpointSession session;
    private final PromptBook prompts;
    private final LiveOptions options;
    private final TraceArrivals traces;
    private final Consumer<String> progress;

    /** Arrivals of a trace: times in ms and lengths, in order. */
    @FunctionalInterface
    public interface TraceArrivals {
        List<Arrival> read(String file) throws IOException;

        /** One arrival. */
        record Arrival(double arrivalMs, int isl, int osl) {}

        /** Refuses traces. */
        TraceArrivals NONE = file -> {
            throw new IllegalArgumentException("trace loads cannot be driven here: " + file);
        };
    }

    public LiveValidation(
            Scenario scenario,
            String scenarioHash,
            EndpointSession session,
            PromptBook prompts,
            LiveOptions options,
            TraceArrivals traces,
            Consumer<String> progress) {
        this.scenario = scenario;
        this.scenarioHash = scenarioHash;
        this.session = session;
        this.prompts = prompts;
        this.options = options;
        this.traces = traces;
        this.progress = progress;
    }

    /** How the user forces acceptance on this engine for the scenario's forced acceptance; empty when it has none. */
    public List<String> forcingSwitch() {
        if (scenario.forcedAcceptance() == null) {
            return List.of();
        }
        Arm arm = options.arm().arm(scenario);
        int drafts = arm.method().maxAccepted(arm);
        if (drafts == 0) {
            return List.of();
        }
        return session.probed().adapter().forcingSwitch(drafts(drafts));
    }

    private EngineAdapter.ForcedDrafts drafts(int length) {
        if (scenario.forcedAcceptance() instanceof ForcedAcceptance.PerRequest p) {
            return new EngineAdapter.ForcedDrafts(length, null, p.rates());
        }
        return new EngineAdapter.ForcedDrafts(
                length, scenario.forcedAcceptance().law(length).acceptLength(), null);
    }

    /**
     * Measures every workload and load.
     *
     * @return the new measurements and, with a directory, those already there
     * @throws EndpointException when the endpoint fails
     */
    public List<Measurement> measure() throws IOException {
        Arm arm = options.arm().arm(scenario);
        int tp = options.arm().tpOf(scenario);
        MeasurementFile file = options.directory() == null ? null : new MeasurementFile(options.directory());
        List<Measurement> all = new ArrayList<>(file == null ? List.of() : file.read(scenarioHash));
        int run = run(all, arm, tp);
        Guards.comparable("the server and the scenario", served(), wanted(tp), options.allowed())
                .forEach(d -> progress.accept("measured although different: " + d));
        String boot = boot(all);
        for (Workload w : scenario.workloads()) {
            for (LoadSpec load : ScenarioPredictor.single(scenario.loads())) {
                Cell cell = cell(arm, tp, w, load);
                if (all.stream().anyMatch(m -> m.run() == run && m.cell().equals(cell))) {
                    if (!options.resume()) {
                        throw new IllegalArgumentException("run " + run + " of " + cell
                                + " is measured already: use --resume to go on with what is missing, or another --run");
                    }
                    progress.accept(cell + ": measured already");
                    continue;
                }
                RunOutcome o = session.run(spec(arm, w, load, cell, run));
                Measurement m = measurement(arm, cell, load, run, boot, o, all);
                all.add(m);
                if (file != null) {
                    file.append(m);
                }
            }
        }
        return all;
    }

    private Cell cell(Arm arm, int tp, Workload w, LoadSpec load) {
        return ArmChoice.cell(scenario, arm, tp, w.id(), LoadLabels.of(load));
    }

    /** Number of the run: a new one, or with resume the last one when loads of it are missing. */
    private int run(List<Measurement> all, Arm arm, int tp) {
        if (options.run() != null) {
            return options.run();
        }
        Map<Integer, Set<Cell>> runs = new TreeMap<>();
        Set<Cell> cells = new LinkedHashSet<>();
        scenario.workloads()
                .forEach(w -> ScenarioPredictor.single(scenario.loads()).forEach(l -> cells.add(cell(arm, tp, w, l))));
        all.stream()
                .filter(m -> cells.contains(m.cell()))
                .forEach(m -> runs.computeIfAbsent(m.run(), r -> new LinkedHashSet<>())
                        .add(m.cell()));
        if (runs.isEmpty()) {
            return 1;
        }
        int last = runs.keySet().stream().mapToInt(Integer::intValue).max().orElseThrow();
        return options.resume() && runs.get(last).size() < cells.size() ? last : last + 1;
    }

    /** What the server says of itself. */
    private Conditions served() {
        ServerSnapshot s = session.probed().snapshot();
        return new Conditions(
                null,
                s.tp(),
                s.model() != null ? s.model() : session.probed().model(),
                s.quantization(),
                null,
                null,
                null,
                session.probed().adapter() == EngineAdapters.generic()
                        ? null
                        : session.probed().adapter().id(),
                null,
                null,
                null,
                null,
                null,
                null);
    }

    /** What the scenario says of its server. */
    private Conditions wanted(int tp) {
        return new Conditions(
                null,
                tp,
                scenario.target() == null ? null : scenario.target().model(),
                scenario.target() == null ? null : scenario.target().weights(),
                null,
                null,
                null,
                scenario.engine().name(),
                null,
                null,
                null,
                null,
                null,
                null);
    }

    /** A server whose token counter went on from the last run is the same start of it. */
    private String boot(List<Measurement> earlier) {
        ServerSnapshot now = session.snapshot();
        Double tokens = now.generatedTokens();
        String last = earlier.isEmpty() ? null : earlier.get(earlier.size() - 1).boot();
        if (tokens == null) {
            return "unknown start " + PromptBook.newSalt();
        }
        if (last != null && last.contains("@")) {
            double before = Double.parseDouble(last.substring(last.indexOf('@') + 1));
            if (tokens >= before * RESTARTED && before > 0) {
                return last;
            }
        }
        return PromptBook.newSalt() + "@" + Math.round(tokens);
    }

    private RunSpec spec(Arm arm, Workload w, LoadSpec spec, Cell cell, int run) throws IOException {
        String salt = PromptBook.newSalt();
        Load load;
        RequestSource source;
        int warmup;
        int measured;
        if (spec instanceof LoadSpec.Trace t) {
            List<TraceArrivals.Arrival> arrivals = traces.read(t.file());
            load = new Load.Trace(arrivals.stream()
                    .mapToLong(a -> Math.round(a.arrivalMs() * 1e6))
                    .toArray());
            warmup = 0;
            measured = arrivals.size();
            source = (index, phase) -> {
                TraceArrivals.Arrival a = arrivals.get((int) Math.min(index, arrivals.size() - 1L));
                return request(w, index, phase, a.isl(), a.osl(), salt);
            };
        } else {
            load = load(spec);
            int clients = load instanceof Load.Closed c ? c.concurrency() : 1;
            warmup = load instanceof Load.Closed ? clients : Math.max(2, options.leastRequests() / 8);
            measured = Math.max(options.leastRequests(), clients * options.requestsPerClient());
            source = (index, phase) -> request(
                    w,
                    index,
                    phase,
                    w.isl().quantile(uniform("isl", run, index)),
                    w.osl().quantile(uniform("osl", run, index)),
                    salt);
        }
        RequestOptions o = new RequestOptions(
                session.probed().api(),
                options.temperature(),
                !options.acceptanceRun(),
                scenario.engine().prefixHitRate() == null || scenario.engine().prefixHitRate() == 0,
                salt,
                scenario.seed());
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("scenario_hash", scenarioHash);
        settings.put("cell", cell.toString());
        settings.put("run", Integer.toString(run));
        StringBuilder which = new StringBuilder(arm.id());
        ArmChoice.toldApartBy(scenario, arm)
                .forEach((k, v) -> which.append('-').append(k).append('=').append(v));
        String name = String.join("-", "run" + run, which, w.id(), cell.load()).replaceAll("[^A-Za-z0-9.=-]", "_");
        Path file = options.directory() == null
                ? null
                : options.directory().resolve("runs").resolve(name + ".jsonl");
        return new RunSpec(
                name,
                new RunPlan(load, warmup, measured, scenario.seed() + run, options.limit()),
                source,
                o,
                Validation.maxTokensPerRound(arm),
                arm.speculative(),
                file,
                options.resume(),
                settings);
    }

    private double uniform(String purpose, int run, long index) {
        return Streams.of(scenario.seed(), "validate-" + purpose, run, index).nextDouble();
    }

    private PlannedRequest request(Workload w, long index, Phase phase, int isl, int osl, String salt) {
        return new PlannedRequest(
                index,
                phase,
                w.id(),
                prompts.prompt(w.id(), isl, session.probed().charsPerToken(), salt, index),
                osl);
    }

    private static Load load(LoadSpec spec) {
        if (spec instanceof LoadSpec.Closed c) {
            return new Load.Closed(
                    c.concurrency().get(0),
                    c.thinkTime().meanMs(),
                    c.thinkTime().dist().equals(LoadSpec.ThinkTime.EXPONENTIAL),
                    c.staggered());
        }
        if (spec instanceof LoadSpec.Poisson p) {
            return new Load.Open(p.ratePerS().get(0), 1);
        }
        LoadSpec.Gamma g = (LoadSpec.Gamma) spec;
        return new Load.Open(g.ratePerS().get(0), g.burstiness().get(0));
    }

    private Measurement measurement(
            Arm arm, Cell cell, LoadSpec load, int run, String boot, RunOutcome o, List<Measurement> all) {
        Set<String> notes = new LinkedHashSet<>(session.probed().notes());
        notes.addAll(o.notes());
        notes.addAll(prompts.notes());
        boolean baseline = !arm.speculative()
                || all.stream()
                        .anyMatch(m -> !m.speculative() && m.cell().rivals().equals(cell.rivals()));
        notes.addAll(Guards.warnings(Guards.Facts.of(o.measures(), prompts.tasks(cell.workload()), null, baseline)));
        boolean forced = scenario.forcedAcceptance() != null && arm.speculative();
        if (arm.speculative() && o.acceptance() != null) {
            notes.addAll(Guards.acceptanceWarnings(
                    o.acceptance().acceptLength(), arm.method().maxAccepted(arm)));
        }
        if (forced && o.acceptance() != null) {
            checkForced(o.acceptance().acceptLength(), notes);
        }
        ServerSnapshot s = session.probed().snapshot();
        Conditions conditions = new Conditions(
                scenario.hardware() == null ? null : scenario.hardware().gpu(),
                s.tp() != null ? s.tp() : Integer.valueOf(cell.tp()),
                s.model() != null ? s.model() : session.probed().model(),
                s.quantization(),
                o.measures().meanPromptTokens(),
                o.measures().meanOutputTokens(),
                LoadLabels.of(load),
                s.engine(),
                s.version(),
                s.slots(),
                scenario.hardware() == null ? null : scenario.hardware().powerLimitW(),
                scenario.hardware() == null ? null : scenario.hardware().p2p(),
                null,
                null);
        progress.accept(String.format(
                Locale.ROOT,
                "%s: %.1f tok/s, tpot %s ms",
                cell,
                o.measures().outputTokS() == null ? 0 : o.measures().outputTokS(),
                o.measures().tpotMs() == null
                        ? "-"
                        : String.format(
                                Locale.ROOT, "%.2f", o.measures().tpotMs().mean())));
        return new Measurement(
                Measurement.SCHEMA,
                scenarioHash,
                cell,
                run,
                boot,
                "live",
                arm.speculative(),
                forced,
                conditions,
                Measurement.map(Figures.of(
                        o.measures(),
                        o.acceptance() == null ? null : o.acceptance().acceptLength())),
                arm.speculative() ? o.acceptance() : null,
                o.measures().meanPromptTokens(),
                o.measures().meanOutputTokens(),
                List.copyOf(notes));
    }

    private void checkForced(double measured, Set<String> notes) {
        Arm arm = options.arm().arm(scenario);
        double wanted = drafts(arm.method().maxAccepted(arm)).meanLength();
        if (Math.abs(measured / wanted - 1) > 0.1) {
            notes.add(String.format(
                    Locale.ROOT,
                    "acceptance is not forced as the scenario says: %.2f tokens per round measured, %.2f forced (short answers"
                            + " truncate the last round); launch the server with: %s",
                    measured,
                    wanted,
                    String.join(" ; ", forcingSwitch())));
        }
    }
}
