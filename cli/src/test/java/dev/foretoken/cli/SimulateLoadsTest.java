package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    private static final String SWEEP = """
            schema: foretoken/scenario/1
            name: sweep
            engine: {name: sglang, max_running_requests: 6}
            methods: [{id: ar, kind: autoregressive}, {id: mtp, kind: mtp, steps: [1, 2, 3]}]
            workloads: [{id: w, isl: 16, osl: 64, acceptance: {mtp: {per_position: [0.7, 0.5, 0.3]}}}]
            load:
              - {kind: closed, concurrency: [1, 2, 4, 8, 16]}
              - {kind: poisson, rate_per_s: [0.5, 1]}
            calibration: {round_times: [{rows: 1, ms: 20}, {rows: 64, ms: 30}], prefill_ms_per_token: 0.2}
            simulate: {rel_half_width: 0.001, max_requests: 1500}
            """;

    /** Every file of a run with this many threads. */
    private static Map<String, String> files(Path scenario, Path out, int threads) throws Exception {
        ForkJoinPool pool = new ForkJoinPool(threads);
        try {
            CliRun run = pool.submit(() -> CliRun.of(
                            "simulate", scenario.toString(), "--out", out.toString(), "--no-charts", "--quiet"))
                    .get();
            assertEquals(0, run.exit(), run.err());
        } finally {
            pool.shutdown();
        }
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(out)) {
            for (Path f : all.toList()) {
                files.put(f.getFileName().toString(), Files.readString(f));
            }
        }
        return files;
    }

    @Test
    void threadsChangeNoByteOfAnyFile(@TempDir Path folder) throws Exception {
        Path scenario = folder.resolve("s.yaml");
        Files.writeString(scenario, SWEEP);
        Map<String, String> one = files(scenario, folder.resolve("one"), 1);
        assertEquals(
                List.of("effective.json", "points.csv", "points.jsonl", "result.json", "series.json"),
                List.copyOf(one.keySet()));
        assertEquals(28, one.get("points.jsonl").lines().count());
        assertEquals(one, files(scenario, folder.resolve("four"), 4));
    }

    @Test
    void anInterruptedSweepResumesToTheSameBytes(@TempDir Path folder) throws Exception {
        Path scenario = folder.resolve("s.yaml");
        Files.writeString(scenario, SWEEP);
        Path out = folder.resolve("out");
        Map<String, String> whole = files(scenario, out, 2);
        List<String> lines = whole.get(PointStore.FILE).lines().toList();
        String kept = String.join("\n", lines.subList(5, 12));
        Files.writeString(
                out.resolve(PointStore.FILE), kept + "\n" + lines.get(20).substring(0, 80));
        CliRun run = CliRun.of("simulate", scenario.toString(), "--out", out.toString(), "--no-charts", "--resume");
        assertEquals(0, run.exit(), run.err());
        for (Map.Entry<String, String> e : whole.entrySet()) {
            assertEquals(e.getValue(), Files.readString(out.resolve(e.getKey())), e.getKey());
        }
    }

    private static CliRun resumed(Path scenario, Path out) {
        return CliRun.of(
                "simulate",
                scenario.toString(),
                "--out",
                out.toString(),
                "--no-charts",
                "--resume",
                "--quiet",
                "--json");
    }

    /** A trace of the same name with other requests is another run, though the scenario's hash is the same. */
    @Test
    void aChangedTraceIsSimulatedAgain(@TempDir Path folder) throws Exception {
        Path trace = folder.resolve("t.csv");
        Files.writeString(trace, "arrival_s,isl,osl\n0,16,10\n1,16,10\n2,16,10\n");
        Path scenario = folder.resolve("s.yaml");
        Files.writeString(scenario, """
                schema: foretoken/scenario/1
                name: trace
                engine: {name: sglang}
                methods: [{id: ar, kind: autoregressive}]
                workloads: [{id: w, isl: 16, osl: 32}]
                load: [{kind: trace, file: t.csv}]
                calibration: {round_times: [{rows: 1, ms: 20}]}
                simulate: {rel_half_width: 0.1, max_requests: 300}
                """);
        Path out = folder.resolve("out");
        CliRun first = resumed(scenario, out);
        assertEquals(0, first.exit(), first.err());
        String points = Files.readString(out.resolve(PointStore.FILE));
        // What is there is used: a figure put into the file comes back.
        JsonNode told = Json.mapper()
                .readTree(points)
                .path("point")
                .path("output_tok_s")
                .path("value");
        Files.writeString(out.resolve(PointStore.FILE), points.replaceFirst(told.asText(), "4711.0"));
        assertEquals(4711.0, outputOf(resumed(scenario, out)));
        Files.writeString(trace, "arrival_s,isl,osl\n0,16,200\n1,16,200\n2,16,200\n");
        CliRun changed = resumed(scenario, out);
        assertEquals(0, changed.exit(), changed.err());
        CliRun fresh = resumed(scenario, folder.resolve("fresh"));
        assertEquals(outputOf(fresh), outputOf(changed));
        assertEquals(
                Files.readString(folder.resolve("fresh").resolve(PointStore.FILE)),
                Files.readString(out.resolve(PointStore.FILE)));
        assertEquals(
                Json.mapper().readTree(first.out()).path("scenario_hash"),
                Json.mapper().readTree(changed.out()).path("scenario_hash"));
    }

    private static double outputOf(CliRun run) throws Exception {
        return Json.mapper()
                .readTree(run.out())
                .path("points")
                .get(0)
                .path("output_tok_s")
                .asDouble();
    }

    @Test
    void theInputsOfARunAreItsProfileWithPartsAndTheVersion(@TempDir Path folder) throws Exception {
        Path profile = folder.resolve("p.json");
        Path part = Files.createDirectories(folder.resolve("p")).resolve("gemm.json");
        Files.writeString(part, "{}");
        Files.writeString(profile, """
                {"schema": "foretoken/profile/1", "card": "rtx-pro-6000-server", "engine": "sglang", "version": "1",
                 "source": {"name": "test", "version": "1", "licence": "none", "measured": true, "tables": []},
                 "families": [{"op": "gemm", "dtype": "bf16", "kernel": "k", "axis": "rows", "unit": "us",
                   "file": "p/gemm.json"}]}
                """);
        Path file = folder.resolve("s.yaml");
        Files.writeString(file, """
                schema: foretoken/scenario/1
                name: profile
                hardware: {gpu: rtx-pro-6000-server, count: 1, tp: 1}
                target: {model: qwen3-8b, weights: bf16, kv_cache: bf16}
                engine: {name: sglang}
                methods: [{id: ar, kind: autoregressive}]
                workloads: [{id: w, isl: 100, osl: 64}]
                load: [{kind: closed, concurrency: 1}]
                """ + "calibration: {profile: " + profile + "}\n");
        Workspace workspace = Workspace.beside(file);
        var variants = workspace.read(file).variants();
        String before = RunInputs.hash("1", variants, List.of());
        assertEquals(before, RunInputs.hash("1", variants, List.of()));
        assertNotEquals(before, RunInputs.hash("2", variants, List.of()));
        Files.writeString(part, "{ }");
        String after = RunInputs.hash("1", variants, List.of());
        assertNotEquals(before, after);
        Files.writeString(profile, Files.readString(profile) + "\n");
        assertNotEquals(after, RunInputs.hash("1", variants, List.of()));
    }

    /** Points that stop at the cap are one line with their number and the worst width, and one note. */
    @Test
    void cappedPointsAreOneWarning(@TempDir Path folder) throws Exception {
        Path scenario = folder.resolve("s.yaml");
        Files.writeString(scenario, SWEEP);
        CliRun run = CliRun.of("simulate", scenario.toString(), "--quiet");
        assertEquals(0, run.exit(), run.err());
        List<String> about = run.out()
                .lines()
                .filter(l -> l.contains("stopped at max_requests 1500"))
                .toList();
        assertEquals(2, about.size(), run.out());
        assertTrue(about.get(1).matches("- \\d+ of 28 simulated points stopped .*"), about.get(1));
        assertTrue(
                run.out().replaceAll("\\s+", " ").matches(".*; the widest is \\+-[0-9.]+ % \\([a-z0-9_]+ of .*"),
                run.out());
    }

    /** The key overrides the prefill of a profile in both models: one client's prompt of 100 tokens takes 100 ms. */
    @ParameterizedTest
    @ValueSource(strings = {"explore", "simulate"})
    void aGivenPrefillPriceOverridesTheProfiles(String command, @TempDir Path folder) throws Exception {
        Path file = folder.resolve("s.yaml");
        Files.writeString(file, """
                schema: foretoken/scenario/1
                name: price
                hardware: {gpu: rtx-pro-6000-server, count: 1, tp: 1}
                target: {model: qwen3-8b, weights: bf16, kv_cache: bf16}
                engine: {name: sglang, version: 0.5.14, max_running_requests: 8}
                methods: [{id: ar, kind: autoregressive}]
                workloads: [{id: w, isl: 100, osl: 64}]
                load: [{kind: closed, concurrency: 1}]
                calibration: {prefill_ms_per_token: 1.0}
                simulate: {rel_half_width: 0.02, max_requests: 200}
                """);
        CliRun run = CliRun.of(command, file.toString(), "--json", "--quiet");
        assertEquals(0, run.exit(), run.err());
        JsonNode point = Json.mapper().readTree(run.out()).path("points").get(0);
        assertEquals(100, point.path("ttft_ms").path("mean").asDouble(), 1e-6);
    }
}
