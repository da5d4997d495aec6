package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults that were found by trying to break the commands, each with its right value. */
class FoundFaultsTest {
    private static final String ROUNDS =
            "calibration: {round_times: [{rows: 2, ms: 17}, {rows: 5, ms: 18.5}, {rows: 9, ms: 18.1},"
                    + " {rows: 12, ms: 26}, {rows: 30, ms: 31}, {rows: 70, ms: 60}], draft_ms: 1}\n";
    private static final String HEAD = "schema: foretoken/scenario/1\nengine: {name: sglang, overlap: false}\n";

    @TempDir
    Path folder;

    private JsonNode points(String command, String text) throws Exception {
        Path file = folder.resolve("s.yaml");
        Files.writeString(file, HEAD + text);
        CliRun run = CliRun.of(command, file.toString(), "--json", "--quiet");
        assertEquals(0, run.exit(), run.err());
        return Json.mapper().readTree(run.out()).get("points");
    }

    /** fire_rate .35 and 2.7 forced tokens when it fires: .35 x 2.7 + .65 tokens per round. */
    @ParameterizedTest
    @ValueSource(strings = {"explore", "simulate"})
    void forcedAcceptanceHoldsOnlyWhereADraftFires(String command) throws Exception {
        JsonNode point = points(
                        command,
                        "methods: [{id: ng, kind: ngram, draft_tokens: 5, fire_rate: 0.35}]\n"
                                + "workloads: [{id: w, isl: 64, osl: 60}]\nload: [{kind: closed, concurrency: 1}]\n"
                                + "forced_acceptance: {law: sglang, accept_length: 2.7}\n" + ROUNDS)
                .get(0);
        assertEquals(1.595, point.get("accept_length").asDouble(), 0.02);
    }

    @ParameterizedTest
    @ValueSource(strings = {"explore", "simulate"})
    void anAdaptiveBudgetIsOnePointThatNamesTheBudgetInForce(String command) throws Exception {
        JsonNode points = points(
                command,
                "methods: [{id: bb, kind: ddtree, block: 5, budget: [2, 4, 8], top_k: 3}]\n"
                        + "workloads: [{id: w, isl: 64, osl: 60, acceptance: {accept_length_by_budget: {2: 1.9, 4: 2.4, 8: 2.9}}}]\n"
                        + "load: [{kind: closed, concurrency: [1, 4, 6]}]\n"
                        + "budget_by_concurrency: {bb: {1: 8, 3: 4, 6: 0}}\n" + ROUNDS);
        assertEquals(3, points.size());
        assertEquals(8, points.get(0).get("budget").asInt());
        assertEquals(4, points.get(1).get("budget").asInt());
        assertEquals(0, points.get(2).get("budget").asInt());
    }

    @Test
    void bothModelsNameTheBudgetChosenByCost() throws Exception {
        String text = "methods: [{id: cad, kind: caddtree, block: 7, max_budget: 14, top_k: 4}]\n"
                + "workloads: [{id: w, isl: 64, osl: 60, acceptance: {srt: {a: 2.2, b: 0.128, c1: -1.2, sigma: 1.35, rho: 0.32,"
                + " kappa: 0.64, depth: 15, ranks: 24}}}]\nload: [{kind: closed, concurrency: [1, 4]}]\n" + ROUNDS;
        JsonNode explored = points("explore", text);
        JsonNode simulated = points("simulate", text);
        for (int i = 0; i < 2; i++) {
            assertEquals(explored.get(i).get("budget"), simulated.get(i).get("budget"));
            assertTrue(explored.get(i).get("budget").asInt() < 14);
        }
    }

    @Test
    void aSimulatedOpenLoopBeyondCapacityIsNotMeasuredOutput() throws Exception {
        String text = "methods: [{id: ar, kind: autoregressive}]\nworkloads: [{id: w, isl: 64, osl: 100}]\n"
                + "load: [{kind: poisson, rate_per_s: 20}]\n" + ROUNDS;
        Path file = folder.resolve("o.yaml");
        Files.writeString(file, HEAD.replace("overlap: false", "overlap: false, max_running_requests: 4") + text);
        JsonNode explored = Json.mapper()
                .readTree(CliRun.of("explore", file.toString(), "--json", "--quiet")
                        .out())
                .get("points")
                .get(0);
        JsonNode simulated = Json.mapper()
                .readTree(CliRun.of("simulate", file.toString(), "--json", "--quiet")
                        .out())
                .get("points")
                .get(0);
        assertEquals(
                explored.get("output_tok_s").asDouble(),
                simulated.get("output_tok_s").asDouble(),
                1e-9);
        assertFalse(simulated.has("tpot_ms"));
    }

    @Test
    void answersOfOneTokenThatTakeNoTimeAreNotFeasible() throws Exception {
        Path file = folder.resolve("one.yaml");
        Files.writeString(
                file,
                HEAD + "methods: [{id: ar, kind: autoregressive}]\nworkloads: [{id: w, isl: 64, osl: 1}]\n"
                        + "load: [{kind: closed, concurrency: 1}]\n" + ROUNDS);
        CliRun run = CliRun.of("explore", file.toString(), "--json", "--quiet");
        assertEquals(2, run.exit(), run.err());
        assertFalse(run.out().contains("Infinity"));
    }

    @Test
    void aFileInThePlaceOfTheFolderIsRefusedFirst() throws Exception {
        Path file = folder.resolve("s.yaml");
        Files.writeString(
                file,
                HEAD + "methods: [{id: ar, kind: autoregressive}]\nworkloads: [{id: w, isl: 64, osl: 9}]\n"
                        + "load: [{kind: closed, concurrency: 1}]\n" + ROUNDS);
        CliRun run = CliRun.of("explore", file.toString(), "--out", file.toString());
        assertEquals(2, run.exit());
        assertTrue(run.out().isEmpty(), run.out());
    }

    private static final String SMALL = "methods: [{id: ar, kind: autoregressive}, {id: m, kind: mtp, steps: 2}]\n"
            + "workloads: [{id: w, isl: 64, osl: 60, acceptance: {m: {per_position: [0.8, 0.5], source: a stand-in}}}]\n"
            + "load: [{kind: closed, concurrency: 1}]\n" + ROUNDS;

    @ParameterizedTest
    @ValueSource(strings = {"explore", "simulate"})
    void resultsNameWhatTheyRestOn(String command) throws Exception {
        Path file = folder.resolve("s.yaml");
        Files.writeString(file, HEAD + SMALL);
        CliRun run = CliRun.of(command, file.toString(), "--json", "--quiet");
        assertEquals(0, run.exit(), run.err());
        JsonNode basis = Json.mapper().readTree(run.out()).get("basis");
        assertEquals(
                "round times: 6 knots of a server's own autoregressive rounds, given in the scenario",
                basis.get(0).asText());
        assertEquals(
                "acceptance of m on w: per_position [0.8, 0.5] (" + file + ":4); a stand-in",
                basis.get(1).asText());
    }

    @Test
    void twoFormatsExcludeEachOther() throws Exception {
        Path file = folder.resolve("s.yaml");
        Files.writeString(file, HEAD + SMALL);
        CliRun run = CliRun.of("explore", file.toString(), "--json", "--format", "csv");
        assertEquals(2, run.exit());
        assertTrue(run.err().contains("exclude each other"), run.err());
    }

    @Test
    void aTreeOnAnEngineThatServesChainsIsNamed() throws Exception {
        Path file = folder.resolve("s.yaml");
        Files.writeString(
                file,
                "schema: foretoken/scenario/1\nengine: {name: vllm}\n"
                        + "methods: [{id: tree, kind: eagle3, steps: 3, top_k: 4, draft_tokens: 8},"
                        + " {id: chain, kind: eagle3, steps: 3, top_k: 1, draft_tokens: 4}]\n"
                        + "workloads: [{id: w, isl: 64, osl: 60, acceptance: {per_position: [0.8, 0.5, 0.4]}}]\n"
                        + "load: [{kind: closed, concurrency: 1}]\n" + ROUNDS);
        CliRun run = CliRun.of("explore", file.toString(), "--json", "--quiet");
        assertEquals(0, run.exit(), run.err());
        String warnings = Json.mapper().readTree(run.out()).get("warnings").toString();
        assertTrue(warnings.contains("the tree of tree is computed as if it were served"), warnings);
        assertFalse(warnings.contains("the tree of chain"), warnings);
    }

    /** Axes that the label of a point leaves out, two loads of the same name and a variant: each point has its own files. */
    @Test
    void everyPointHasItsOwnFiles() throws Exception {
        Path file = folder.resolve("s.yaml");
        Files.writeString(
                file,
                "schema: foretoken/scenario/1\nengine: {name: sglang, max_running_requests: [2, 3]}\n"
                        + "methods: [{id: ar, kind: autoregressive}, {id: m, kind: mtp, steps: [1, 3]}, {id: b, kind: dflash-linear, block: [4, 8]},"
                        + " {id: e, kind: eagle3, steps: [2, 3], top_k: 2, draft_tokens: [4, 5]},"
                        + " {id: d, kind: ddtree, block: 8, budget: [4, 8], top_k: [2, 4]}]\n"
                        + "workloads: [{id: w, isl: 64, osl: 20, acceptance: {srt: {a: 2.2, b: 0.13, c1: -1.2, sigma: 1.35,"
                        + " rho: 0.32, kappa: 0.64, depth: 15, ranks: 24}}}]\n"
                        + "load: [{kind: closed, concurrency: [1, 2], think_time_ms: 100},"
                        + " {kind: closed, concurrency: 2, think_time_ms: {dist: exponential, mean: 100}},"
                        + " {kind: closed, concurrency: 2, think_time_ms: 100, start: together},"
                        + " {kind: trace, file: a/t.csv}, {kind: trace, file: b/t.csv}]\n"
                        + "simulate: {rel_half_width: 0.2, max_requests: 60}\n"
                        + "calibration: {round_times: [{rows: 1, ms: 20}, {rows: 64, ms: 30}], draft_ms: 1}\n");
        for (String trace : List.of("a", "b")) {
            Files.writeString(
                    Files.createDirectories(folder.resolve(trace)).resolve("t.csv"),
                    "arrival_s,isl,osl\n0,16,10\n1,16,10\n2,16,10\n");
        }
        Path into = folder.resolve("requests");
        CliRun run = CliRun.of(
                "simulate",
                file.toString(),
                "--json",
                "--quiet",
                "--requests",
                into.resolve("r.csv").toString(),
                "--timeline",
                folder.resolve("timelines").resolve("t.json").toString());
        assertEquals(0, run.exit(), run.err());
        int points = 0;
        for (JsonNode p : Json.mapper().readTree(run.out()).get("points")) {
            points += p.get("feasible").asBoolean() ? 1 : 0;
        }
        assertTrue(points > 50, "points: " + points);
        assertEquals(points, into.toFile().list().length);
        assertEquals(points, folder.resolve("timelines").toFile().list().length);
        List<String> names = List.of(into.toFile().list());
        assertTrue(names.stream().anyMatch(n -> n.contains("steps-3")), names.toString());
        assertTrue(names.stream().anyMatch(n -> n.contains("max-running-requests-2")), names.toString());
    }

    @Test
    void aWorkloadCalledMixIsRefusedWhereAMixIsComputed() throws Exception {
        String text = HEAD
                + "methods: [{id: ar, kind: autoregressive}]\nworkloads:\n  - {id: mix, isl: 64, osl: 9, share: 1}\n"
                + "  - {id: w, isl: 64, osl: 9, share: 1}\nload: [{kind: closed, concurrency: 1}]\n" + ROUNDS;
        Path file = folder.resolve("s.yaml");
        Files.writeString(file, text);
        CliRun run = CliRun.of("explore", file.toString());
        assertEquals(2, run.exit(), run.err());
        assertTrue(run.err().contains("s.yaml:5") && run.err().contains("is taken"), run.err());
        Files.writeString(file, text.replace("id: w, isl: 64, osl: 9, share: 1", "id: w, isl: 64, osl: 9"));
        assertEquals(0, CliRun.of("explore", file.toString(), "--quiet").exit());
    }

    @Test
    void placesThatCannotBeUsedAreBadUsage() throws Exception {
        Path file = folder.resolve("s.yaml");
        Files.writeString(file, HEAD + SMALL);
        String in = file.toString();
        String out = folder.resolve("out").toString();
        Files.createDirectories(folder.resolve("out").resolve(PointStore.FILE));
        refused("points.jsonl is a folder", "simulate", in, "--out", out, "--resume");
        refused("a file is there", "simulate", in, "--requests", in + "/x.csv");
        refused("is a folder", "simulate", in, "--timeline", out);
        refused("must be 0 or more: -1", "explore", in, "--simulate", "-1");
        refused("--out needs the name of a folder", "report", in, "--out", "");
        refused("no such file or folder", "report", folder.resolve("nothing").toString());
        refused("at least 1 second: 0", "notebook", "--run", "--cell-limit", "0");
        Files.writeString(file, HEAD + SMALL.replace("{kind: closed, concurrency: 1}", "{kind: trace, file: out}"));
        refused("is a folder, not a file", "simulate", in);
    }

    private static void refused(String message, String... command) {
        CliRun run = CliRun.of(command);
        assertEquals(2, run.exit(), run.err());
        assertTrue(run.err().contains(message), run.err());
        assertTrue(run.out().isEmpty(), run.out());
    }

    @Test
    void noHelpTextIsAFormatThatFails() {
        for (String command : Main.commandLine().getSubcommands().keySet()) {
            CliRun run = CliRun.of(command, "--help");
            assertFalse((run.out() + run.err()).contains("WARN"), command);
        }
        assertTrue(CliRun.of("demo", "--help").out().contains("above 10 % or"));
    }

    /** A closed load of 8 clients says nothing of a rate: each kind has its own largest load. */
    @Test
    void goodputIsToldPerKindOfLoad() throws Exception {
        Path file = folder.resolve("s.yaml");
        Files.writeString(
                file,
                HEAD + "methods: [{id: ar, kind: autoregressive}]\nworkloads: [{id: w, isl: 64, osl: 60}]\n"
                        + "load: [{kind: closed, concurrency: [2, 8, 60]}, {kind: poisson, rate_per_s: [0.1, 0.2]}]\n"
                        + "slo: {tpot_p95_ms: 25}\n" + ROUNDS);
        CliRun run = CliRun.of("explore", file.toString(), "--json", "--quiet");
        assertEquals(0, run.exit(), run.err());
        JsonNode goodput = Json.mapper().readTree(run.out()).get("goodput");
        assertEquals(2, goodput.size());
        assertEquals("closed", goodput.get(0).get("load_kind").asText());
        assertEquals(8, goodput.get(0).get("load").get("concurrency").asInt());
        assertEquals("poisson", goodput.get(1).get("load_kind").asText());
        assertEquals(0.2, goodput.get(1).get("load").get("rate_per_s").asDouble());
    }

    /** A reader that went away is no failure; a full disk is. */
    @Test
    void aBrokenPipeIsQuiet() throws Exception {
        ReaderGone pipe = new ReaderGone(failing("Broken pipe"));
        pipe.write(new byte[3]);
        pipe.flush();
        assertTrue(pipe.gone());
        ReaderGone disk = new ReaderGone(failing("No space left on device"));
        assertThrows(IOException.class, () -> disk.write(new byte[3]));
        assertFalse(disk.gone());
    }

    private static OutputStream failing(String why) {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException(why);
            }
        };
    }
}
