package dev.foretoken.report.gallery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.scenario.ScenarioReader;
import dev.foretoken.formats.scenario.ScenarioResources;
import dev.foretoken.report.chart.PointSeries;
import dev.foretoken.report.document.RunFolder;
import dev.foretoken.sim.explore.Explorer;
import dev.foretoken.sim.explore.LaunchFlags;
import dev.foretoken.sim.explore.SimulatedGrid;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.serving.MemoryLimits;
import dev.foretoken.sim.serving.TraceSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GalleryTest {
    @TempDir
    Path folder;

    /** Reads scenarios with the bundled catalogue; round times are their own knots, without a memory limit. */
    public static final class BlackBoxModel implements Gallery.Model {
        @Override
        public Scenario read(String name, byte[] text) {
            ScenarioResources resources = ScenarioResources.of(Catalogue.bundled(), path -> {
                throw new IllegalStateException("no trace expected: " + path);
            });
            return new ScenarioReader(resources)
                    .read(name, text, Path.of("."))
                    .variants()
                    .get(0);
        }

        @Override
        public Result explore(Scenario s) {
            BlackBoxTimes times = new BlackBoxTimes(s.calibration(), s.tpSizes(), BlackBoxTimes.MemoryLimit.NONE);
            return new Explorer(s, times, LaunchFlags.NONE).explore("test", "hash", n -> {});
        }

        @Override
        public RunFolder simulate(Scenario s) {
            BlackBoxTimes times = new BlackBoxTimes(s.calibration(), s.tpSizes(), BlackBoxTimes.MemoryLimit.NONE);
            SimulatedGrid grid = new SimulatedGrid(s, times, LaunchFlags.NONE, new SimulatedGrid.Support() {
                @Override
                public MemoryLimits memory(Arm arm, EngineSettings engine, int tp) {
                    return MemoryLimits.NONE;
                }

                @Override
                public TraceSource trace(String file) {
                    throw new IllegalStateException("no trace expected: " + file);
                }
            });
            Result result = grid.simulate("test", "hash", n -> {});
            return new RunFolder(result, List.of(), PointSeries.of(result.points(), grid.simulated()));
        }
    }

    @Test
    void everyChartOfTheDocumentationIsDrawn() throws Exception {
        List<Path> files = Gallery.write(folder, new BlackBoxModel());
        String page = Files.readString(Path.of(System.getProperty("foretoken.root"), "docs/gallery/README.md"));
        for (Path f : files) {
            assertTrue(page.contains("(" + f.getFileName() + ")"), f.toString());
        }
        assertEquals(
                files.size(), page.lines().filter(l -> l.startsWith("| ![]")).count());
        assertEquals(files.size(), files.stream().collect(Collectors.toSet()).size());
    }
}
