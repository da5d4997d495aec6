package dev.foretoken.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.scenario.MethodSpec;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.validation.client.Load;
import dev.foretoken.validation.client.Phase;
import dev.foretoken.validation.client.RequestRecord;
import dev.foretoken.validation.compare.Conditions;
import dev.foretoken.validation.compare.Guards;
import dev.foretoken.validation.compare.Guards.RefusedException;
import dev.foretoken.validation.compare.Residuals;
import dev.foretoken.validation.compare.TermResidual;
import dev.foretoken.validation.importers.ImportedRun;
import dev.foretoken.validation.importers.ResultImporters;
import dev.foretoken.validation.measure.RunMeasures;
import dev.foretoken.validation.server.EngineAdapter;
import dev.foretoken.validation.server.EngineAdapters;
import dev.foretoken.validation.testserver.Dialect;
import dev.foretoken.validation.testserver.EngineTruth;
import dev.foretoken.validation.testserver.FakeServer;
import dev.foretoken.validation.testserver.Harness;
import dev.foretoken.validation.validate.ArmChoice;
import dev.foretoken.validation.validate.LiveValidationTest;
import dev.foretoken.validation.validate.Measurement;
import dev.foretoken.validation.validate.ResultsValidation;
import dev.foretoken.validation.validate.ScenarioPredictor;
import dev.foretoken.validation.validate.Validation;
import dev.foretoken.validation.validate.ValidationReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Public questions and defects about measurement, each with the naive figure and the right one. Others of the same list stand
 * where their subject is tested: Q02 and Q03 in RoundRecoveryTest, Q04 in StreamChunkTest, Q05-Q08 in the acceptance readers'
 * tests, Q12 in EndpointSessionTest, Q24 in PromptBookTest. Questions about performance have scenarios (docs/questions.md).
 */
class UserQuestionsTest {
    /** Q01 end to end: a client that counts events says 4 times too little. */
    @Test
    void q01ThroughputCountsTokensNotEvents() throws Exception {
        EngineTruth truth = new EngineTruth(rows -> 25, 5, () -> new double[] {0.05, 0.1, 0.1, 0.2, 0.55}, 0, 64, 2);
        Harness.Outcome o = Harness.virtual(
                truth,
                FakeServer.Behaviour.of(Dialect.SGLANG),
                Harness.plan(Load.Closed.of(4), 4, 24),
                Harness.fixed(5, 120));
        RunMeasures m = RunMeasures.of(o.run(), 5);
        double events = 0;
        for (RequestRecord r : o.run().records()) {
            for (long at : r.chunkNs()) {
                events += at >= o.run().windowStartNs() && at < o.run().windowEndNs() ? 1 : 0;
            }
        }
        double naive = events / m.windowS();
        assertEquals(4.1, m.outputTokS() / naive, 0.2);
        assertTrue(Guards.warnings(new Guards.Facts(9, 120.0, 414.75, 111.0, null, null, true, false))
                .get(0)
                .contains("counts events"));
    }

    /** Q09: public files carry a raw counter (1709.0) where a rate belongs; throughput is kept, the rate is not. */
    @Test
    void q09ARawCounterIsNoAcceptanceRate() throws IOException {
        String file =
                "{\"model_id\":\"m\",\"backend\":\"vllm\",\"completed\":5,\"output_throughput\":147.24,\"mean_tpot_ms\":6.8,"
                        + "\"spec_decode_acceptance_rate\":1709.0,\"total_output_tokens\":100,\"total_input_tokens\":50}";
        ImportedRun r = ResultImporters.read("vllm_mtp.json", file).get(0);
        assertEquals(147.24, r.outputTokS());
        assertNull(r.acceptLength());
        assertTrue(
                r.converted().stream().anyMatch(c -> c.contains("1709.0") && c.contains("ignored")),
                r.converted().toString());
    }

    /** Q18: 12-16 ms per forward that no known host explains: the constant is named, with its size. */
    @Test
    void q18AConstantPerRoundIsNamed() {
        List<Residuals.CellFacts> cells = new ArrayList<>();
        for (int c : new int[] {1, 2, 4}) {
            double predicted = 11.3 + 0.1 * c;
            double measured = predicted + 14;
            cells.add(new Residuals.CellFacts(
                    false, c, (double) c, predicted, measured, 88.0 * c, 88.0 * c, 39.6 * c, 5.0, 5.0, 100.0, null));
        }
        TermResidual first = Residuals.explain(cells).get(0);
        assertEquals("host", first.term());
        assertEquals(14, first.ms(), 1e-9);
        assertTrue(first.evidence().contains("more than any host"), first.evidence());
    }

    /** Q21: without CUDA graphs the tree costs nothing (70.9 and 70.7), with them a third (144.9 and 99.1). */
    @Test
    void q21EagerAndGraphRunsAreNotCompared() {
        Conditions eager = graphs(false);
        Conditions graph = graphs(true);
        assertEquals(List.of("CUDA graphs: false against true"), eager.differences(graph));
        double naive = 70.7 / 70.9;
        double right = 99.1 / 144.9;
        assertEquals(0.997, naive, 1e-3);
        assertEquals(0.684, right, 1e-3);
    }

    private static Conditions graphs(boolean on) {
        return new Conditions(
                "rtx-a6000", 1, "qwen3.5-4b", null, null, null, "c=1", "vllm", null, null, null, null, on, null);
    }

    /** Q23: the first requests after a start read 30-50 % low; they are sent first and discarded. */
    @Test
    void q23WarmUpIsDiscarded() throws Exception {
        int[] rounds = {0};
        EngineTruth cold = new EngineTruth(rows -> rounds[0]++ < 80 ? 40 : 20, 1, null, 0, 64, 2);
        Harness.Outcome o = Harness.virtual(
                cold,
                FakeServer.Behaviour.of(Dialect.VLLM),
                Harness.plan(Load.Closed.of(2), 6, 20),
                Harness.fixed(5, 40));
        RunMeasures m = RunMeasures.of(o.run(), 1);
        assertEquals(20, m.tpotMs().mean(), 0.02 * 20);
        double naive = o.run().records().stream()
                .filter(r -> r.ok() && r.tpotMs() != null && r.phase() != Phase.COOLDOWN)
                .limit(5)
                .mapToDouble(RequestRecord::tpotMs)
                .average()
                .orElseThrow();
        assertTrue(naive > 1.4 * 20, "the discarded ones read " + naive);
    }

    /** Q10: an accept length pinned at 3.5 by the engine is a step time's input, not acceptance: stage A, and no stage B. */
    @Test
    void q10ForcedRunsAreStepTimesOnly() throws IOException {
        String file = "{\"backend\":\"sglang\",\"completed\":10,\"output_throughput\":380,\"mean_tpot_ms\":9.0,"
                + "\"max_concurrency\":3,\"accept_length\":3.5,\"total_input_tokens\":400,\"total_output_tokens\":640,"
                + "\"server_info\":{\"speculative_algorithm\":\"NEXTN\"}}";
        for (boolean forced : new boolean[] {false, true}) {
            Scenario scenario =
                    LiveValidationTest.scenario(forced ? "forced_acceptance: {law: sglang, accept_length: 3.5}\n" : "");
            ResultsValidation.Said said = new ResultsValidation.Said(
                    new ArmChoice("mtp", null, null, null), null, null, null, null, null, forced);
            List<Measurement> m = ResultsValidation.measurements(
                    scenario, "h", ResultImporters.read("cookbook.jsonl", file), said, Set.of("engine"));
            ValidationReport r = new Validation(
                            new ScenarioPredictor(
                                    scenario,
                                    new BlackBoxTimes(
                                            scenario.calibration(), List.of(1), BlackBoxTimes.MemoryLimit.NONE)),
                            "h")
                    .report(m);
            assertEquals(forced ? Set.of("A") : Set.of("B", "C"), r.stages().keySet());
        }
        List<String> switches = new ArrayList<>();
        EngineAdapters.all()
                .forEach(a -> switches.addAll(a.forcingSwitch(new EngineAdapter.ForcedDrafts(5, 3.5, null))));
        assertTrue(switches.stream().anyMatch(x -> x.contains("SGLANG_SIMULATE_ACC_LEN=3.5")));
    }

    /**
     * Q20: a DDTree measured beside a DFlash that overlaps the host. The width is max(block, budget + 1), not budget + 1, and the
     * two arms differ in overlap: 5 ms of host time make a tree that gains 8 % look like a loss.
     */
    @Test
    void q20OverlapAndWidthOfTheArmsAreTheirOwn() {
        Arm tree = Arm.expand(new MethodSpec(
                        "ddtree",
                        "ddtree",
                        Map.of("block", List.<Object>of(16), "budget", List.<Object>of(8), "top_k", List.<Object>of(4)),
                        null))
                .get(0);
        assertEquals(16, tree.method().verifyWidth(tree, "sglang"), "naive: 8 + 1");
        assertEquals(9, tree.method().verifyWidth(tree, "vllm"));
        double gpu = 40;
        double host = 5;
        double naive = (5.4 / (gpu + host)) / (5.0 / Math.max(gpu, host));
        double right = (5.4 / (gpu + host)) / (5.0 / (gpu + host));
        assertTrue(naive < 1 && right > 1.07);
        assertEquals(
                List.of("overlap scheduling: false against true"),
                overlap(false).differences(overlap(true)));
    }

    private static Conditions overlap(boolean on) {
        return new Conditions(
                "rtx-pro-6000-server",
                1,
                "qwen3.6-27b",
                "bf16",
                null,
                null,
                "c=1",
                "sglang",
                null,
                null,
                null,
                null,
                null,
                on);
    }

    /** Q22: 129 tok/s over a baseline taken with two server slots (55.4) is +133 %, over the right one (69.3) +86 %. */
    @Test
    void q22TheBaselineHasTheSameSlots() {
        double naive = 129.0 / 55.4 - 1;
        double right = 129.0 / 69.3 - 1;
        assertEquals(1.33, naive, 0.01);
        assertEquals(0.86, right, 0.01);
        RefusedException e = assertThrows(
                RefusedException.class, () -> Guards.comparable("two arms", slots(1), slots(2), Set.of("context")));
        assertTrue(e.getMessage().contains("server slots: 1 against 2"), e.getMessage());
    }

    private static Conditions slots(int n) {
        return new Conditions(
                "rtx-a6000", 1, "qwen3.8-27b", null, null, null, "c=1", "llama.cpp", null, n, null, null, null, null);
    }

    /** Q25: steps 4 and top-k 1 run five wide, whether a page says 3 draft tokens or 6. */
    @Test
    void q25SettingsAreClampedAsTheEngineDoes() {
        for (int written : new int[] {3, 6}) {
            Arm arm = Arm.expand(new MethodSpec(
                            "nextn",
                            "eagle3",
                            Map.of(
                                    "steps",
                                    List.<Object>of(4),
                                    "top_k",
                                    List.<Object>of(1),
                                    "draft_tokens",
                                    List.<Object>of(written)),
                            null))
                    .get(0);
            Arm runs = arm.method().normalise(arm);
            assertEquals(5, runs.method().verifyWidth(runs, "sglang"), "naive: " + written);
            assertTrue(
                    runs.notes().stream().anyMatch(n -> n.contains("draft_tokens 5")),
                    runs.notes().toString());
        }
    }

    /** Q26: 3.4x at one power limit reads 3.97x against a baseline at another; 67 and 43 tok/s differ by peer access alone. */
    @Test
    void q26RowsOfOtherRigStatesAreNotRivals() {
        double speculative = 3.4;
        double baselineAtLowerCap = 3.4 / 3.97;
        assertEquals(3.97, speculative / baselineAtLowerCap, 1e-9);
        Conditions low = rig(220, true);
        RefusedException e = assertThrows(
                RefusedException.class, () -> Guards.comparable("two rows", rig(270, true), low, Set.of()));
        assertTrue(e.getMessage().contains("power limit: 270.0 against 220.0"), e.getMessage());
        assertEquals(List.of("peer-to-peer: true against false"), rig(270, true).differences(rig(270, false)));
        assertEquals(1.56, 67.0 / 43.0, 0.01);
    }

    private static Conditions rig(double watts, boolean p2p) {
        return new Conditions(
                "rtx-3090", 2, "qwen3.6-27b", null, null, null, "c=1", "vllm", null, null, watts, p2p, null, null);
    }

    /** Q15: 10 of 300 drafted tokens accepted: valid, but under 10 % worth a warning about target and drafter. */
    @Test
    void q15NearlyNothingAcceptedIsKeptAndWarnedOf() {
        double length = 1 + 10 / 20.0; // 300 drafted in 20 rounds of 15
        assertEquals(1.5, length);
        assertEquals(
                List.of(
                        "3.3 % of the drafts are accepted: check that the drafter was trained for this target and quantisation"),
                Guards.acceptanceWarnings(length, 15));
        assertEquals(List.of(), Guards.acceptanceWarnings(3.2, 5));
    }
}
