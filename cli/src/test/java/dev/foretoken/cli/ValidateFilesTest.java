package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** validate with result files, as a new user meets it: on the scenario that init writes. */
class ValidateFilesTest {
    @TempDir
    Path folder;

    private CliRun validate(Object... more) {
        return CliRun.of(Stream.concat(Stream.of("validate", folder.resolve("my.yaml")), Stream.of(more))
                .map(Object::toString)
                .toArray(String[]::new));
    }

    private Path file(String name, double tokS, int completed, String more) throws IOException {
        Path file = folder.resolve(name);
        Files.writeString(
                file,
                "{\"backend\":\"sglang\",\"completed\":" + completed + ",\"output_throughput\":" + tokS
                        + ",\"mean_tpot_ms\":18.0,\"mean_ttft_ms\":110.0,\"max_concurrency\":1,\"total_input_tokens\":"
                        + 512 * completed + ",\"total_output_tokens\":" + 512 * completed + more + "}");
        return file;
    }

    private static final String ON = ",\"accept_length\":2.3,\"server_info\":{\"model_path\":\"Qwen/Qwen3.6-27B\","
            + "\"tp_size\":1,\"speculative_algorithm\":\"NEXTN\"}";
    private static final String OFF =
            ",\"server_info\":{\"model_path\":\"Qwen/Qwen3.6-27B\",\"tp_size\":1,\"speculative_algorithm\":null}";

    private void init() {
        assertEquals(0, CliRun.of("init", folder.resolve("my.yaml").toString()).exit());
    }

    @Test
    void theTemplatesScenarioIsUsable() throws Exception {
        init();
        Path spec = file("spec.jsonl", 47, 1, ON);
        CliRun asked = validate("--results", spec);
        assertEquals(2, asked.exit());
        for (String option : new String[] {"--method mtp --with steps=1|2|3|4", "--gpu", "--weights"}) {
            assertTrue(asked.err().contains(option), asked.err());
        }
        Path out = folder.resolve("out");
        CliRun run = validate(
                "--results",
                spec,
                "--method",
                "mtp",
                "--with",
                "steps=2",
                "--gpu",
                "rtx-pro-6000-server",
                "--weights",
                "bf16",
                "--out",
                out);
        assertEquals(0, run.exit(), run.err());
        assertTrue(run.out().contains(" · 1 cell · no tolerance given: not judged"), run.out());
        assertTrue(run.out().contains("steps=2"), run.out());
        assertTrue(run.out().replaceAll("\\s+", " ").contains("no round times in the file"), run.out());
        assertTrue(run.out().contains("one prompt only"), run.out());
        assertEquals(1, run.out().split("no autoregressive baseline", -1).length - 1, run.out());
        JsonNode json = Json.mapper().readTree(out.resolve("validation.json").toFile());
        assertEquals("no tolerance given: not judged", json.get("verdict").asText());
        assertEquals(2, json.at("/rows/0/cell/parameters/steps").asInt(), json.toString());
        SchemaCheck.file("validation", out.resolve("validation.json"));
        SchemaCheck.lines("measurement", out.resolve("measurements.jsonl"));
        assertTrue(Files.readString(out.resolve("chapter.json")).contains("not judged"));
    }

    @Test
    void aBaselineBesideASpeculativeFile() throws Exception {
        init();
        Path spec = file("spec.jsonl", 47, 8, ON);
        Path ar = file("ar.jsonl", 25, 8, OFF);
        Object[] card = {"--gpu", "rtx-pro-6000-server", "--weights", "bf16", "--json"};
        for (Object[] methods : new Object[][] {
            {"--method", "mtp", "--with", "steps=2"},
            {"--method", "spec.jsonl=mtp:steps=2"},
            {"--method", "ar.jsonl=ar", "--method", spec + "=mtp", "--with", "steps=2"}
        }) {
            CliRun run = validate(Stream.of(new Object[] {"--results", spec, ar}, methods, card)
                    .flatMap(Stream::of)
                    .toArray());
            assertEquals(0, run.exit(), run.err());
            JsonNode report = Json.mapper().readTree(run.out());
            assertEquals(2, report.get("rows").size());
            assertEquals(47 / 25.0, report.at("/speedups/0/measured").asDouble(), 1e-9, run.out());
            assertFalse(run.out().contains("no autoregressive baseline"), run.out());
        }
        CliRun wrong = validate("--results", spec, ar, "--method", "spek.jsonl=mtp");
        assertEquals(2, wrong.exit());
        assertTrue(wrong.err().contains("did you mean spec.jsonl?"), wrong.err());
        CliRun twice = validate("--results", spec, ar, "--method", "ar", "--method", "mtp");
        assertEquals(2, twice.exit());
        assertTrue(twice.err().contains("--method spec.jsonl=ar"), twice.err());
    }

    @Test
    void unknownNamesOfDifferencesAreRefused() throws Exception {
        init();
        CliRun run = validate("--results", file("spec.jsonl", 47, 8, ON), "--allow-different", "outputlength");
        assertEquals(2, run.exit());
        assertTrue(run.err().contains("did you mean output-length?"), run.err());
    }
}
