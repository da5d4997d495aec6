package dev.foretoken.cli;

import dev.foretoken.formats.document.Nearest;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.formats.trace.TraceFileSource;
import dev.foretoken.sim.hardware.Gpu;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.serving.TraceRequest;
import dev.foretoken.validation.compare.Guards;
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
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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
            "A server runs one method: run validate once per method with --method (and --with) and the same --out; what was",
            "measured before is compared together. Result files of several methods can be given at once. Runs after a restart of the server count as replicates of the equivalence test (5 are needed)."
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
            description = {
                "method that the server runs, where the scenario has several;",
                "FILE=ID or FILE=ID:KEY=VALUE: of one file of --results (may be repeated)"
            })
    private List<String> methods = List.of();

    @Option(
            names = "--with",
            split = ",",
            paramLabel = "KEY=VALUE",
            description = "its parameters, where the scenario has several values: steps=2, block=16, budget=8,top_k=4")
    private List<String> with = List.of();

    @Option(names = "--budget", paramLabel = "B", description = "its tree budget (as --with budget=B)")
    private Integer budget;

    @Option(names = "--top-k", paramLabel = "K", description = "its candidates per depth (as --with top_k=K)")
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
            description = "compare although this differs (context, output-length, model, ...; all for everything)")
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
            Set<String> different = Guards.allowed(allowed);
            ArmChoice choice = choice();
            List<String> switches = new ArrayList<>();
            List<Measurement> measured;
            String launch;
            if (url != null) {
                choice.check(s);
                launch = launch(workspace, s, choice);
                measured = live(s, hash, choice, launch, switches, different);
            } else {
                measured = read(s, hash, choice, different);
                List<ArmChoice> arms = measured.stream()
                        .map(m -> ArmChoice.of(m.cell()))
                        .distinct()
                        .toList();
                launch = arms.size() == 1 ? launch(workspace, s, arms.get(0)) : null;
            }
            ScenarioPredictor predictor = new ScenarioPredictor(s, workspace.times(s));
            ValidationReport report =
                    new Validation(predictor, hash, ceiling(workspace, s), different).report(measured);
            new ValidationOutput(common, report, launch, switches).output().write();
            if (!report.withinTolerance()) {
                report.outside().forEach(o -> common.note("outside tolerance: " + o));
                return Exit.OUTSIDE_TOLERANCE;
            }
            if (!report.judged()) {
                common.note(report.verdict());
            }
            return Exit.OK;
        } catch (IllegalArgumentException e) {
            throw new UserError(e.getMessage());
        }
    }

    private static String launch(Workspace workspace, Scenario s, ArmChoice choice) throws IOException {
        Arm arm = choice.arm(s);
        return workspace.launch(s).of(s, arm, s.engine().overriddenBy(arm.engine()), choice.tpOf(s));
    }

    /** The arm that is named without a file. */
    private ArmChoice choice() {
        List<String> plain = methods.stream()
                .filter(m -> results.stream().noneMatch(f -> ofFile(m, f) != null))
                .toList();
        for (String m : plain) {
            if (m.indexOf('=') >= 0) {
                throw new UserError("--method " + m + ": "
                        + (results.isEmpty()
                                ? "FILE=ID is for --results; a live server runs one method: --method ID"
                                : "none of the result files is called " + m.substring(0, m.indexOf('='))
                                        + Nearest.phrase(
                                                m.substring(0, m.indexOf('=')),
                                                results.stream()
                                                        .map(ValidateCommand::name)
                                                        .toList())));
            }
        }
        if (plain.size() > 1) {
            throw new UserError("--method is given " + plain.size() + " times (" + String.join(", ", plain) + "): "
                    + (results.isEmpty()
                            ? "a live server runs one"
                            : "say which file each is of, such as --method " + name(results.get(0)) + "="
                                    + plain.get(0)));
        }
        return new ArmChoice(plain.isEmpty() ? null : plain.get(0), budget, topK, tp, ArmChoice.parameters(with));
    }

    private static String name(Path file) {
        return file.getFileName().toString();
    }

    /** What FILE=ID says of a file, null when it is not about it. */
    private static String ofFile(String word, Path file) {
        for (String name : List.of(file.toString(), name(file))) {
            if (word.startsWith(name + "=")) {
                return word.substring(name.length() + 1);
            }
        }
        return null;
    }

    /** The arm of one file, null when no option names it. */
    private ArmChoice choice(Scenario s, ArmChoice common, Path file) {
        ArmChoice choice = null;
        for (String m : methods) {
            String said = ofFile(m, file);
            if (said == null) {
                continue;
            }
            if (choice != null) {
                throw new UserError("--method names " + name(file) + " twice");
            }
            List<String> parts = List.of(said.split(":"));
            ArmChoice of = common.of(parts.get(0), s);
            Map<String, String> all = new LinkedHashMap<>(of.with());
            all.putAll(ArmChoice.parameters(parts.subList(1, parts.size())));
            choice = new ArmChoice(of.method(), of.budget(), of.topK(), of.tp(), all);
        }
        return choice;
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

    private List<Measurement> live(
            Scenario s, String hash, ArmChoice choice, String launch, List<String> switches, Set<String> different)
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
                different);
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

    private List<Measurement> read(Scenario s, String hash, ArmChoice choice, Set<String> different)
            throws IOException {
        List<ResultsValidation.RunOfArm> runs = new ArrayList<>();
        for (Path file : results) {
            if (!Files.isRegularFile(file)) {
                throw new UserError((Files.exists(file) ? "not a file: " : "no such file: ") + file);
            }
            ArmChoice of = choice(s, choice, file);
            ResultImporters.read(file).forEach(r -> runs.add(new ResultsValidation.RunOfArm(r, name(file), of)));
        }
        ResultsValidation.Said said =
                new ResultsValidation.Said(choice, workload, gpu, endpoint.model(), weights, concurrency, forced);
        List<Measurement> measured = new ArrayList<>(ResultsValidation.ofArms(s, hash, runs, said, different));
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
