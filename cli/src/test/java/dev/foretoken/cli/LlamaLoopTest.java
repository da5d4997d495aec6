package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.json.Json;
import dev.foretoken.validation.testserver.LlamaKit;
import dev.foretoken.validation.testserver.LlamaServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The user's loop on a real third-party server at small size, by commands alone: probe and sweep a plain server, predict, drive it,
 * sweep it with a drafter whose acceptance is forced, predict again, drive it, compare. Times of a shared CPU are noisy: what is
 * printed and written is checked, and errors only for being gross.
 */
@Tag("llama")
class LlamaLoopTest {
    private static final Duration START = Duration.ofMinutes(3);
    private static final List<Double> FORCED = List.of(0.85, 0.7225, 0.614);
    private static LlamaKit kit;

    @TempDir
    Path folder;

    @BeforeAll
    static void kit() throws Exception {
        kit = new LlamaKit(Path.of(System.getProperty("foretoken.root", "..")));
        kit.installIfAsked(System.out::println);
        Assumptions.assumeTrue(
                kit.present(), "no llama.cpp kit here: ./foretoken test installs it (about 200 MB from PyPI)");
    }

    private static CliRun run(Object... args) {
        return CliRun.of(Stream.of(args).map(Object::toString).toArray(String[]::new));
    }

    private Path scenario(Path profile, String more) throws IOException {
        Path file = folder.resolve("cpu" + more.length() + ".yaml");
        Files.writeString(file, String.format(Locale.ROOT, """
                        schema: foretoken/scenario/1
                        name: SmolLM2-135M on this CPU
                        seed: 3
                        engine: {name: llama.cpp, max_running_requests: 4}
                        methods:
                          - {id: ar, kind: autoregressive}
                          - {id: draft, kind: draft-model, drafter: qwen3-4b, steps: 3}
                        workloads:
                          - {id: chat, isl: 24, osl: 24, acceptance: {draft: {per_position: %s}}}
                        load:
                          - {kind: closed, concurrency: [2]}
                        tolerance: {output_tok_s: 3, tpot_ms: 3}
                        calibration: {profile: %s}
                        """, FORCED, profile) + more);
        return file;
    }

    private static List<JsonNode> points(Path scenario) throws IOException {
        CliRun explore = run("explore", scenario, "--json", "--quiet");
        assertEquals(0, explore.exit(), explore.err());
        List<JsonNode> points = new ArrayList<>();
        Json.mapper().readTree(explore.out()).get("points").forEach(points::add);
        return points;
    }

    @Test
    void sweepPredictDriveCompare() throws Exception {
        Path plain = folder.resolve("plain.json");
        Path speculative = folder.resolve("speculative.json");
        Path out = folder.resolve("out");
        Path forced = folder.resolve("forced");
        try (LlamaServer server = LlamaServer.start(kit, LlamaServer.Options.autoregressive(8), START)) {
            CliRun sweep = run(
                    "calibrate",
                    "endpoint",
                    server.uri(),
                    "--concurrency",
                    "1,2,4,8",
                    "--isl",
                    "24,64",
                    "--osl",
                    "24",
                    "--repeats",
                    "1",
                    "-o",
                    plain);
            assertEquals(0, sweep.exit(), sweep.err());
            assertTrue(sweep.out().contains("Autoregressive rounds"), sweep.out());
            assertTrue(sweep.out().contains("prefill takes"), sweep.out());
            Path scenario = scenario(plain, "");
            JsonNode ar = points(scenario).get(0);
            assertEquals("black-box", ar.get("calibrated").asText());
            assertTrue(ar.get("output_tok_s").asDouble() > 0.1, ar.toString());
            CliRun validate = validate(scenario, server, "ar", out);
            assertEquals(0, validate.exit(), validate.err() + validate.out());
            say("autoregressive", validate.out());
        }
        LlamaServer.Speculation drafting = new LlamaServer.Speculation(kit.drafter(4), 3, FORCED);
        try (LlamaServer server =
                LlamaServer.start(kit, LlamaServer.Options.autoregressive(8).with(drafting), START)) {
            CliRun sweep = run(
                    "calibrate",
                    "endpoint",
                    server.uri(),
                    "--concurrency",
                    "1,2",
                    "--isl",
                    "24",
                    "--osl",
                    "24",
                    "--repeats",
                    "1",
                    "--width",
                    "4",
                    "--autoregressive",
                    plain,
                    "-o",
                    speculative);
            assertEquals(0, sweep.exit(), sweep.err());
            assertTrue(sweep.out().contains("Speculative rounds"), sweep.out());
            assertTrue(sweep.out().contains("drafting and host work take"), sweep.out());
            Path scenario = scenario(speculative, "forced_acceptance: {law: per-request, rates: " + FORCED + "}\n");
            assertTrue(
                    points(scenario).stream()
                            .anyMatch(p -> p.get("method").asText().equals("draft")
                                    && p.get("accept_length").asDouble() > 3),
                    "the drafter's point carries the forced law");
            CliRun validate = validate(scenario, server, "draft", forced);
            assertEquals(0, validate.exit(), validate.err() + validate.out());
            assertTrue(validate.err().contains("--spec-synth-rates 0.85"), validate.err());
            JsonNode report = Json.mapper().readTree(validate.out());
            assertEquals("A", report.get("rows").get(0).get("stage").asText());
            say("forced", validate.out());
            Path measured = scenario(speculative, "# measured acceptance\n");
            CliRun full = validate(measured, server, "draft", folder.resolve("full"));
            assertEquals(0, full.exit(), full.err() + full.out());
            JsonNode stages = Json.mapper().readTree(full.out()).get("stages");
            assertTrue(stages.has("B") && stages.has("C"), stages.toString());
            say("full", full.out());
        }
        assertEquals(1, Files.readAllLines(out.resolve("measurements.jsonl")).size());
        assertEquals(1, Files.readAllLines(forced.resolve("measurements.jsonl")).size());
    }

    private static CliRun validate(Path scenario, LlamaServer server, String method, Path out) {
        return run(
                "validate",
                scenario,
                "--url",
                server.uri(),
                "--method",
                method,
                "--requests-per-client",
                "2",
                "--least-requests",
                "6",
                "--out",
                out,
                "--json");
    }

    private static void say(String what, String json) throws IOException {
        JsonNode row = Json.mapper().readTree(json).get("rows").get(0);
        row.get("figures")
                .fields()
                .forEachRemaining(f -> System.out.printf(
                        Locale.ROOT,
                        "  %s %s: predicted %.2f, measured %.2f (%+.0f %%)%n",
                        what,
                        f.getKey(),
                        f.getValue().get("predicted").asDouble(),
                        f.getValue().get("measured").asDouble(),
                        f.getValue().get("error_percent").asDouble()));
    }
}
