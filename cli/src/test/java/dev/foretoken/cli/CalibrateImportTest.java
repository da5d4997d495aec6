package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CalibrateImportTest {
    @TempDir
    Path folder;

    @Test
    void saysWhereTheTablesComeFrom() {
        for (String[] words : new String[][] {{"calibrate", "import"}, {"calibrate", "import", "aiconfigurator"}}) {
            CliRun run = CliRun.of(words);
            assertEquals(2, run.exit());
            assertTrue(run.err().contains("pip download --no-deps aiconfigurator-core"), run.err());
        }
        CliRun near = CliRun.of("calibrate", "import", "aiconfigurater", "x");
        assertEquals(2, near.exit());
        assertTrue(near.err().contains("aiconfigurator"), near.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"empty", "text.whl", "cut.whl", "absent.whl"})
    void refusesWhatHoldsNoTables(String name) throws Exception {
        Files.createDirectories(folder.resolve("empty"));
        Files.writeString(folder.resolve("text.whl"), "not a wheel");
        Files.write(folder.resolve("cut.whl"), new byte[] {'P', 'K', 3, 4, 20, 0, 0, 0});
        Path out = folder.resolve("catalogue");
        CliRun run = CliRun.of(
                "calibrate", "import", "aiconfigurator", folder.resolve(name).toString(), "-o", out.toString());
        assertEquals(2, run.exit(), run.err());
        assertTrue(run.err().contains(name), run.err());
        assertFalse(run.err().contains("\tat "), run.err());
        if (Files.exists(out)) {
            try (Stream<Path> files = Files.walk(out)) {
                assertEquals(0, files.filter(Files::isRegularFile).count());
            }
        }
    }

    @Test
    void calibrateAloneNamesItsCommands() {
        CliRun run = CliRun.of("calibrate");
        assertEquals(2, run.exit());
        assertTrue(run.err().contains("acceptance") && run.err().contains("import"), run.err());
    }
}
