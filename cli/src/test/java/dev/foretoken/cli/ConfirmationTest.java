package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfirmationTest {
    @TempDir
    Path folder;

    @Test
    void theBestArmsAreSimulatedAndAgree() throws Exception {
        Path file = folder.resolve("scenario.json");
        try (InputStream in = getClass().getResourceAsStream("/reference/scenario.json")) {
            Files.copy(in, file);
        }
        CliRun run = CliRun.of("explore", file.toString(), "--json", "--quiet", "--simulate", "2");
        assertEquals(0, run.exit(), run.err());
        Matcher m = Pattern.compile(
                        "simulated: [^:]*: [0-9.]+ \\[[0-9., ]+\\] tok/s against [0-9.]+ explored \\(([+-][0-9.]+) %\\)")
                .matcher(run.out());
        int found = 0;
        while (m.find()) {
            found++;
            assertTrue(Math.abs(Double.parseDouble(m.group(1))) <= 1, m.group());
        }
        assertEquals(2, found, run.out());
    }
}
