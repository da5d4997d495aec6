package dev.foretoken.validation.validate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.scenario.Hardware;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.validation.compare.Guards;
import dev.foretoken.validation.compare.TermResidual;
import dev.foretoken.validation.importers.ImportedRun;
import dev.foretoken.validation.importers.ResultImporters;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Result files against a scenario: what is missing is asked for, what differs is refused by name. */
class ResultsValidationTest {
    private static final ResultsValidation.Said MTP =
            new ResultsValidation.Said(new ArmChoice("mtp", null, null, null), null, null, null, null, null, false);

    static List<ImportedRun> vllm(int isl, int osl, Integer concurrency, double tokS, boolean spec) throws IOException {
        return vllm(isl, osl, concurrency, tokS, spec, 20.0);
    }

    private static List<ImportedRun> vllm(
            int isl, int osl, Integer concurrency, double tokS, boolean spec, double itlMs) throws IOException {
        String s =
                "{\"model_id\":\"Qwen/Qwen3-8B\",\"backend\":\"vllm\",\"completed\":10,\"failed\":0,\"request_rate\":\"inf\","
                        + "\"output_throughput\":" + tokS
                        + ",\"mean_tpot_ms\":9.0,\"mean_ttft_ms\":30.0,\"mean_itl_ms\":" + itlMs + ","
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
        assertEquals(
                1,
                Stream.concat(r.warnings().stream(), r.rows().get(0).notes().stream())
                        .filter(n -> n.contains("baseline"))
                        .count(),
                "said once");
        assertTrue(r.verdict().contains("tolerance"), r.verdict());
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

    private static ResultsValidation.RunOfArm file(String json, String name, ArmChoice arm) throws IOException {
        return new ResultsValidation.RunOfArm(ResultImporters.read(name, json).get(0), name, arm);
    }

    private static String sglang(String algorithm, double tokS, String more) {
        return "{\"backend\":\"sglang\",\"completed\":10,\"output_throughput\":" + tokS
                + ",\"mean_tpot_ms\":9.0,\"max_concurrency\":3,\"total_input_tokens\":400,\"total_output_tokens\":640,"
                + more
                + "\"server_info\":{\"speculative_algorithm\":" + algorithm + "}}";
    }

    private static final Set<String> ENGINE = Set.of("engine");

    /** A baseline and a speculative file at once: each says itself whether it speculated. */
    @Test
    void filesOfSeveralMethodsAreToldApartByWhatTheySay() throws IOException {
        Scenario s = LiveValidationTest.scenario("");
        List<ResultsValidation.RunOfArm> files = List.of(
                file(sglang("null", 200, ""), "ar.jsonl", null),
                file(sglang("\"NEXTN\"", 380, "\"accept_length\":2.4,"), "spec.jsonl", null));
        for (ResultsValidation.Said said : List.of(ResultsValidation.Said.NOTHING, MTP)) {
            List<Measurement> m = ResultsValidation.ofArms(s, "h", files, said, ENGINE);
            assertEquals(
                    List.of("ar", "mtp"), m.stream().map(x -> x.cell().method()).toList());
            assertEquals(1, report(s, m).speedups().size());
        }
        List<Measurement> m = ResultsValidation.ofArms(s, "h", files, ResultsValidation.Said.NOTHING, ENGINE);
        assertTrue(m.get(0).notes().contains("ar.jsonl run 1 is taken as ar: it says that speculation is off"));
    }

    /** A file without a word on speculation beside files that count drafts is not taken for one of them. */
    @Test
    void aSilentFileBesideSpeculativeOnesIsAskedFor() throws IOException {
        Scenario s = LiveValidationTest.scenario("");
        List<ImportedRun> runs = List.of(
                vllm(40, 64, 3, 380, true).get(0), vllm(40, 64, 3, 200, false).get(0));
        List<ResultsValidation.RunOfArm> unsaid = List.of(
                new ResultsValidation.RunOfArm(runs.get(0), "spec.json", null),
                new ResultsValidation.RunOfArm(runs.get(1), "ar.json", null));
        var e = assertThrows(
                ResultsValidation.AskException.class, () -> ResultsValidation.ofArms(s, "h", unsaid, MTP, Set.of()));
        assertTrue(e.getMessage().contains("--method ar.json="), e.getMessage());
        List<Measurement> m = ResultsValidation.ofArms(
                s,
                "h",
                List.of(
                        unsaid.get(0),
                        new ResultsValidation.RunOfArm(runs.get(1), "ar.json", new ArmChoice("ar", null, null, null))),
                MTP,
                Set.of());
        assertEquals(
                List.of("mtp", "ar"), m.stream().map(x -> x.cell().method()).toList());
    }

    @Test
    void everythingThatIsMissingIsAskedForAtOnce() throws IOException {
        Scenario one = LiveValidationTest.scenario("""
                hardware: {gpu: h100, count: 2, tp: [1]}
                target: {model: qwen3-8b, weights: bf16}
                """);
        Hardware h = one.hardware();
        Scenario s = new Scenario(
                one.name(),
                one.seed(),
                new Hardware(
                        h.gpu(),
                        h.count(),
                        List.of(1, 2),
                        h.link(),
                        h.p2p(),
                        h.customAllReduce(),
                        h.powerLimitW(),
                        h.pricePerGpuHour()),
                one.target(),
                one.engine(),
                one.methods(),
                one.workloads(),
                one.loads(),
                one.budgetByConcurrency(),
                one.forcedAcceptance(),
                null,
                one.tolerance(),
                one.simulate(),
                one.calibration(),
                one.variant());
        var e = assertThrows(
                ResultsValidation.AskException.class,
                () -> ResultsValidation.measurements(
                        s, "h", vllm(40, 64, null, 100, false), ResultsValidation.Said.NOTHING, Set.of()));
        for (String option : List.of("--method ar, --method mtp", "--tp 1|2", "--concurrency", "--gpu", "--weights")) {
            assertTrue(e.getMessage().contains(option), option + " in " + e.getMessage());
        }
    }

    /** One prompt is warned of in files too. */
    @Test
    void onePromptIsWarnedOf() throws IOException {
        Scenario s = LiveValidationTest.scenario("");
        String many =
                "{\"model_id\":\"m\",\"backend\":\"vllm\",\"num_prompts\":8,\"completed\":8,\"output_throughput\":300,"
                        + "\"mean_tpot_ms\":9.0,\"max_concurrency\":1,\"total_input_tokens\":320,\"total_output_tokens\":512}";
        String one = many.replace(":8,", ":1,").replace("320", "40").replace("512", "64");
        String oneAnswer = one.replace("\"num_prompts\":1,", "");
        for (String text : List.of(many, one, oneAnswer)) {
            List<Measurement> m =
                    ResultsValidation.measurements(s, "h", ResultImporters.read("r.json", text), MTP, Set.of());
            assertEquals(
                    !text.equals(many), m.get(0).notes().stream().anyMatch(n -> n.startsWith("one prompt only")), text);
        }
    }

    private static ValidationReport report(Scenario s, List<Measurement> m) {
        return new Validation(
                        new ScenarioPredictor(
                                s, new BlackBoxTimes(s.calibration(), List.of(1), BlackBoxTimes.MemoryLimit.NONE)),
                        "h")
                .report(m);
    }

    /** Gaps of a file are rounds where time per token and accept length agree with them: 9 ms x 2.4 is 21.6 ms. */
    @Test
    void gapsThatAreRoundsTellTheTermsApart() throws IOException {
        Scenario s = LiveValidationTest.scenario("");
        List<Measurement> m = ResultsValidation.measurements(s, "h", vllm(40, 64, 1, 60, true, 21.6), MTP, Set.of());
        ValidationReport r = report(s, m);
        ValidationReport.FigureRow gap = r.rows().get(0).figures().get("round_gap_ms");
        TermResidual round = r.residuals().stream()
                .filter(t -> t.term().equals("draft_and_host"))
                .findFirst()
                .orElseThrow();
        assertEquals(gap.measured() - gap.predicted(), round.ms(), 1e-9);
        assertTrue(
                r.residuals().stream().noneMatch(t -> t.evidence().contains("no round times")),
                r.residuals().toString());
    }

    /** A file has no round times: what is left of a throughput error is said not to be told apart, never called prefill. */
    @Test
    void anErrorWithoutRoundTimesIsNotToldApart() throws IOException {
        Scenario s = LiveValidationTest.scenario("");
        for (int clients : new int[] {1, 4}) {
            List<Measurement> m =
                    ResultsValidation.measurements(s, "h", vllm(40, 64, clients, 60, true, 9), MTP, Set.of());
            ValidationReport r = report(s, m);
            TermResidual first = r.residuals().get(0);
            assertEquals("not_told_apart", first.term(), r.residuals().toString());
            assertTrue(first.evidence().contains("no round times in the file"), first.evidence());
            double whole = Math.abs(
                    Math.log(60 / r.rows().get(0).withMeasuredAcceptance().get("output_tok_s")));
            double prefill = r.residuals().stream()
                    .filter(t -> t.term().equals("prefill"))
                    .mapToDouble(TermResidual::share)
                    .sum();
            assertEquals(whole, first.share() + prefill, 0.02, r.residuals().toString());
        }
    }
}
