package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.json.Json;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reference scenarios by simulation: |z| at most 4, at most 4 of 32 outside their interval, autoregressive exact. */
class ReferenceSimulateTest {
    /** Half-width of a 95 % interval in standard errors. */
    private static final double Z95 = 1.959964;

    @TempDir
    Path folder;

    private JsonNode run(String name) throws Exception {
        Path file = folder.resolve(name);
        try (InputStream in = getClass().getResourceAsStream("/reference/" + name)) {
            Files.copy(in, file);
        }
        CliRun run = CliRun.of("simulate", file.toString(), "--json", "--quiet");
        assertEquals(0, run.exit(), run.err());
        return Json.mapper().readTree(run.out());
    }

    private JsonNode expected(String name) throws Exception {
        try (InputStream in = getClass().getResourceAsStream("/reference/" + name)) {
            return Json.mapper().readTree(in);
        }
    }

    private static JsonNode find(JsonNode result, JsonNode point) {
        for (JsonNode p : result.get("points")) {
            if (p.get("method").equals(point.get("method"))
                    && p.get("load").get("concurrency").equals(point.get("load").get("concurrency"))
                    && (!point.has("budget") || p.get("budget").equals(point.get("budget")))) {
                return p;
            }
        }
        throw new AssertionError("no point " + point);
    }

    @Test
    void plain() throws Exception {
        JsonNode result = run("scenario.json");
        int outside = 0;
        for (JsonNode point : expected("expected.json").get("points")) {
            JsonNode found = find(result, point);
            String label = point.get("method") + " " + point.get("budget") + " " + point.get("load");
            double exact = point.get("output_tok_s").asDouble();
            double value = found.get("output_tok_s").asDouble();
            if (point.get("kind").asText().equals("autoregressive")) {
                assertEquals(exact, value, 1e-9 * exact, label);
                continue;
            }
            double lo = found.get("interval").get("output_tok_s").get(0).asDouble();
            double hi = found.get("interval").get("output_tok_s").get(1).asDouble();
            double half = (hi - lo) / 2;
            assertTrue(half / value <= 0.005, label + ": half-width " + half / value);
            assertTrue(Math.abs(value - exact) <= 4 * half / Z95, label + ": " + value + " against " + exact);
            if (exact < lo || exact > hi) {
                outside++;
            }
        }
        assertTrue(outside <= 4, outside + " points outside their interval");
    }

    @Test
    void loaded() throws Exception {
        JsonNode result = run("loaded_scenario.json");
        for (JsonNode point : expected("loaded_expected.json").get("points")) {
            JsonNode found = find(result, point);
            double exact = point.get("output_tok_s").asDouble();
            assertEquals(exact, found.get("output_tok_s").asDouble(), 0.03 * exact, point.toString());
        }
    }
}
