package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a choice says of itself: doubts, layouts of all cards, warnings about drafters and draft times. */
class ChoiceTest {
    @TempDir
    Path folder;

    private JsonNode run(String command, String text) throws Exception {
        Path file = folder.resolve("s.yaml");
        Files.writeString(file, "schema: foretoken/scenario/1\n" + text);
        CliRun run = CliRun.of(command, file.toString(), "--json", "--quiet");
        assertEquals(0, run.exit(), run.err());
        return Json.mapper().readTree(run.out());
    }

    private static List<String> strings(JsonNode list) {
        List<String> all = new ArrayList<>();
        list.forEach(n -> all.add(n.asText()));
        return all;
    }

    private static String blackBox(String methods, String acceptance, String calibration) {
        return "engine: {name: sglang, overlap: false}\nmethods: [{id: ar, kind: autoregressive}, " + methods + "]\n"
                + "workloads: [{id: w, isl: 8, osl: 1001, acceptance: {" + acceptance + "}}]\n"
                + "load: [{kind: closed, concurrency: 1}]\n"
                + "calibration: {round_times: [{rows: 1, ms: 20}, {rows: 8, ms: 20}], " + calibration + "}\n";
    }

    /** Three tokens per round, so 334 rounds for 1,000 tokens: nothing speaks against it. */
    @Test
    void aWideMarginOnTheServersOwnRoundsIsSure() throws Exception {
        JsonNode best = run(
                        "explore", blackBox("{id: m, kind: mtp, steps: 2}", "m: {per_position: [1, 1]}", "draft_ms: 1"))
                .get("best")
                .get(0);
        assertEquals("m", best.get("method").asText());
        assertEquals(1000 * 20 / (334 * 21.0) - 1, best.get("margin").asDouble(), 1e-9);
        assertTrue(best.get("sure").asBoolean());
        assertEquals(0, best.get("doubts").size());
    }

    /** 1.04 tokens per round without a draft cost: 4 %, under the 5 % that round times are good for. */
    @Test
    void everyDoubtIsNamed() throws Exception {
        JsonNode best = run(
                        "explore",
                        blackBox(
                                "{id: m, kind: mtp, steps: 1}, {id: x, kind: mtp, steps: 1}",
                                "m: {per_position: [0.04], source: a STAND-IN}",
                                "source: PLACEHOLDERS until you sweep"))
                .get("best")
                .get(0);
        assertFalse(best.get("sure").asBoolean());
        assertEquals(
                List.of(
                        "the margin is below 5 %, what round times are good for",
                        "the draft time of m is not given",
                        "no figures of x",
                        "the acceptance of m is a stand-in",
                        "the round times are placeholders"),
                strings(best.get("doubts")));
    }

    @Test
    void aSimulatedIntervalDoesNotHoldWhatTheAcceptanceLeavesOpen() throws Exception {
        String scenario = blackBox(
                        "{id: t, kind: ddtree, block: 4, budget: 6, top_k: 2}",
                        "t: {per_position: [0.8, 0.6, 0.5]}",
                        "draft_ms: 1")
                + "simulate: {rel_half_width: 0.1, max_requests: 500}\n";
        JsonNode best = run("simulate", scenario).get("best").get(0);
        assertEquals("t", best.get("method").asText());
        assertEquals(
                List.of("what the acceptance leaves open is in no simulated interval: explore has it"),
                strings(best.get("doubts")));
        assertEquals(
                0, run("explore", scenario).get("best").get(0).get("doubts").size());
    }

    /** 4 clients on 4 cards: 4 x 1/20 ms = 200 tok/s against 2 x 2/12.5 ms = 320. */
    @Test
    void allCardsAreComparedForTheSameClients() throws Exception {
        JsonNode layouts = run(
                        "explore",
                        "hardware: {gpu: h100, count: 4, tp: [1, 2]}\nengine: {name: sglang, overlap: false}\n"
                                + "methods: [{id: ar, kind: autoregressive}]\n"
                                + "workloads: [{id: w, isl: 8, osl: 1001}]\n"
                                + "load: [{kind: closed, concurrency: [1, 2]}]\n"
                                + "calibration: {round_times: [{tp: 1, rows: 1, ms: 20}, {tp: 1, rows: 2, ms: 21},"
                                + " {tp: 2, rows: 1, ms: 12}, {tp: 2, rows: 2, ms: 12.5}]}\n")
                .get("layouts");
        assertEquals(2, layouts.size(), layouts.toString());
        JsonNode one = layouts.get(0);
        JsonNode two = layouts.get(1);
        assertEquals(4, one.get("clients").asInt());
        assertEquals(4, one.get("replicas").asInt());
        assertEquals(200.2, one.get("output_tok_s").asDouble(), 1e-6);
        assertFalse(one.get("best").asBoolean());
        assertEquals(2, two.get("replicas").asInt());
        assertEquals(2, two.get("concurrency").asInt());
        assertEquals(320.32, two.get("output_tok_s").asDouble(), 1e-6);
        assertTrue(two.get("best").asBoolean());
    }

    @Test
    void oneDraftTimeForSeveralLengthsIsWarnedOf() throws Exception {
        List<String> warnings = strings(run(
                        "explore",
                        blackBox(
                                "{id: m, kind: mtp, steps: [1, 3]}",
                                "m: {per_position: [0.8, 0.6, 0.5]}",
                                "draft_ms: 4"))
                .get("warnings"));
        assertTrue(
                warnings.stream()
                        .anyMatch(w ->
                                w.startsWith("draft_ms charges m 4.0 ms per round whether it drafts 1 or 3 steps")),
                warnings.toString());
    }

    @Test
    void aMisspeltDrafterAndABlockBeyondItsTrainingAreWarnedOf() throws Exception {
        List<String> warnings = strings(run(
                        "explore",
                        "hardware: {gpu: rtx-pro-6000-server}\ntarget: {model: qwen3.6-27b}\nengine: {name: sglang}\n"
                                + "methods: [{id: a, kind: dflash-linear, drafter: qwen3.6-dflash, block: 16},"
                                + " {id: b, kind: dflash-linear, drafter: qwen3.6-27b-dflash, block: 32}]\n"
                                + "workloads: [{id: w, isl: 64, osl: 60, acceptance: {accept_length: 3}}]\n"
                                + "load: [{kind: closed, concurrency: 1}]\n")
                .get("warnings"));
        assertTrue(
                warnings.contains(
                        "the drafter qwen3.6-dflash of a is not in the catalogue; did you mean qwen3.6-27b-dflash?"),
                warnings.toString());
        assertTrue(
                warnings.contains("b drafts blocks of 32 with qwen3.6-27b-dflash, which was trained on blocks of 16"),
                warnings.toString());
    }
}
