package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.foretoken.formats.schema.Schemas;
import dev.foretoken.formats.timings.TimingsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CalibrateTimingTest {
    private static final Path ROOT = Path.of(System.getProperty("foretoken.root", ".."));

    @TempDir
    Path folder;

    @Test
    void withoutAGpuItSaysSoInAFile() throws Exception {
        Assumptions.assumeFalse(Files.exists(Path.of("/dev/nvidiactl")), "skipped: this machine has a GPU");
        Path file = folder.resolve("t.json");
        CliRun run = CliRun.of("calibrate", "gpu", "--model", "qwen3-8b", "--tp", "1,2", "-o", file.toString());
        assertEquals(5, run.exit(), run.err());
        assertEquals("no_device", TimingsFile.read(file).status());
        assertMeetsSchema(file);
        CliRun fit = CliRun.of("calibrate", "fit", file.toString());
        assertEquals(2, fit.exit());
        assertTrue(fit.err().contains("no_device"), fit.err());
    }

    private static void assertMeetsSchema(Path file) throws IOException {
        var problems = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                .getSchema(Schemas.text("kernel-timings"))
                .validate(Files.readString(file), InputFormat.JSON);
        assertTrue(problems.isEmpty(), problems::toString);
    }

    @Test
    void namesWhatTheCatalogueDoesNotHave() {
        CliRun model = CliRun.of("calibrate", "gpu", "--model", "qwen3-8");
        assertEquals(2, model.exit());
        assertTrue(model.err().contains("did you mean qwen3-8b"), model.err());
        CliRun tp = CliRun.of("calibrate", "host", "--model", "qwen3-8b", "--tp", "3");
        assertEquals(2, tp.exit());
        assertTrue(tp.err().contains("TP 3 does not divide"), tp.err());
    }

    @Test
    @Tag("native")
    void timesThisCpu() throws Exception {
        Path file = folder.resolve("host.json");
        String before = System.getProperty("foretoken.root");
        System.setProperty("foretoken.root", ROOT.toAbsolutePath().normalize().toString());
        try {
            CliRun run = CliRun.of(
                    "calibrate", "host", "--quick", "--force", "--ops", "gemm,tree_build", "-o", file.toString());
            assertEquals(0, run.exit(), run.err());
            assertTrue(run.out().contains("gemm") && run.out().contains("tree_build"), run.out());
        } finally {
            if (before == null) {
                System.clearProperty("foretoken.root");
            } else {
                System.setProperty("foretoken.root", before);
            }
        }
        assertMeetsSchema(file);
        assertFalse(TimingsFile.read(file).points().isEmpty());
        Path profile = folder.resolve("p.json");
        CliRun fit = CliRun.of("calibrate", "fit", file.toString(), "-o", profile.toString());
        assertEquals(0, fit.exit(), fit.out() + fit.err());
        assertTrue(Files.exists(profile));
    }
}
