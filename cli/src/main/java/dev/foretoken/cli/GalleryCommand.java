package dev.foretoken.cli;

import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.formats.trace.TraceFileSource;
import dev.foretoken.report.chart.PointSeries;
import dev.foretoken.report.document.RunFolder;
import dev.foretoken.report.gallery.Gallery;
import dev.foretoken.sim.explore.Explorer;
import dev.foretoken.sim.explore.LaunchFlags;
import dev.foretoken.sim.explore.SimulatedGrid;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.serving.MemoryLimits;
import dev.foretoken.sim.serving.TraceSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code foretoken gallery DIR}: draws the charts of docs/gallery again. */
@Command(
        name = "gallery",
        description = "Draws the charts of the documentation.",
        hidden = true,
        mixinStandardHelpOptions = true)
final class GalleryCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "DIR", description = "folder to write to")
    private Path folder;

    @Override
    public Integer call() throws IOException {
        Workspace workspace = Workspace.beside(Path.of("scenario.yaml"));
        Gallery.write(folder, new Gallery.Model() {
            @Override
            public Scenario read(String name, byte[] text) {
                ScenarioFile file = workspace.readText(name, new String(text, StandardCharsets.UTF_8));
                return file.variants().get(0);
            }

            @Override
            public Result explore(Scenario s) {
                return new Explorer(s, times(s), LaunchFlags.NONE).explore(Main.version(), null, n -> {});
            }

            @Override
            public RunFolder simulate(Scenario s) {
                SimulatedGrid grid = new SimulatedGrid(s, times(s), LaunchFlags.NONE, new SimulatedGrid.Support() {
                    @Override
                    public MemoryLimits memory(Arm arm, EngineSettings engine, int tp) {
                        return MemoryLimits.NONE;
                    }

                    @Override
                    public TraceSource trace(String path) {
                        return TraceFileSource.of(Path.of(path));
                    }
                });
                Result result = grid.simulate(Main.version(), null, n -> {});
                return new RunFolder(result, List.of(), PointSeries.of(result.points(), grid.simulated()));
            }

            /** The server is made up: so is its memory, which never runs out. */
            private RoundTimes times(Scenario s) {
                return new BlackBoxTimes(s.calibration(), s.tpSizes(), BlackBoxTimes.MemoryLimit.NONE);
            }
        });
        return Exit.OK;
    }
}
