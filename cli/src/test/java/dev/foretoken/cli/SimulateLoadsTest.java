package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimulateLoadsTest {
    /** Loads that differ in the think time only are loads of their own, although results call them alike. */
    @Test
    void thinkTimeIsPartOfALoad(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("s.yaml");
        Files.writeString(file, """
                schema: foretoken/scenario/1
                name: think
                engine: {name: sglang}
                methods: [{id: ar, kind: autoregressive}]
                workloads: [{id: w, isl: 16, osl: 32}]
                load:
                  - {kind: closed, concurrency: 4}
                  - {kind: closed, concurrency: 4, think_time_ms: {dist: exponential, mean: 640}}
                calibration: {round_times: [{rows: 1, ms: 20}]}
                simulate: {rel_half_width: 0.02, max_requests: 4000}
                """);
        CliRun run = CliRun.of("simulate", file.toString(), "--format", "json", "--quiet");
        assertEquals(0, run.exit(), run.err());
        JsonNode points = Json.mapper().readTree(run.out()).path("points");
        double busy = points.get(0).path("output_tok_s").asDouble();
        double thinking = points.get(1).path("output_tok_s").asDouble();
        // an answer takes 31 rounds of 20 ms; a client then thinks for 640 ms
        assertEquals(4 * 32 / 0.62, busy, 0.03 * busy);
        assertEquals(4 * 32 / (0.62 + 0.64), thinking, 0.05 * thinking);
        assertTrue(thinking < 0.6 * busy);
    }
}
