package dev.foretoken.validation.validate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.scenario.Scenario;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The arm that a server runs is named by method and parameters; who names too little or wrongly is told what there is. */
class ArmChoiceTest {
    @TempDir
    Path dir;

    private static Scenario scenario() {
        return LiveValidationTest.scenario(
                "",
                """
                  - {id: ar, kind: autoregressive}
                  - {id: mtp, kind: mtp, steps: [1, 2, 3]}
                  - {id: dflash, kind: dflash-linear, block: [8, 16]}
                  - {id: tree, kind: ddtree, block: 16, budget: [8, 16], top_k: 4}
                """,
                "{mtp: {per_position: [0.7, 0.45, 0.25]}, dflash: {accept_length: 3}, tree: {accept_length_by_budget: {8: 3, 16: 3.5}}}");
    }

    private static Arm arm(String method, String... with) {
        return new ArmChoice(method, null, null, null, ArmChoice.parameters(List.of(with))).arm(scenario());
    }

    private static String refusal(String method, String... with) {
        return assertThrows(IllegalArgumentException.class, () -> arm(method, with))
                .getMessage();
    }

    @Test
    void parametersNameTheArm() {
        assertEquals(2, arm("mtp", "steps=2").integer("steps"));
        assertEquals(16, arm("dflash", "block=16").integer("block"));
        assertEquals(16, arm("tree", "budget=16", "top_k=4").budget());
        assertEquals(16, new ArmChoice("tree", 16, null, null).arm(scenario()).budget());
        assertEquals("mtp", arm(null, "steps=3").id(), "the only method that has it");
    }

    @Test
    void theMessageNamesDistinctArmsAndTheOption() {
        assertTrue(
                refusal(null)
                        .endsWith(
                                "with one of --method ar, --method mtp --with steps=1|2|3, --method dflash --with block=8|16,"
                                        + " --method tree --with budget=8|16"),
                refusal(null));
        assertTrue(refusal("mtp").endsWith("with --method mtp --with steps=1|2|3"), refusal("mtp"));
        assertTrue(refusal("mtp", "step=2").contains("did you mean steps?"), refusal("mtp", "step=2"));
        assertTrue(refusal("mtp", "steps=7").contains("no steps 7; its values are 1, 2, 3"), refusal("mtp", "steps=7"));
        assertTrue(refusal("mpt").contains("did you mean mtp?"), refusal("mpt"));
        assertTrue(refusal("mtp", "steps").contains("KEY=VALUE"), refusal("mtp", "steps"));
        assertTrue(refusal("mtp", "steps=1", "steps=2").contains("two values"), refusal("mtp", "steps=1", "steps=2"));
    }

    @Test
    void parametersOfOtherMethodsAreDroppedForOneFile() {
        ArmChoice all = new ArmChoice("mtp", 8, null, null, Map.of("steps", "2"));
        assertEquals("ar", all.of("ar", scenario()).arm(scenario()).id());
        assertEquals(8, all.of("tree", scenario()).arm(scenario()).budget());
    }

    /** Two lengths of one method are two cells, in files too, and each is predicted as what it is. */
    @Test
    void lengthsOfOneMethodAreMeasurementsOfTheirOwn() throws Exception {
        Scenario s = scenario();
        MeasurementFile file = new MeasurementFile(dir);
        for (String steps : List.of("1", "3")) {
            ResultsValidation.Said said = new ResultsValidation.Said(
                    new ArmChoice("mtp", null, null, null, Map.of("steps", steps)),
                    null,
                    null,
                    null,
                    null,
                    null,
                    false);
            for (Measurement m : ResultsValidation.measurements(
                    s, "h", ResultsValidationTest.vllm(40, 64, 1, 100, false), said, java.util.Set.of())) {
                file.append(m);
            }
        }
        List<Measurement> read = file.read("h");
        assertEquals(
                List.of("mtp steps=1", "mtp steps=3"),
                read.stream().map(m -> m.cell().arm()).toList());
        ValidationReport r = new Validation(
                        new ScenarioPredictor(
                                s, new BlackBoxTimes(s.calibration(), List.of(1), BlackBoxTimes.MemoryLimit.NONE)),
                        "h")
                .report(read);
        assertEquals(2, r.rows().size());
        assertTrue(
                r.rows().get(1).figures().get("output_tok_s").predicted()
                        > 1.1 * r.rows().get(0).figures().get("output_tok_s").predicted(),
                r.rows().toString());
        assertEquals("mtp steps=3", r.rankings().get(0).predictedBest());
    }
}
