package dev.foretoken.report.gallery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.scenario.ScenarioReader;
import dev.foretoken.formats.scenario.ScenarioResources;
import dev.foretoken.sim.explore.Explorer;
import dev.foretoken.sim.explore.LaunchFlags;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.scenario.Scenario;
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
