package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.profile.BlackBoxProfile;
import dev.foretoken.formats.profile.ProfileReader;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.validation.client.RealTime;
import dev.foretoken.validation.testserver.Dialect;
import dev.foretoken.validation.testserver.EngineTruth;
import dev.foretoken.validation.testserver.FakeServer;
import dev.foretoken.validation.testserver.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** validate and calibrate endpoint against a server that plays an engine, in real time: what is printed, written, exited with. */
class EndpointCommandsTest {
    private static final double[] ROUND_PMF = {0.3, 0.25, 0.2, 0.25};

    @TempDir
    Path folder;

    private static double curve(int rows) {
        return 8 + 0.25 * rows;
    }

    private static final EngineTruth AUTOREGRESSIVE =
            new EngineTruth(EndpointCommandsTest::curve, 1, null, 0.02, 64, 1);
    /** The same with prompts slow enough for their price to stand out from the noise of real time: 51 ms between the two lengths. */
    private static final EngineTruth SLOW_PROMPTS = new EngineTruth(EndpointCommandsTest::curve, 1, null, 0.3, 64, 1);

    private static final EngineTruth SPECULATIVE =
            new EngineTruth(rows -> curve(rows) + 3, 4, () -> ROUND_PMF, 0.02, 64, 1);

    private interface Use {
        void with(String url) throws Exception;
    }

    private static void serve(EngineTruth truth, FakeServer.Behaviour behaviour, Use use) throws Exception {
        try (RealTime time = new RealTime();
                FakeServer server = new FakeServer(truth, behaviour, time)) {
            use.with(server.uri().toString());
        }
    }

    private static CliRun run(Object... args) {
        return CliRun.of(Stream.of(args).map(Object::toString).toArray(String[]::new));
    }

    private Path scenario(String tolerance, String forced) throws IOException {
        Path file = folder.resolve("played.yaml");
        Files.writeString(file, """
                schema: foretoken/scenario/1
                name: played
                seed: 7
                engine: {name: vllm, max_running_requests: 64}
                methods:
                  - {id: ar, kind: autoregressive}
                  - {id: mtp, kind: mtp, steps: 3}
                workloads:
                  - {id: chat, isl: 40, osl: 24, acceptance: {mtp: {per_position: [0.7, 0.45, 0.25]}}}
                load:
                  - {kind: closed, concurrency: [1, 4]}
                calibration:
                  round_times: [{rows: 1, ms: 8.25}, {rows: 64, ms: 24}]
                  draft_ms: {mtp: 3}
                  host_ms: {mtp: 0}
                  prefill_ms_per_token: 0.02
                """ + tolerance + forced);
        return file;
    }

    private static final List<String> FEW = List.of("--least-requests", "4", "--requests-per-client", "1");

    private CliRun validate(Path scenario, String url, String method, Object... more) {
        return run(Stream.of(
                        Stream.of("validate", scenario, "--url", url, "--method", method),
                        FEW.stream(),
                        Stream.of(more))
                .flatMap(s -> s)
                .toArray());
    }

    @Test
    void aSweepBecomesAProfileThatExploreReads() throws Exception {
        Path profile = folder.resolve("server.json");
        Path speculative = folder.resolve("spec.json");
        serve(SLOW_PROMPTS, FakeServer.Behaviour.of(Dialect.VLLM), url -> {
            Path out = folder.resolve("out");
            CliRun run = run(
                    "calibrate",
                    "endpoint",
                    url,
                    "--concurrency",
                    "1,4,16",
                    "--isl",
                    "30,200",
                    "--osl",
                    "24",
                    "--repeats",
                    "1",
                    "-o",
                    profile,
                    "--out",
                    out);
            assertEquals(0, run.exit(), run.err());
            assertTrue(run.out().contains("Autoregressive rounds"), run.out());
            assertTrue(run.out().contains("calibration: {round_times: [{rows: 1, context: "), run.out());
            Profile read = ProfileReader.read(profile);
            assertEquals("vllm", read.engine());
            assertEquals(
                    6,
                    BlackBoxProfile.knots(read).size(),
                    BlackBoxProfile.knots(read).toString());
            assertTrue(BlackBoxProfile.prefillMsPerToken(read).isPresent());
            BlackBoxProfile.knots(read).forEach(k -> assertTrue(k.ms() > 0.9 * curve(k.rows()), k.toString()));
            assertTrue(Files.exists(out.resolve("round-times.png")));
            SchemaCheck.file("endpoint-report", out.resolve("endpoint.json"));
        });
        serve(SPECULATIVE, FakeServer.Behaviour.of(Dialect.VLLM), url -> {
            List<String> sweep = List.of(
                    "calibrate",
                    "endpoint",
                    url,
                    "--concurrency",
                    "1,2,4",
                    "--isl",
                    "30",
                    "--osl",
                    "32",
                    "--repeats",
                    "1",
                    "--width",
                    "4");
            CliRun alone = run(sweep.toArray());
            assertEquals(2, alone.exit(), alone.out());
            assertTrue(alone.err().contains("--autoregressive PROFILE"), alone.err());
            CliRun both = run(
                    Stream.concat(sweep.stream(), Stream.of("--autoregressive", profile, "-o", speculative, "--json"))
                            .toArray());
            assertEquals(0, both.exit(), both.err());
            JsonNode report = Json.mapper().readTree(both.out());
            assertTrue(report.get("draft_and_host").get("ms").asDouble() > 0, both.out());
            assertEquals(6, report.get("calibration").get("round_times").size());
        });
        Files.writeString(
                folder.resolve("s.yaml"),
                "schema: foretoken/scenario/1\nengine: {name: vllm}\nmethods: [{id: ar, kind: autoregressive}, {id: m, kind: mtp,"
                        + " steps: 3}]\nworkloads: [{id: w, isl: 30, osl: 64, acceptance: {accept_length: 2.4}}]\n"
                        + "load: [{kind: closed, concurrency: [1, 4]}]\ncalibration: {profile: spec.json}\n");
        CliRun explore = run("explore", folder.resolve("s.yaml"), "--json", "--quiet");
        assertEquals(0, explore.exit(), explore.err());
        for (JsonNode p : Json.mapper().readTree(explore.out()).get("points")) {
            assertEquals("black-box", p.get("calibrated").asText());
            assertEquals(
                    p.get("method").asText().equals("m"),
                    p.get("terms_ms").path("draft").asDouble(0) > 0,
                    p.toString());
        }
    }

    @Test
    void measurementsOfOneFolderAreComparedTogether() throws Exception {
        Path scenario = scenario("tolerance: {output_tok_s: 9, tpot_ms: 9}\n", "");
        Path out = folder.resolve("out");
        serve(AUTOREGRESSIVE, FakeServer.Behaviour.of(Dialect.VLLM), url -> {
            CliRun run = validate(scenario, url, "ar", "--out", out);
            assertEquals(0, run.exit(), run.err());
            assertTrue(run.err().contains("starts like this: "), run.err());
        });
        serve(SPECULATIVE, FakeServer.Behaviour.of(Dialect.VLLM), url -> {
            CliRun run = validate(scenario, url, "mtp", "--out", out, "--json");
            assertEquals(0, run.exit(), run.err());
            JsonNode report = Json.mapper().readTree(run.out());
            assertEquals("foretoken/validation/1", report.get("schema").asText());
            assertEquals(4, report.get("rows").size());
            assertEquals(2, report.get("speedups").size());
            assertEquals(2, report.get("rankings").size());
            assertTrue(
                    report.get("stages").has("B") && report.get("stages").has("C"),
                    report.get("stages").toString());
        });
        assertEquals(4, Files.readAllLines(out.resolve("measurements.jsonl")).size());
        SchemaCheck.lines("measurement", out.resolve("measurements.jsonl"));
        SchemaCheck.file("validation", out.resolve("validation.json"));
        SchemaCheck.file("chapter", out.resolve("chapter.json"));
        try (Stream<Path> runs = Files.list(out.resolve("runs"))) {
            for (Path file : runs.toList()) {
                SchemaCheck.lines("run", file);
            }
        }
        assertTrue(Files.exists(out.resolve("predicted-measured-output-tok-s.svg")));
        assertTrue(Files.exists(out.resolve("validation-predicted-and-measured.csv")));
    }

    @Test
    void outsideToleranceIsExitThree() throws Exception {
        Path scenario = scenario("tolerance: {output_tok_s: 0.000001}\n", "");
        serve(AUTOREGRESSIVE, FakeServer.Behaviour.of(Dialect.VLLM), url -> {
            CliRun run = validate(scenario, url, "ar");
            assertEquals(3, run.exit(), run.err());
            assertTrue(run.out().contains("Outside tolerance"), run.out());
            assertTrue(run.err().contains("outside tolerance: "), run.err());
        });
    }

    @Test
    void forcedAcceptanceIsStageAAndTheSwitchIsPrinted() throws Exception {
        Path scenario = scenario("", "forced_acceptance: {law: per-request, rates: [0.7, 0.45, 0.25]}\n");
        serve(SPECULATIVE, FakeServer.Behaviour.of(Dialect.VLLM), url -> {
            CliRun run = validate(scenario, url, "mtp");
            assertEquals(0, run.exit(), run.err());
            assertTrue(run.out().contains("A: forced acceptance"), run.out());
            assertTrue(run.err().contains("to force acceptance: "), run.err());
        });
    }

    @Test
    void anEndpointThatCannotBeUsedIsExitFour() throws Exception {
        Path scenario = scenario("", "");
        CliRun absent = validate(scenario, "http://127.0.0.1:9", "ar", "--wait", "0");
        assertEquals(4, absent.exit(), absent.err());
        assertFalse(absent.err().contains("\tat "), absent.err());
        CliRun sweep = run("calibrate", "endpoint", "http://127.0.0.1:9", "--wait", "0");
        assertEquals(4, sweep.exit(), sweep.err());
        FakeServer.Behaviour loading =
                FakeServer.Behaviour.of(Dialect.LLAMA_CPP).withFaults(new Faults(100_000, Map.of()));
        serve(AUTOREGRESSIVE, loading, url -> {
            CliRun run = validate(scenario, url, "ar", "--wait", "1");
            assertEquals(4, run.exit(), run.err());
        });
        serve(AUTOREGRESSIVE, FakeServer.Behaviour.of(Dialect.VLLM), url -> {
            CliRun run = validate(scenario, url, "ar", "--model", "another-model");
            assertEquals(4, run.exit(), run.err());
            assertTrue(run.err().contains("another-model"), run.err());
        });
    }

    @Test
    void theKeyOfAFileNeverShows() throws Exception {
        Path key = folder.resolve("key");
        Files.writeString(key, "sk-very-secret-0123456789\n");
        Faults echo = new Faults(0, Map.of(0L, Faults.Fault.HTTP_500_ECHOING_KEY));
        Path scenario = scenario("", "");
        serve(AUTOREGRESSIVE, FakeServer.Behaviour.of(Dialect.VLLM).withFaults(echo), url -> {
            CliRun run = validate(scenario, url, "ar", "--api-key-file", key, "-v", "--out", folder.resolve("o"));
            assertFalse((run.out() + run.err()).contains("very-secret"), run.err());
        });
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path f : files.filter(Files::isRegularFile)
                    .filter(f -> !f.equals(key))
                    .toList()) {
                assertFalse(
                        new String(Files.readAllBytes(f), java.nio.charset.StandardCharsets.ISO_8859_1)
                                .contains("very-secret"),
                        f.toString());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "validate",
                "validate SCENARIO",
                "validate SCENARIO --url http://127.0.0.1:9 --results x.json",
                "validate SCENARIO --url ftp://127.0.0.1",
                "validate SCENARIO --url not-a-url --method ar",
                "validate SCENARIO --url http://user:pw@127.0.0.1:9 --method ar",
                "validate SCENARIO --url http://127.0.0.1:9",
                "validate SCENARIO --url http://127.0.0.1:9 --method mtp2",
                "validate SCENARIO --url http://127.0.0.1:9 --method mtp --with step=3",
                "validate SCENARIO --url http://127.0.0.1:9 --method mtp --with steps=9",
                "validate SCENARIO --url http://127.0.0.1:9 --method mtp --with steps",
                "validate SCENARIO --url http://127.0.0.1:9 --method file.json=mtp",
                "validate SCENARIO --url http://127.0.0.1:9 --method ar --allow-different outputlength",
                "validate SCENARIO --url http://127.0.0.1:9 --method ar --resume",
                "validate SCENARIO --url http://127.0.0.1:9 --method ar --least-requests 0",
                "validate SCENARIO --url http://127.0.0.1:9 --method ar --api-key-file /nonexistent/key",
                "validate nowhere.yaml --url http://127.0.0.1:9",
                "validate SCENARIO --results nowhere.json --method ar",
                "validate SCENARIO --results SCENARIO --method ar",
                "calibrate endpoint",
                "calibrate endpoint http://127.0.0.1:9 --concurrency 0",
                "calibrate endpoint http://127.0.0.1:9 --concurrency a",
                "calibrate endpoint http://127.0.0.1:9 --osl 2",
                "calibrate endpoint http://127.0.0.1:9 --autoregressive nowhere.json",
                "calibrate endpoint http://127.0.0.1:9 --autoregressive SCENARIO --width 4"
            })
    void refusesWithOneSentence(String line) throws Exception {
        Path scenario = scenario("", "");
        String[] words = Stream.of(line.split(" "))
                .map(w -> w.equals("SCENARIO") ? scenario.toString() : w)
                .toArray(String[]::new);
        CliRun run = CliRun.of(words);
        assertEquals(2, run.exit(), run.out() + run.err());
        assertFalse(run.err().isBlank());
        assertFalse(run.err().contains("\tat ") || run.err().contains("Exception"), run.err());
    }

    @Test
    void aScenarioWithVariantsIsRefused() throws Exception {
        Path scenario = scenario("", "");
        Files.writeString(scenario, Files.readString(scenario).replace("isl: 40", "isl: [40, 80]"));
        CliRun run = validate(scenario, "http://127.0.0.1:9", "ar");
        assertEquals(2, run.exit());
        assertTrue(run.err().contains("2 variants"), run.err());
    }

    @Test
    void resultFilesOfClients() throws Exception {
        Path fixture = Path.of(System.getProperty("foretoken.root", ".."))
                .resolve("validation/src/test/resources/importers/vllm-bench.json");
        Path scenario = scenario("", "");
        CliRun refused = run("validate", scenario, "--results", fixture, "--method", "ar");
        assertEquals(2, refused.exit(), refused.out());
        CliRun run = run(
                "validate",
                scenario,
                "--results",
                fixture,
                "--method",
                "mtp",
                "--allow-different",
                "all",
                "--concurrency",
                "4",
                "--json");
        assertEquals(0, run.exit(), run.err());
        JsonNode report = Json.mapper().readTree(run.out());
        assertEquals(1, report.get("rows").size());
        assertTrue(report.get("rows").get(0).get("figures").has("output_tok_s"));
        CliRun clients = run("validate", "--clients");
        assertEquals(0, clients.exit());
        assertTrue(clients.out().contains("vllm-bench"), clients.out());
    }

    /** Indexes of measured requests that ended well, in a run's file. */
    private static List<Long> counted(Path runs) throws IOException {
        List<Long> indexes = new ArrayList<>();
        try (Stream<Path> files = Files.list(runs)) {
            for (Path f : files.toList()) {
                for (String line : Files.readAllLines(f)) {
                    JsonNode n = Json.mapper().readTree(line);
                    if (n.path("status").asText().equals("OK")
                            && n.path("phase").asText().equals("MEASURED")) {
                        indexes.add(n.get("index").asLong());
                    }
                }
            }
        }
        return indexes;
    }

    private static final List<String> SIXTY = List.of("--least-requests", "60", "--requests-per-client", "1");

    private Path single() throws IOException {
        Path file = scenario("tolerance: {output_tok_s: 9, tpot_ms: 9}\n", "");
        Files.writeString(file, Files.readString(file).replace("concurrency: [1, 4]", "concurrency: [4]"));
        return file;
    }

    private static CliRun resume(Path scenario, String url, Path out) {
        return run(Stream.concat(
                        Stream.of(
                                "validate",
                                scenario,
                                "--url",
                                url,
                                "--method",
                                "ar",
                                "--out",
                                out,
                                "--resume",
                                "--json"),
                        SIXTY.stream())
                .toArray());
    }

    private static void awaitCounted(Path runs, int n) throws Exception {
        for (int i = 0; i < 1200 && (!Files.isDirectory(runs) || countedQuietly(runs) < n); i++) {
            Thread.sleep(50);
        }
    }

    private static int countedQuietly(Path runs) {
        try {
            return counted(runs).size();
        } catch (IOException e) {
            return 0; // a line is being written
        }
    }

    /** A server that is killed while it is measured: exit 4, what was measured is kept, the rest is measured afterwards. */
    @Test
    void aServerKilledMidRunIsExitFourAndResumed() throws Exception {
        Path scenario = single();
        Path out = folder.resolve("killed");
        FakeServer.Behaviour vllm = FakeServer.Behaviour.of(Dialect.VLLM);
        int port;
        try (RealTime time = new RealTime()) {
            FakeServer server = new FakeServer(AUTOREGRESSIVE, vllm, time);
            port = server.uri().getPort();
            Thread killer = new Thread(() -> {
                try {
                    awaitCounted(out.resolve("runs"), 8);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                } finally {
                    server.close();
                }
            });
            killer.start();
            CliRun run = run(Stream.concat(
                            Stream.of("validate", scenario, "--url", server.uri(), "--method", "ar", "--out", out),
                            SIXTY.stream())
                    .toArray());
            killer.join();
            assertEquals(4, run.exit(), run.err());
            assertTrue(run.err().contains("--resume"), run.err());
        }
        int before = counted(out.resolve("runs")).size();
        assertTrue(before >= 8 && before < 60, "measured before: " + before);
        assertFalse(Files.exists(out.resolve("measurements.jsonl")), "an unfinished run is no measurement");
        try (RealTime time = new RealTime();
                FakeServer server = new FakeServer(AUTOREGRESSIVE, vllm, time, port)) {
            CliRun again = resume(scenario, server.uri().toString(), out);
            assertEquals(0, again.exit(), again.err());
            assertTrue(again.err().contains(before + " requests are complete"), again.err());
        }
        onceEach(counted(out.resolve("runs")));
        assertEquals(1, Files.readAllLines(out.resolve("measurements.jsonl")).size());
    }

    private static void onceEach(List<Long> indexes) {
        assertEquals(60, indexes.size());
        assertEquals(60, Set.copyOf(indexes).size(), "no request counts twice");
    }

    /** Ctrl-C in a process of its own. */
    @Test
    void controlCKeepsWhatWasMeasuredAndResumeGoesOn() throws Exception {
        Path scenario = single();
        Path out = folder.resolve("interrupted");
        Path log = folder.resolve("log");
        serve(AUTOREGRESSIVE, FakeServer.Behaviour.of(Dialect.VLLM), url -> {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    "dev.foretoken.cli.Main",
                    "validate",
                    scenario.toString(),
                    "--url",
                    url,
                    "--method",
                    "ar",
                    "--out",
                    out.toString()));
            command.addAll(SIXTY);
            Process p = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            awaitCounted(out.resolve("runs"), 8);
            new ProcessBuilder("kill", "-INT", Long.toString(p.pid())).start().waitFor();
            assertTrue(p.waitFor(60, TimeUnit.SECONDS), Files.readString(log));
            assertNotEquals(0, p.exitValue(), Files.readString(log));
            int before = counted(out.resolve("runs")).size();
            assertTrue(before >= 8 && before < 60, before + "\n" + Files.readString(log));
            assertFalse(Files.exists(out.resolve("measurements.jsonl")), "an unfinished run is no measurement");
            CliRun again = resume(scenario, url, out);
            assertEquals(0, again.exit(), again.err());
            CliRun third = resume(scenario, url, out);
            assertEquals(0, third.exit(), third.err());
        });
        List<String> lines = Files.readAllLines(out.resolve("measurements.jsonl"));
        assertEquals(2, lines.size(), "the second --resume begins run 2, since run 1 is whole");
        List<Long> first = new ArrayList<>();
        Files.createDirectories(folder.resolve("first"));
        try (Stream<Path> files = Files.list(out.resolve("runs"))) {
            for (Path f : files.filter(f -> f.getFileName().toString().startsWith("run1-"))
                    .toList()) {
                Files.copy(f, folder.resolve("first").resolve(f.getFileName()));
            }
        }
        first.addAll(counted(folder.resolve("first")));
        onceEach(first);
    }

    /** Two loads, broken off in the second: the first is not measured again. */
    @Test
    void resumeLeavesMeasuredLoadsAlone() throws Exception {
        Path scenario = scenario("tolerance: {output_tok_s: 9, tpot_ms: 9}\n", "");
        Path out = folder.resolve("loads");
        serve(AUTOREGRESSIVE, FakeServer.Behaviour.of(Dialect.VLLM), url -> {
            CliRun all = validate(scenario, url, "ar", "--out", out);
            assertEquals(0, all.exit(), all.err());
            Path file = out.resolve("measurements.jsonl");
            List<String> lines = Files.readAllLines(file);
            assertEquals(2, lines.size());
            Files.writeString(file, lines.get(0) + "\n");
            try (Stream<Path> runs = Files.list(out.resolve("runs"))) {
                for (Path f : runs.filter(r -> r.getFileName().toString().contains("c=4"))
                        .toList()) {
                    Files.delete(f);
                }
            }
            CliRun again = validate(scenario, url, "ar", "--out", out, "--resume", "--json");
            assertEquals(0, again.exit(), again.err());
            assertTrue(again.err().contains("c=1: measured already"), again.err());
            JsonNode rows = Json.mapper().readTree(again.out()).get("rows");
            assertEquals(2, rows.size());
            rows.forEach(r -> assertEquals(1, r.get("runs").asInt(), r.toString()));
            CliRun twice = validate(scenario, url, "ar", "--out", out, "--run", "1");
            assertEquals(2, twice.exit(), twice.err());
            assertTrue(twice.err().contains("measured already"), twice.err());
        });
    }

    /** A server whose own pages name another model than the scenario's is refused by name, unless the user insists. */
    @Test
    void aServerOfAnotherModelIsRefusedUnlessAllowed() throws Exception {
        Path scenario = scenario("tolerance: {output_tok_s: 900, tpot_ms: 900}\n", "");
        Files.writeString(
                scenario,
                Files.readString(scenario)
                        .replace(
                                "engine: {name: vllm, max_running_requests: 64}",
                                "hardware: {gpu: h100, tp: 1}\ntarget: {model: qwen3-8b, weights: bf16}\n"
                                        + "engine: {name: vllm, max_running_requests: 64}"));
        serve(AUTOREGRESSIVE, FakeServer.Behaviour.of(Dialect.VLLM), url -> {
            CliRun refused = validate(scenario, url, "ar");
            assertEquals(2, refused.exit(), refused.err());
            assertTrue(refused.err().contains("model: fake-model against qwen3-8b"), refused.err());
            CliRun allowed = validate(scenario, url, "ar", "--allow-different", "model");
            assertEquals(0, allowed.exit(), allowed.err());
        });
    }

    /** A tiny model under the name of a large one runs faster than the card's memory allows: said. */
    @Test
    void figuresAboveTheMemoryRooflineAreWarnedOf() throws Exception {
        Path scenario = scenario("tolerance: {output_tok_s: 900, tpot_ms: 900}\n", "");
        Files.writeString(
                scenario,
                Files.readString(scenario)
                        .replace(
                                "engine: {name: vllm, max_running_requests: 64}",
                                "hardware: {gpu: l40s, count: 4, tp: 4}\ntarget: {model: llama-3.1-70b, weights: bf16}\n"
                                        + "engine: {name: vllm, max_running_requests: 64}"));
        serve(AUTOREGRESSIVE, FakeServer.Behaviour.of(Dialect.VLLM), url -> {
            CliRun run = validate(scenario, url, "ar", "--allow-different", "all");
            assertEquals(0, run.exit(), run.err());
            assertTrue(run.out().replaceAll("\\s+", " ").contains("above what memory bandwidth allows"), run.out());
        });
    }
}
