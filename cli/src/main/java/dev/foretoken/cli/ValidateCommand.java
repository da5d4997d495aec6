package dev.foretoken.cli;

import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.formats.trace.TraceFileSource;
import dev.foretoken.sim.hardware.Gpu;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.serving.TraceRequest;
import dev.foretoken.validation.compare.Guards;
import dev.foretoken.validation.importers.ImportedRun;
import dev.foretoken.validation.importers.ResultImporter;
import dev.foretoken.validation.importers.ResultImporters;
import dev.foretoken.validation.session.EndpointSession;
import dev.foretoken.validation.validate.ArmChoice;
import dev.foretoken.validation.validate.LiveOptions;
import dev.foretoken.validation.validate.LiveValidation;
import dev.foretoken.validation.validate.Measurement;
import dev.foretoken.validation.validate.MeasurementFile;
import dev.foretoken.validation.validate.ResultsValidation;
import dev.foretoken.validation.validate.ScenarioPredictor;
import dev.foretoken.validation.validate.Validation;
import dev.foretoken.validation.validate.ValidationReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code foretoken validate SCENARIO --url URL | --results FILE...}: a prediction beside what a server does. */
@Command(
        name = "validate",
        description = {
            "Drives a live server with a scenario's load, or reads result files, and compares with the prediction.",
            "Exit 3 when a figure is outside the scenario's tolerance, 4 when the endpoint cannot be used. The server is never",
            "started, stopped or reconfigured: its launch line and how to force acceptance are printed instead."
        },
        footer = {
            "",
            "A server runs one method: run validate once per method with --method and the same --out; what was measured before",
            "is compared together. Runs after a restart of the server count as replicates of the equivalence test (5 are needed)."
        },
        mixinStandardHelpOptions = true)
final class ValidateCommand implements Callable<Integer> {
    @Parameters(index = "0", arity = "0..1", paramLabel = "SCENARIO", description = "scenario file, YAML or JSON")
    private Path scenario;

    @Option(names = "--url", paramLabel = "URL", description = "live OpenAI-compatible server to drive")
    private String url;

    @Option(
            names = "--results",
            arity = "1..*",
            paramLabel = "FILE",
            description = "result files of benchmark clients instead (--clients lists which)")
    private List<Path> results = List.of();

    @Option(names = "--clients", description = "list the benchmark clients whose result files are read")
    private boolean clients;

    @Option(
            names = "--method",
            paramLabel = "ID",
            description = "method that the server runs, where the scenario has several")
    private String method;

    @Option(names = "--budget", paramLabel = "B", description = "its tree budget")
    private Integer budget;

    @Option(names = "--top-k", paramLabel = "K", description = "its candidates per depth")
    private Integer topK;

    @Option(names = "--tp", paramLabel = "N", description = "its tensor-parallel size")
    private Integer tp;

    @Option(
            names = "--requests-per-client",
            paramLabel = "N",
            defaultValue = "3",
            description = "measured requests per client of a closed loop (default: ${DEFAULT-VALUE})")
    private int requestsPerClient;

    @Option(
            names = "--least-requests",
            paramLabel = "N",
            defaultValue = "24",
            description = "fewest measured requests per load (default: ${DEFAULT-VALUE})")
    private int leastRequests;

    @Option(
            names = "--temperature",
            paramLabel = "T",
            defaultValue = "0",
            description = "sampling temperature (default: ${DEFAULT-VALUE})")
    private double temperature;

    @Option(
            names = "--acceptance-run",
            description = "natural answer lengths (ignore_eos off): for acceptance, not for timing")
    private boolean acceptanceRun;

    @Option(names = "--run", paramLabel = "N", description = "number of this run (default: one more than in --out)")
    private Integer run;

    @Option(names = "--resume", description = "with --out: go on with what an interrupted run measured")
    private boolean resume;

    @Option(
            names = "--limit",
            paramLabel = "S",
            defaultValue = "1800",
            description = "longest time of one load, seconds (default: ${DEFAULT-VALUE})")
    private long limitS;

    @Option(names = "--workload", paramLabel = "ID", description = "with --results: workload of the files")
    private String workload;

    @Option(names = "--concurrency", paramLabel = "N", description = "with --results: closed-loop clients")
    private Integer concurrency;

    @Option(names = "--gpu", paramLabel = "ID", description = "with --results: card that was used")
    private String gpu;

    @Option(names = "--weights", paramLabel = "DTYPE", description = "with --results: weight format that was served")
    private String weights;

    @Option(names = "--forced", description = "with --results: acceptance was forced by the engine (stage A)")
    private boolean forced;

    @Option(
            names = "--allow-different",
            split = ",",
            paramLabel = "NAME",
            description = "compare although this differs (context, model, ...; all for everything)")
    private List<String> allowed = List.of();

    @Mixin
    private EndpointOptions endpoint;

    @Mixin
    private Common common;

    @Override
    public Integer call() throws IOException {
        if (clients) {
            for (ResultImporter i : ResultImporters.all()) {
                Common.print(String.format(Locale.ROOT, "%-16s %s%n", i.id(), i.description()));
            }
            return Exit.OK;
        }
        if (scenario == null) {
            throw new UserError("validate what? Give a SCENARIO, and --url URL or --results FILE");
        }
        if ((url == null) == results.isEmpty()) {
            throw new UserError("give either --url URL (a live server) or --results FILE (result files)");
        }
        if (resume && common.out() == null) {
            throw new UserError("--resume needs --out DIR, the folder of the interrupted run");
        }
        Workspace workspace = Workspace.beside(scenario);
        ScenarioFile file = workspace.read(scenario);
        List<Scenario> variants = common.seeded(file.variants());
        if (variants.size() != 1) {
            throw new UserError(scenario + " has " + variants.size()
                    + " variants (lists in place of single values, such as "
                    + variants.get(0).variant().keySet() + "): validate compares one; keep one value of each list");
        }
        Scenario s = variants.get(0);
        String hash = Json.hash(variants);
        try {
            ArmChoice choice = new ArmChoice(method, budget, topK, tp);
            Arm arm = choice.arm(s);
            String launch = workspace.launch(s).of(s, arm, s.engine().overriddenBy(arm.engine()), choice.tpOf(s));
            List<String> switches = new ArrayList<>();
            List<Measurement> measured = url != null ? live(s, hash, choice, launch, switches) : read(s, hash, choice);
            ScenarioPredictor predictor = new ScenarioPredictor(s, workspace.times(s));
            ValidationReport report =
                    new Validation(predictor, hash, ceiling(workspace, s), new HashSet<>(allowed)).report(measured);
            new ValidationOutput(common, report, launch, switches).output().write();
            if (!report.withinTolerance()) {
                report.outside().forEach(o -> common.note("outside tolerance: " + o));
                return Exit.OUTSIDE_TOLERANCE;
            }
            if (s.tolerance().isEmpty()) {
                common.note("the scenario has no tolerance: no figure is judged");
            }
            return Exit.OK;
        } catch (IllegalArgumentException e) {
            throw new UserError(e.getMessage());
        }
    }

    /** Every round reads the weights that a token needs at least once; the whole of the memory bandwidth is the ceiling. */
    private static Validation.Ceiling ceiling(Workspace workspace, Scenario s) {
        if (s.hardware() == null || s.target() == null) {
            return Validation.Ceiling.NONE;
        }
        Gpu gpu = workspace.catalogue().gpu(s.hardware().gpu());
        double bandwidth = Math.max(
                gpu.dramSpecBytesPerS() == null ? 0 : gpu.dramSpecBytesPerS(),
                gpu.dramObservedBytesPerS() == null ? 0 : gpu.dramObservedBytesPerS());
        double bytes = workspace.catalogue().model(s.target().model()).paramsReadPerPass(1)
                * Dtype.of(s.target().weights()).bytes();
        return (tp, tokensPerRound, concurrency) ->
                Guards.rooflineTokS(bytes, bandwidth, tp, tokensPerRound, concurrency);
    }

    private List<Measurement> live(Scenario s, String hash, ArmChoice choice, String launch, List<String> switches)
            throws IOException {
        if (launch != null) {
            common.note("the scenario's server starts like this: " + launch);
        }
        LiveOptions options = new LiveOptions(
                choice,
                requestsPerClient,
                leastRequests,
                temperature,
                acceptanceRun,
                common.out(),
                resume,
                run,
                Duration.ofSeconds(limitS),
                new HashSet<>(allowed));
        int loads = ScenarioPredictor.single(s.loads()).size() * s.workloads().size();
        try (EndpointSession session = endpoint.open(url, common::note);
                Common.Progress progress = common.progress("validate", loads)) {
            int[] done = new int[1];
            LiveValidation validation =
                    new LiveValidation(s, hash, session, endpoint.prompts(), options, this::arrivals, line -> {
                        progress.accept(++done[0]);
                        common.note(done[0] + " of " + loads + ": " + line);
                    });
            switches.addAll(validation.forcingSwitch());
            switches.forEach(line -> common.note("to force acceptance: " + line));
            return validation.measure();
        }
    }

    /** Arrivals of a trace; its times start at the first request. */
    private List<LiveValidation.TraceArrivals.Arrival> arrivals(String file) {
        List<LiveValidation.TraceArrivals.Arrival> list = new ArrayList<>();
        for (Iterator<TraceRequest> it = TraceFileSource.of(Path.of(file)).open(); it.hasNext(); ) {
            TraceRequest r = it.next();
            list.add(new LiveValidation.TraceArrivals.Arrival(r.arrivalNs() / 1e6, r.isl(), r.osl()));
        }
        return list;
    }

    private List<Measurement> read(Scenario s, String hash, ArmChoice choice) throws IOException {
        List<ImportedRun> runs = new ArrayList<>();
        for (Path file : results) {
            if (!Files.isRegularFile(file)) {
                throw new UserError((Files.exists(file) ? "not a file: " : "no such file: ") + file);
            }
            runs.addAll(ResultImporters.read(file));
        }
        ResultsValidation.Said said =
                new ResultsValidation.Said(choice, workload, gpu, endpoint.model(), weights, concurrency, forced);
        List<Measurement> measured =
                new ArrayList<>(ResultsValidation.measurements(s, hash, runs, said, new HashSet<>(allowed)));
        if (common.out() != null) {
            MeasurementFile kept = new MeasurementFile(common.out());
            List<Measurement> before = kept.read(hash);
            for (Measurement m : measured) {
                if (before.stream()
                        .noneMatch(
                                b -> b.source().equals(m.source()) && b.cell().equals(m.cell()))) {
                    kept.append(m);
                }
            }
            for (Measurement b : before) {
                if (measured.stream()
                        .noneMatch(
                                m -> b.source().equals(m.source()) && b.cell().equals(m.cell()))) {
                    measured.add(b);
                }
            }
        }
        return measured;
    }
}
