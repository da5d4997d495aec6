package dev.foretoken.cli;

import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.formats.trace.TraceFileSource;
import dev.foretoken.report.chart.PointSeries;
import dev.foretoken.report.document.RunFolder;
import dev.foretoken.sim.explore.SimulatedGrid;
import dev.foretoken.sim.memory.MemoryPlan;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.serving.EngineListener;
import dev.foretoken.sim.serving.MemoryLimits;
import dev.foretoken.sim.serving.SimulationPoint;
import dev.foretoken.sim.serving.TraceSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code foretoken simulate SCENARIO}: discrete-event simulation of every point. */
@Command(
        name = "simulate",
        description = "Discrete-event simulation of every point, with confidence intervals.",
        mixinStandardHelpOptions = true)
final class SimulateCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "SCENARIO", description = "scenario file, YAML or JSON")
    private Path scenario;

    @Option(names = "--no-charts", description = "with --out: files without charts")
    private boolean noCharts;

    @Option(
            names = "--resume",
            description =
                    "with --out: points that an interrupted run of the same scenario finished are not simulated again")
    private boolean resume;

    @Option(
            names = "--requests",
            paramLabel = "FILE",
            description = "table of every request (CSV); of a grid one file per point, FILE's name with the point's")
    private Path requests;

    @Option(
            names = "--timeline",
            paramLabel = "FILE",
            description = "Chrome trace of rounds, prompt chunks, queue and memory, for Perfetto; likewise per point")
    private Path timeline;

    @Mixin
    private Common common;

    @Override
    public Integer call() throws IOException {
        if (resume && common.out() == null) {
            throw new UserError("--resume needs --out DIR, the folder of the interrupted run");
        }
        Workspace workspace = Workspace.beside(scenario);
        ScenarioFile file = workspace.read(scenario);
        common.checkOut();
        common.effective(file);
        RunFiles files = new RunFiles(requests, timeline);
        files.check();
        RunFolder run;
        try {
            run = simulate(workspace, file, files);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        new ResultOutput(common).write(run, !noCharts);
        return run.result().points().stream().anyMatch(Point::feasible) ? Exit.OK : Exit.BAD_INPUT;
    }

    private RunFolder simulate(Workspace workspace, ScenarioFile file, RunFiles files) throws IOException {
        List<Scenario> variants = common.seeded(file.variants());
        String hash = Json.hash(variants);
        try (PointStore store = PointStore.open(
                common.out(), hash, common.out() == null ? "" : workspace.inputs(variants), resume && !files.asked())) {
            List<SimulatedGrid> grids = new ArrayList<>();
            long total = 0;
            for (Scenario s : variants) {
                SimulatedGrid grid = grid(workspace, s, store, files);
                grids.add(grid);
                total += grid.size();
            }
            files.points(total);
            List<Result> results = new ArrayList<>();
            try (Common.Progress progress = common.progress("simulate", total)) {
                long done = 0;
                for (SimulatedGrid grid : grids) {
                    long before = done;
                    Result r = grid.simulate(Main.version(), hash, n -> progress.accept(before + n));
                    done += r.points().size();
                    results.add(r);
                }
            }
            Result result = workspace.told(results, file);
            List<SimulatedGrid.Simulated> simulated =
                    grids.stream().flatMap(g -> g.simulated().stream()).toList();
            return new RunFolder(result, file.effective(), PointSeries.of(result.points(), simulated));
        }
    }

    /** The simulated grid of one scenario. */
    static SimulatedGrid grid(Workspace workspace, Scenario scenario, PointStore store, RunFiles files) {
        MemoryPlan plan = workspace.plan(scenario);
        try {
            return new SimulatedGrid(
                    scenario, workspace.times(scenario), workspace.launch(scenario), new SimulatedGrid.Support() {
                        /** The point that a thread is at: it asks whether the point is finished before it runs it. */
                        private final ThreadLocal<String> at = ThreadLocal.withInitial(() -> "");

                        @Override
                        public MemoryLimits memory(Arm arm, EngineSettings engine, int tp) {
                            return plan == null ? MemoryLimits.NONE : plan.limits(arm, engine, tp);
                        }

                        @Override
                        public TraceSource trace(String path) {
                            return TraceFileSource.of(Path.of(path));
                        }

                        @Override
                        public SimulationPoint finished(String key) {
                            at.set(key);
                            return store.finished(key);
                        }

                        @Override
                        public SimulationPoint run(
                                String label, Function<EngineListener[], SimulationPoint> simulation) {
                            return files.run(PointName.of(scenario, at.get(), label), simulation);
                        }

                        @Override
                        public void finish(String key, SimulationPoint point) {
                            store.finish(key, point);
                        }
                    });
        } catch (IllegalArgumentException e) {
            throw new UserError(e.getMessage());
        }
    }
}
