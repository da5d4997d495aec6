package dev.foretoken.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.validation.client.Load;
import dev.foretoken.validation.client.Phase;
import dev.foretoken.validation.client.RequestRecord;
import dev.foretoken.validation.compare.Conditions;
import dev.foretoken.validation.compare.Guards;
import dev.foretoken.validation.compare.Residuals;
import dev.foretoken.validation.compare.TermResidual;
import dev.foretoken.validation.importers.ImportedRun;
import dev.foretoken.validation.importers.ResultImporters;
import dev.foretoken.validation.measure.RunMeasures;
import dev.foretoken.validation.testserver.Dialect;
import dev.foretoken.validation.testserver.EngineTruth;
import dev.foretoken.validation.testserver.FakeServer;
import dev.foretoken.validation.testserver.Harness;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Public questions and defects about measurement, each with the naive figure and the right one. Others of the same list stand
 * where their subject is tested: Q01-Q03 in RoundRecoveryTest, Q04 in StreamChunkTest, Q05-Q08 in the acceptance readers'
 * tests, Q12 in EndpointSessionTest, Q20, Q22 and Q26 in CompareTest, Q24 in PromptBookTest.
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
                    false, c, (double) c, predicted, measured, 88.0 * c, 88.0 * c, 39.6 * c, 5.0, 5.0, 100.0));
        }
        TermResidual first = Residuals.explain(cells).get(0);
        assertEquals("verify", first.term());
        assertEquals(14, first.ms(), 1e-9);
        assertTrue(first.ms() > 10, "alarm: beyond any known host time");
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

    /** Q10: figures of runs with a forced accept length are step times, not acceptance. */
    @Test
    void q10ForcedRunsAreStepTimesOnly() {
        List<String> sglang = new ArrayList<>();
        dev.foretoken.validation.server.EngineAdapters.all()
                .forEach(a -> sglang.addAll(
                        a.forcingSwitch(new dev.foretoken.validation.server.EngineAdapter.ForcedDrafts(5, 3.5, null))));
        assertTrue(sglang.stream().anyMatch(s -> s.contains("SGLANG_SIMULATE_ACC_LEN=3.5")));
        assertFalse(sglang.stream().allMatch(String::isBlank));
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
