package dev.foretoken.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.calibration.host.CalibrationPlan;
import dev.foretoken.calibration.host.CpuCalibration;
import dev.foretoken.calibration.host.RecordedServer;
import dev.foretoken.calibration.timings.ShapesFile;
import dev.foretoken.calibration.timings.TimingTool;
import dev.foretoken.cli.live.CpuMachine;
import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.formats.document.Nearest;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.json.JsonFile;
import dev.foretoken.formats.timings.KernelTimings;
import dev.foretoken.formats.timings.TimingPoint;
import dev.foretoken.formats.timings.TimingsFile;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.Column;
import dev.foretoken.report.table.NumberStyle;
import dev.foretoken.sim.model.Drafter;
import dev.foretoken.sim.model.TargetModel;
import dev.foretoken.validation.testserver.LlamaKit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What {@code calibrate gpu} and {@code calibrate host} share: shapes of a model, the native timing tool, its file. */
abstract class CalibrateTiming implements Callable<Integer> {
    private static final String ROOT = "foretoken.root";
    private static final String GPU_MODEL = "qwen3.6-27b";
    private static final String SETUP = "calibration/native/setup";
    private static final List<Path> NVIDIA_DEVICES =
            List.of(Path.of("/dev/nvidiactl"), Path.of("/dev/nvidia0"), Path.of("/dev/dxg"));
    private static final long GRACE_S = 20;
    private static final int MOST_PASSES = 20;

    /** {@code foretoken calibrate gpu}. */
    @Command(
            name = "gpu",
            description = "Times this machine's GPUs with the native tool, writes kernel timings.",
            footer = {"", "Options of the timing tool itself follow after --, such as -- --device 1 --thermal burst."},
            mixinStandardHelpOptions = true)
    static final class Gpu extends CalibrateTiming {
        @Override
        boolean gpu() {
            return true;
        }
    }

    /** {@code foretoken calibrate host}. */
    @Command(
            name = "host",
            description = "Times this machine's CPU with the native tool, writes kernel timings.",
            footer = {"", "Options of the timing tool itself follow after --, such as -- --threads 2 --min-samples 10."
            },
            mixinStandardHelpOptions = true)
    static final class Host extends CalibrateTiming {
        @Option(
                names = "--llama",
                description = "time a llama.cpp server on this CPU instead of single operations: its rounds by rows and"
                        + " context, prompts and drafting, in CPU time (installed from PyPI, 200 MB)")
        private boolean llama;

        @Option(
                names = "--passes",
                paramLabel = "N",
                description = "with --llama: how often everything is timed, at least 2 (default: 2)")
        private Integer passes;

        @Override
        boolean gpu() {
            return false;
        }

        @Override
        public Integer call() throws IOException, InterruptedException {
            if (llama) {
                return server(passes == null ? 2 : passes);
            }
            if (passes != null) {
                throw new UserError("--passes belongs to --llama");
            }
            return super.call();
        }
    }

    @Parameters(arity = "0..*", paramLabel = "TOOL_OPTION", description = "after --: options of the timing tool")
    private List<String> toolOptions = List.of();

    @Option(
            names = "-o",
            paramLabel = "FILE",
            description = "kernel timings to write (default: timings-gpu.json or -host.json)")
    private Path output;

    @Option(
            names = "--model",
            paramLabel = "ID",
            description = "model of the catalogue whose shapes are timed (default: " + GPU_MODEL
                    + " on a GPU, SmolLM2-135M on" + " the host)")
    private String model;

    @Option(
            names = "--tp",
            split = ",",
            paramLabel = "N",
            description = "tensor-parallel sizes whose share of the model is timed (default: 1)")
    private List<Integer> tps = List.of(1);

    @Option(names = "--drafter", paramLabel = "ID", description = "block drafter whose pass is timed as a whole")
    private String drafter;

    @Option(names = "--ops", split = ",", paramLabel = "OP", description = "operations to time (default: all)")
    private List<String> operations = List.of();

    @Option(names = "--quick", description = "few points and samples: a smoke run")
    private boolean quick;

    @Option(names = "--force", description = "measure on a busy machine; the file records it")
    private boolean force;

    @Option(names = "--resume", description = "keep the complete points of the file and measure the rest")
    private boolean resume;

    @Option(names = "--no-build", description = "do not build the timing tool when it is missing; say how")
    private boolean noBuild;

    @Mixin
    private Common common;

    /** True for the CUDA backend. */
    abstract boolean gpu();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path file = output != null ? output : Path.of(gpu() ? "timings-gpu.json" : "timings-host.json");
        if (common.out() != null && output == null) {
            file = common.out().resolve(file);
        }
        Path shapes = shapes();
        try {
            Optional<TimingTool> built = tool();
            if (built.isEmpty()) {
                JsonFile.write(file, noDevice());
                throw new UserError(
                        Exit.NO_GPU,
                        "no NVIDIA GPU on this machine (no " + NVIDIA_DEVICES.get(0) + "): nothing was timed; " + file
                                + " says so. calibrate host times the CPU");
            }
            if (file.toAbsolutePath().getParent() != null) {
                Files.createDirectories(file.toAbsolutePath().getParent());
            }
            int exit = run(built.get(), arguments(file, shapes));
            if (Files.exists(file) && (exit == TimingTool.MEASURED || exit == TimingTool.STOPPED)) {
                print(file);
            }
            return switch (exit) {
                case TimingTool.MEASURED, TimingTool.USAGE, TimingTool.STOPPED -> exit;
                case TimingTool.CANNOT_RUN -> cannotRun(file);
                default -> throw new UserError(Exit.FAILURE, "the timing tool failed (exit " + exit + "), see above");
            };
        } finally {
            if (shapes != null) {
                Files.deleteIfExists(shapes);
            }
        }
    }

    /** Times a llama.cpp server. */
    Integer server(int passes) throws IOException, InterruptedException {
        if (passes < 2 || passes > MOST_PASSES) {
            throw new UserError("--passes must lie in 2.." + MOST_PASSES + ": " + passes);
        }
        if (model != null || drafter != null || !operations.isEmpty() || quick || !toolOptions.isEmpty()) {
            throw new UserError(
                    "--model, --drafter, --ops, --quick and options of the timing tool do not go with --llama:"
                            + " the server runs SmolLM2-135M");
        }
        Path file = output != null ? output : Path.of("timings-llama.json");
        if (common.out() != null && output == null) {
            file = common.out().resolve(file);
        }
        Instant started = Instant.now();
        LlamaKit kit = LiveCpu.kit(common);
        Double load = CpuMachine.load();
        if (load != null && load > Runtime.getRuntime().availableProcessors() && !force) {
            throw new UserError(
                    Exit.NO_GPU,
                    String.format(
                            Locale.ROOT,
                            "the machine is not quiet (load average %.2f on %d processors); --force measures all the same",
                            load,
                            Runtime.getRuntime().availableProcessors()));
        }
        RecordedServer server = LiveCpu.server(kit, resume);
        CpuCalibration calibration;
        try (LiveCpu.Shown shown = new LiveCpu.Shown(common)) {
            calibration = CpuCalibration.measure(server, CalibrationPlan.standard(passes), shown);
        } catch (IOException e) {
            throw new UserError(
                    Exit.FAILURE, "stopped: " + e.getMessage() + ". What was measured is kept: --resume goes on");
        }
        TimingsFile.write(file, calibration.timings(CpuMachine.provenance(kit.versions(), Main.version(), started)));
        print(file);
        return Exit.OK;
    }

    private static int cannotRun(Path file) {
        System.err.println("foretoken: the timing tool cannot run here, see above"
                + (Files.exists(file) ? "; " + file + " records it" : ""));
        return Exit.NO_GPU;
    }

    /** Shapes of the model in a temporary file; null for the tool's own. */
    private Path shapes() throws IOException {
        if (model == null && drafter == null && tps.equals(List.of(1)) && !gpu()) {
            return null;
        }
        Workspace workspace = Workspace.beside(null);
        String id = model != null ? model : GPU_MODEL;
        if (model == null) {
            common.note("shapes of " + id + ", tp " + tps + ": --model and --tp name yours");
        }
        TargetModel target = known(workspace, CatalogueKind.MODEL, id);
        Drafter block = drafter == null ? null : known(workspace, CatalogueKind.DRAFTER, drafter);
        Path file = Files.createTempFile("foretoken-shapes", ".json");
        try {
            ShapesFile.write(file, target, tps, block);
        } catch (IllegalArgumentException e) {
            Files.deleteIfExists(file);
            throw new UserError(e.getMessage());
        }
        return file;
    }

    private static <T> T known(Workspace workspace, CatalogueKind<T> kind, String id) {
        return workspace
                .catalogue()
                .find(kind, id)
                .orElseThrow(() -> new UserError("unknown " + kind.noun() + " " + id
                        + Nearest.phrase(id, workspace.catalogue().ids(kind)) + "; known are "
                        + String.join(", ", workspace.catalogue().ids(kind))));
    }

    /** The tool, built where it is missing; empty on a machine without a GPU to time. */
    private Optional<TimingTool> tool() throws InterruptedException {
        String root = System.getProperty(ROOT);
        Optional<TimingTool> found = TimingTool.find(Path.of(root == null ? "." : root), gpu());
        if (found.isPresent()) {
            return found;
        }
        if (gpu() && NVIDIA_DEVICES.stream().noneMatch(Files::exists)) {
            return Optional.empty();
        }
        String how = SETUP + (gpu() ? "" : " --host-only") + " builds it ("
                + (gpu() ? "g++, cmake and the CUDA compiler from PyPI, some hundred MB" : "g++ and cmake")
                + "); " + TimingTool.VARIABLE + " names one that is built already";
        if (root == null || noBuild) {
            throw new UserError(Exit.NO_GPU, "the timing tool is not built: " + how);
        }
        common.note("building the timing tool: " + SETUP + (gpu() ? "" : " --host-only"));
        try {
            return Optional.of(TimingTool.build(Path.of(root), gpu(), common::note));
        } catch (IOException e) {
            throw new UserError(Exit.NO_GPU, e.getMessage() + ". By hand: " + how);
        }
    }

    private List<String> arguments(Path file, Path shapes) {
        List<String> args = new ArrayList<>(List.of("--backend", gpu() ? "cuda" : "host", "--out", file.toString()));
        if (shapes != null) {
            args.addAll(List.of("--shapes", shapes.toString()));
        }
        if (!operations.isEmpty()) {
            args.addAll(List.of("--ops", String.join(",", operations)));
        }
        if (common.seed() != null) {
            args.addAll(List.of("--seed", common.seed().toString()));
        }
        flag(args, "--quick", quick);
        flag(args, "--force", force);
        flag(args, "--resume", resume);
        flag(args, "--quiet", common.quiet());
        args.addAll(toolOptions);
        return args;
    }

    private static void flag(List<String> args, String name, boolean given) {
        if (given) {
            args.add(name);
        }
    }

    /** Runs the tool on this terminal. When this program is stopped, the tool is too, and writes what it has. */
    private static int run(TimingTool tool, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(tool.binary().toString()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Thread stop = new Thread(() -> {
            process.destroy();
            try {
                process.waitFor(GRACE_S, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Runtime.getRuntime().addShutdownHook(stop);
        try {
            return process.waitFor();
        } finally {
            if (!process.isAlive()) {
                Runtime.getRuntime().removeShutdownHook(stop);
            }
        }
    }

    /** What a machine without a GPU says. */
    private static KernelTimings noDevice() {
        return new KernelTimings(
                KernelTimings.SCHEMA,
                null,
                null,
                null,
                "no_device",
                "cuda",
                null,
                null,
                null,
                List.of(),
                List.of("no NVIDIA device files on this machine"),
                null,
                null,
                null,
                List.of(),
                null,
                List.of(),
                List.of());
    }

    private record OperationRow(String op, long ok, long other, Double gbPerS, Double tflopsPerS, String firstNote) {}

    private void print(Path file) throws IOException {
        KernelTimings run = TimingsFile.read(file);
        Map<String, List<TimingPoint>> byOp = new LinkedHashMap<>();
        run.points()
                .forEach(p ->
                        byOp.computeIfAbsent(p.op(), o -> new ArrayList<>()).add(p));
        List<OperationRow> rows = new ArrayList<>();
        byOp.forEach((op, points) -> {
            List<TimingPoint> ok = points.stream().filter(TimingPoint::usable).toList();
            rows.add(new OperationRow(
                    op,
                    ok.size(),
                    points.size() - ok.size(),
                    ok.stream()
                            .filter(p -> p.achievedBytesPerS() != null)
                            .mapToDouble(p -> p.achievedBytesPerS() / 1e9)
                            .boxed()
                            .max(Double::compare)
                            .orElse(null),
                    ok.stream()
                            .filter(p -> p.achievedFlopsPerS() != null)
                            .mapToDouble(p -> p.achievedFlopsPerS() / 1e12)
                            .boxed()
                            .max(Double::compare)
                            .orElse(null),
                    points.stream()
                            .filter(p -> !p.usable())
                            .findFirst()
                            .map(p -> p.status() + (p.note() == null ? "" : ": " + p.note()))
                            .orElse(null)));
        });
        Block.Table<OperationRow> table = new Block.Table<>(
                "Operations",
                List.of(
                        Column.of("op", "", "operation", NumberStyle.TEXT, Column.ALWAYS, OperationRow::op),
                        Column.of("ok", "", "timed", NumberStyle.COUNT, Column.ALWAYS, OperationRow::ok),
                        Column.of("other", "", "not timed", NumberStyle.COUNT, 9, OperationRow::other),
                        Column.of("best_gb_per_s", "GB/s", "best", NumberStyle.RATE, 8, OperationRow::gbPerS),
                        Column.of("best_tflop_per_s", "TFLOP/s", "best", NumberStyle.FINE, 7, OperationRow::tflopsPerS),
                        Column.of("note", "", "first reason", NumberStyle.TEXT, 6, OperationRow::firstNote)),
                rows,
                List.of());
        JsonNode json = Json.mapper().readTree(file.toFile());
        List<Block> blocks = new ArrayList<>();
        blocks.add(table);
        blocks.add(new Block.Sentences("Warnings", run.warnings()));
        new BlockOutput(
                        common,
                        "timings",
                        String.format(
                                Locale.ROOT,
                                "%s · %s · %,d points · status %s",
                                file,
                                run.devices().isEmpty()
                                        ? run.host().getOrDefault("cpu_model", "this machine")
                                        : run.devices().get(0).name(),
                                run.points().size(),
                                run.status()),
                        blocks,
                        table,
                        json)
                .write();
        common.note("wrote " + file + "; next: foretoken calibrate fit " + file + " -o PROFILE.json");
    }
}
