package dev.foretoken.validation.validate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.catalogue.CatalogueFiles;
import dev.foretoken.formats.scenario.ScenarioReader;
import dev.foretoken.formats.scenario.ScenarioResources;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.validation.compare.ErrorSummary;
import dev.foretoken.validation.session.PromptBook;
import dev.foretoken.validation.testserver.Dialect;
import dev.foretoken.validation.testserver.EngineTruth;
import dev.foretoken.validation.testserver.FakeServer;
import dev.foretoken.validation.testserver.VirtualSession;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A scenario against a server that is what the scenario says, and against one that is not. A returning client's request meets
 * a round under way and waits for its end; the closed-loop formula has it resident at once, so answers are kept long.
 */
public class LiveValidationTest {
    @TempDir
    Path dir;

    public static Scenario scenario(String extra) {
        return scenario(extra, """
                - {id: ar, kind: autoregressive}
                - {id: mtp, kind: mtp, steps: 3}
                """, "{mtp: {per_position: [0.7, 0.45, 0.25]}}");
    }

    static Scenario scenario(String extra, String methods, String acceptance) {
        String yaml = """
                schema: foretoken/scenario/1
                name: played
                seed: 7
                engine: {name: vllm, max_running_requests: 64}
                methods:
                METHODSworkloads:
                  - {id: chat, isl: 40, osl: 64, acceptance: ACCEPTANCE}
                load:
                  - {kind: closed, concurrency: [1, 4]}
                tolerance: {output_tok_s: 0.08, tpot_ms: 0.08}
                calibration:
                  round_times: [{rows: 1, ms: 10.25}, {rows: 8, ms: 12}, {rows: 9, ms: 18.25}, {rows: 64, ms: 32}]
                  draft_ms: {mtp: 3}
                  host_ms: {mtp: 0}
                  prefill_ms_per_token: 0.05
                """.replace("METHODS", methods).replace("ACCEPTANCE", acceptance) + extra;
        return new ScenarioReader(ScenarioResources.of(new Catalogue(CatalogueFiles.bundled()), p -> {
                    throw new IllegalArgumentException("no marginals here");
                }))
                .read("played.yaml", yaml.getBytes(StandardCharsets.UTF_8), Path.of("."))
                .variants()
                .get(0);
    }

    private static double curve(int rows) {
        return 10 + 0.25 * rows + (rows > 8 ? 6 : 0);
    }

    private static EngineTruth truth(boolean speculative, double slower, double[] pmf) {
        return speculative
                ? new EngineTruth(rows -> (curve(rows) + 3) * slower, 4, () -> pmf, 0.05, 64, 1)
                : new EngineTruth(rows -> curve(rows) * slower, 1, null, 0.05, 64, 1);
    }

    private static final double[] AS_SAID = {0.3, 0.25, 0.2, 0.25};
    private static final double[] WORSE = {0.6, 0.25, 0.1, 0.05};

    private List<Measurement> measure(Scenario s, EngineTruth t, String method, Path directory) throws Exception {
        return measure(s, t, new ArmChoice(method, null, null, null), directory);
    }

    private List<Measurement> measure(Scenario s, EngineTruth t, ArmChoice arm, Path directory) throws Exception {
        try (VirtualSession v = new VirtualSession(t, FakeServer.Behaviour.of(Dialect.VLLM))) {
            LiveOptions o = new LiveOptions(
                    arm, 2, 8, 0, false, directory, false, null, Duration.ofHours(9), java.util.Set.of());
            return new LiveValidation(
                            s,
                            "hash",
                            v.session(),
                            PromptBook.bundled(),
                            o,
                            LiveValidation.TraceArrivals.NONE,
                            line -> {})
                    .measure();
        }
    }

    private static Validation validation(Scenario s) {
        return new Validation(
                new ScenarioPredictor(
                        s, new BlackBoxTimes(s.calibration(), List.of(1), BlackBoxTimes.MemoryLimit.NONE)),
                "hash");
    }

    @Test
    void aServerThatIsWhatTheScenarioSays() throws Exception {
        Scenario s = scenario("");
        measure(s, truth(false, 1, null), "ar", dir);
        List<Measurement> all = measure(s, truth(true, 1, AS_SAID), "mtp", dir);
        assertEquals(4, all.size());
        ValidationReport r = validation(s).report(all);
        assertTrue(r.withinTolerance(), r.outside().toString());
        ErrorSummary full = r.stages().get("C").get("output_tok_s");
        assertEquals(4, full.n());
        assertTrue(full.meanAbsolutePercent() < 5, full.toString());
        assertTrue(
                r.stages().get("B").get("output_tok_s").meanAbsolutePercent() < 5,
                r.stages().toString());
        assertEquals(2, r.rankings().size());
        assertEquals(2, r.speedups().size());
        assertTrue(r.speedups().stream().allMatch(ValidationReport.SpeedupRow::sameSign));
        assertTrue(r.rows().stream()
                .allMatch(x ->
                        x.equivalence().verdict() == dev.foretoken.validation.compare.Equivalence.Verdict.UNDECIDED));
        assertTrue(Files.exists(dir.resolve("measurements.jsonl")));
        assertTrue(Files.list(dir.resolve("runs")).count() >= 4);
    }

    @Test
    void acceptanceThatIsWorseIsFoundToBeTheTerm() throws Exception {
        Scenario s = scenario("");
        List<Measurement> all = new ArrayList<>(measure(s, truth(false, 1, null), "ar", null));
        all.addAll(measure(s, truth(true, 1, WORSE), "mtp", null));
        ValidationReport r = validation(s).report(all);
        assertFalse(r.withinTolerance());
        assertEquals("acceptance", r.residuals().get(0).term(), r.residuals().toString());
        assertTrue(
                r.stages().get("B").get("output_tok_s").meanAbsolutePercent() < 4,
                r.stages().get("B").toString());
        assertTrue(
                r.stages().get("C").get("output_tok_s").worstPercent() > 15,
                r.stages().get("C").toString());
    }

    @Test
    void roundsThatAreSlowerAreFoundToBeTheTerm() throws Exception {
        Scenario s = scenario("");
        List<Measurement> all = new ArrayList<>(measure(s, truth(false, 1.3, null), "ar", null));
        all.addAll(measure(s, truth(true, 1.3, AS_SAID), "mtp", null));
        ValidationReport r = validation(s).report(all);
        assertEquals("verify", r.residuals().get(0).term(), r.residuals().toString());
        assertTrue(r.residuals().get(0).ms() > 0);
    }

    @Test
    void forcedAcceptanceIsStageA() throws Exception {
        Scenario s = scenario("forced_acceptance: {law: per-request, rates: [0.7, 0.45, 0.25]}\n");
        List<Measurement> all = measure(s, truth(true, 1, AS_SAID), "mtp", null);
        ValidationReport r = validation(s).report(all);
        assertTrue(r.stages().containsKey("A"), r.stages().keySet().toString());
        assertTrue(
                r.stages().get("A").get("tpot_ms").meanAbsolutePercent() < 3,
                r.stages().get("A").toString());
        assertTrue(
                r.warnings().stream().anyMatch(w -> w.contains("baseline")),
                r.warnings().toString());
    }

    @Test
    void aServerRunsOneMethodAndItMustBeNamed() {
        Scenario s = scenario("");
        var e = assertThrows(IllegalArgumentException.class, () -> ArmChoice.ONLY.arm(s));
        assertTrue(e.getMessage().contains("--method") && e.getMessage().contains("mtp"), e.getMessage());
    }

    /** Two lengths of one method in one folder: run files, cells and ranking keep them apart. */
    @Test
    void armsThatOneParameterTellsApart() throws Exception {
        Scenario s = scenario("", """
                - {id: mtp, kind: mtp, steps: [2, 3]}
                """, "{mtp: {per_position: [0.7, 0.45, 0.25]}}");
        List<Measurement> all = List.of();
        for (String steps : List.of("2", "3")) {
            all = measure(
                    s,
                    truth(true, 1, AS_SAID),
                    new ArmChoice("mtp", null, null, null, java.util.Map.of("steps", steps)),
                    dir);
        }
        assertEquals(
                List.of("mtp steps=2", "mtp steps=2", "mtp steps=3", "mtp steps=3"),
                all.stream().map(m -> m.cell().arm()).toList());
        assertTrue(all.stream().allMatch(m -> m.run() == 1));
        assertTrue(Files.exists(dir.resolve("runs/run1-mtp-steps=3-chat-c=4.jsonl")));
        assertEquals(2, validation(s).report(all).rankings().size());
    }
}
