package dev.foretoken.validation.validate;

import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.scenario.MethodSpec;
import dev.foretoken.sim.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Which arm of a scenario a server runs. A server runs one; the user names it where the scenario has several.
 *
 * @param method method id, null = the only one
 * @param budget tree nodes, null = the only ones
 * @param topK ranks per depth, null = the only ones
 * @param tp cards of the replica, null = the only ones
 */
public record ArmChoice(String method, Integer budget, Integer topK, Integer tp) {
    public static final ArmChoice ONLY = new ArmChoice(null, null, null, null);

    /**
     * The arm.
     *
     * @throws IllegalArgumentException naming the candidates when there is not exactly one
     */
    public Arm arm(Scenario scenario) {
        List<Arm> arms = new ArrayList<>();
        for (MethodSpec m : scenario.methods()) {
            if (method == null || m.id().equals(method)) {
                for (Arm a : Arm.expand(m)) {
                    if ((budget == null || Objects.equals(a.budget(), budget))
                            && (topK == null || Objects.equals(a.topK(), topK))) {
                        arms.add(a);
                    }
                }
            }
        }
        if (arms.size() == 1) {
            return arms.get(0);
        }
        List<String> candidates = new ArrayList<>();
        (arms.isEmpty()
                        ? scenario.methods().stream()
                                .flatMap(m -> Arm.expand(m).stream())
                                .toList()
                        : arms)
                .forEach(a -> candidates.add(a.id()
                        + (a.budget() == null ? "" : " --budget " + a.budget())
                        + (a.topK() == null ? "" : " --top-k " + a.topK())));
        throw new IllegalArgumentException((arms.isEmpty()
                        ? "no method of the scenario is that"
                        : "a server runs one method, the scenario has several")
                + ": say which one it runs with --method, one of " + String.join(", ", candidates));
    }

    /** Cards of the replica. */
    public int tpOf(Scenario scenario) {
        if (tp != null) {
            if (!scenario.tpSizes().contains(tp)) {
                throw new IllegalArgumentException("tp " + tp + " is not in the scenario: " + scenario.tpSizes());
            }
            return tp;
        }
        if (scenario.tpSizes().size() != 1) {
            throw new IllegalArgumentException("the scenario has several TP sizes " + scenario.tpSizes()
                    + ": say which one the server runs with --tp");
        }
        return scenario.tpSizes().get(0);
    }
}
