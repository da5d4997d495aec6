package dev.foretoken.validation.validate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.validation.compare.Guards;
import dev.foretoken.validation.importers.ImportedRun;
import dev.foretoken.validation.importers.ResultImporters;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Result files against a scenario: what is missing is asked for, what differs is refused by name. */
class ResultsValidationTest {
    private static final ResultsValidation.Said MTP =
            new ResultsValidation.Said(new ArmChoice("mtp", null, null, null), null, null, null, null, null, false);

    private static List<ImportedRun> vllm(int isl, int osl, Integer concurrency, double tokS, boolean spec)
            throws IOException {
        String s =
                "{\"model_id\":\"Qwen/Qwen3-8B\",\"backend\":\"vllm\",\"completed\":10,\"failed\":0,\"request_rate\":\"inf\","
                        + "\"output_throughput\":" + tokS
                        + ",\"mean_tpot_ms\":9.0,\"mean_ttft_ms\":30.0,\"mean_itl_ms\":20.0,"
                        + (concurrency == null ? "" : "\"max_concurrency\":" + concurrency + ",")
                        + (spec
                                ? "\"spec_decode_num_drafts\":100,\"spec_decode_accepted_tokens\":140,"
                                        + "\"spec_decode_per_position_acceptance_rates\":[0.7,0.45,0.25],"
                                : "")
                        + "\"total_input_tokens\":" + 10 * isl + ",\"total_output_tokens\":" + 10 * osl + "}";
        return ResultImporters.read("r.json", s);
    }

    @Test
    void aFileBecomesMeasurementsAndAReport() throws IOException {
        Scenario s = LiveValidationTest.scenario("");
        List<Measurement> m = ResultsValidation.measurements(s, "h", vllm(40, 64, 3, 380, true), MTP, Set.of());
        assertEquals("c=3", m.get(0).cell().load());
        assertEquals(2.4, m.get(0).acceptance().acceptLength(), 1e-9);
        ValidationReport r = new Validation(
                        new ScenarioPredictor(
                                s, new BlackBoxTimes(s.calibration(), List.of(1), BlackBoxTimes.MemoryLimit.NONE)),
                        "h")
                .report(m);
        assertEquals(380, r.rows().get(0).figures().get("output_tok_s").measured());
        assertTrue(r.stages().containsKey("B"));
        assertTrue(r.rows().get(0).notes().stream().anyMatch(n -> n.contains("baseline")));
    }

    @Test
    void whatIsMissingIsAskedFor() throws IOException {
        Scenario s = LiveValidationTest.scenario("");
        var e = assertThrows(
                ResultsValidation.AskException.class,
                () -> ResultsValidation.measurements(s, "h", vllm(40, 64, null, 100, true), MTP, Set.of()));
        assertTrue(e.getMessage().contains("--concurrency"), e.getMessage());
    }

    @Test
    void whatDiffersIsRefusedByNameUnlessAllowed() throws IOException {
        Scenario s = LiveValidationTest.scenario("");
        var e = assertThrows(
                Guards.RefusedException.class,
                () -> ResultsValidation.measurements(s, "h", vllm(4000, 64, 3, 100, true), MTP, Set.of()));
        assertTrue(e.getMessage().contains("context: 4000 against 40 tokens"), e.getMessage());
        List<Measurement> m =
                ResultsValidation.measurements(s, "h", vllm(4000, 64, 3, 100, true), MTP, Set.of("context"));
        assertTrue(m.get(0).notes().stream().anyMatch(n -> n.startsWith("compared although different: context")));
    }

    @Test
    void aSpeculativeRunIsNoBaseline() throws IOException {
        Scenario s = LiveValidationTest.scenario("");
        ResultsValidation.Said ar =
                new ResultsValidation.Said(new ArmChoice("ar", null, null, null), null, null, null, null, null, false);
        var e = assertThrows(
                IllegalArgumentException.class,
                () -> ResultsValidation.measurements(s, "h", vllm(40, 64, 3, 100, true), ar, Set.of()));
        assertTrue(e.getMessage().contains("no autoregressive baseline"), e.getMessage());
    }
}
