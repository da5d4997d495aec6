package dev.foretoken.report.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.scenario.Effective;
import dev.foretoken.report.SampleResults;
import dev.foretoken.report.chart.PointSeries;
import dev.foretoken.sim.result.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFolderTest {
    @TempDir
    Path folder;

    @Test
    void readsWhatItWrote() throws Exception {
        RunFolder run = new RunFolder(Reports.PLAIN, List.of(new Effective("a", "b", "c")), List.of());
        run.write(folder);
        assertEquals(run, RunFolder.read(folder));
        assertEquals(run, RunFolder.read(folder.resolve(RunFolder.RESULT)));
    }

    @Test
    void seriesBelongToTheirResult() throws Exception {
        Result r = SampleResults.simulation(Reports.PLAIN);
        PointSeries series = new PointSeries(1, List.of(1.0, 2.0), 0.5, List.of(3.0), List.of(0.0));
        RunFolder run = new RunFolder(r, List.of(), List.of(series));
        run.write(folder);
        assertEquals(run, RunFolder.read(folder));
        new RunFolder(Reports.PLAIN, List.of(), List.of()).write(folder);
        assertFalse(Files.exists(folder.resolve(RunFolder.SERIES)));
        assertThrows(
                IllegalArgumentException.class,
                () -> new RunFolder(
                        r, List.of(), List.of(new PointSeries(r.points().size(), List.of(), 0, List.of(), List.of()))));
    }

    @Test
    void saysWhatIsWrong() throws Exception {
        assertMessage("holds no result.json", folder.resolve("absent"));
        Path file = folder.resolve("result.json");
        Files.writeString(
                file,
                "{\"schema\": \"foretoken/result/2\", \"points\": [], \"best\": [], \"switch_table\": [],"
                        + " \"crossovers\": [], \"goodput\": [], \"warnings\": []}");
        assertMessage("newer major version", folder);
        Files.writeString(file, "{\"points\": [\n{]");
        assertMessage("result.json:2", folder);
        Files.writeString(file, "null");
        assertMessage("must be a JSON object", folder);
    }

    private static void assertMessage(String expected, Path path) {
        String message =
                assertThrows(DocumentError.class, () -> RunFolder.read(path)).getMessage();
        assertTrue(message.contains(expected), message);
    }
}
