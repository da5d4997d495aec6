package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.cli.notebook.NotebookKit;
import dev.foretoken.formats.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What notebooks call, the command, and the notebooks as they are committed. */
class NotebookTest {
    private static final int MOST_BYTES = 20_000;

    private static List<String> tags(JsonNode cell) {
        List<String> tags = new ArrayList<>();
        cell.path("metadata").path("tags").forEach(t -> tags.add(t.asText()));
        return tags;
    }

    @Test
    void committedNotebooksAreSmallAndWithoutOutputs() throws Exception {
        List<Path> all = new NotebookKit(Notebook.root()).list();
        assertEquals(5, all.size(), all.toString());
        for (Path file : all) {
            assertTrue(Files.size(file) < MOST_BYTES, file + ": " + Files.size(file) + " bytes");
            JsonNode notebook = Json.mapper().readTree(Files.readString(file));
            assertEquals(
                    NotebookKit.KERNEL,
                    notebook.path("metadata").path("kernelspec").path("name").asText(),
                    file.toString());
            int charts = 0;
            int checks = 0;
            for (JsonNode cell : notebook.path("cells")) {
                if (cell.path("cell_type").asText().equals("code")) {
                    assertEquals(0, cell.path("outputs").size(), file + " has outputs: foretoken notebook --clean");
                    assertTrue(
                            cell.path("execution_count").isNull(), file + " has counters: foretoken notebook --clean");
                    charts += tags(cell).contains("chart") ? 1 : 0;
                    for (JsonNode line : cell.path("source")) {
                        checks += line.asText().contains("check(") ? 1 : 0;
                    }
                }
            }
            assertTrue(charts >= 2, file + " has " + charts + " cells that must show a chart");
            assertTrue(checks >= 2, file + " has " + checks + " checks");
        }
    }

    @Test
    void parametersComeFromTheEnvironment() {
        assertEquals("x", Notebook.parameter("FORETOKEN_NOT_SET", "x"));
        assertEquals(List.of(8, 16), Notebook.numbers("FORETOKEN_NOT_SET", "8, 16"));
        var e = assertThrows(IllegalArgumentException.class, () -> Notebook.numbers("FORETOKEN_NOT_SET", "8;16"));
        assertTrue(
                e.getMessage().contains("FORETOKEN_NOT_SET") && e.getMessage().contains("8;16"), e.getMessage());
    }

    @Test
    void checksEndTheCell() {
        assertDoesNotThrow(() -> Notebook.check(true, "fine"));
        var e = assertThrows(IllegalStateException.class, () -> Notebook.check(false, "one is two"));
        assertTrue(e.getMessage().contains("one is two"));
    }

    @Test
    void aChartThatIsNotThereNamesThoseThatAre() {
        var result = Notebook.explore(Notebook.scenario("scenarios/demo/rtx-3090-qwen3.8-27b.yaml"));
        var e = assertThrows(IllegalArgumentException.class, () -> Notebook.chart(result, "budget"));
        assertTrue(e.getMessage().contains("speedup"), e.getMessage());
    }

    @Test
    void wrongUseIsRefusedBeforeAnythingIsInstalled() {
        CliRun two = CliRun.of("notebook", "--run", "--clean");
        assertEquals(2, two.exit());
        CliRun unknown = CliRun.of("notebook", "--run", "nothing-begins-so");
        assertEquals(2, unknown.exit());
        assertTrue(unknown.err().contains("1-budgets.ipynb"), unknown.err());
        assertFalse(unknown.err().contains("setting up"));
    }
}
