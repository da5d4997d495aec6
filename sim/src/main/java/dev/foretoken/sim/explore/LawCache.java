package dev.foretoken.sim.explore;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.acceptance.AcceptanceRefused;
import dev.foretoken.sim.acceptance.FiringLaw;
import dev.foretoken.sim.acceptance.ForcedAcceptance;
import dev.foretoken.sim.acceptance.LawBand;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.acceptance.PmfLaw;
import dev.foretoken.sim.analytical.AnswerRounds;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.scenario.LengthDistribution;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.scenario.Workload;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;

/** Laws and rounds per answer, each computed once: they do not depend on card, TP or concurrency. Safe to share between threads. */
public final class LawCache {
    private final Map<Key, LawBand> laws = new HashMap<>();
    private final Map<AcceptanceLaw, Map<LengthDistribution, AnswerRounds>> rounds = new IdentityHashMap<>();

    private final Map<LengthDistribution, double[]> lengths = new HashMap<>();

    private record Key(String workload, String method, Map<String, Object> values) {}

    /**
     * Law of an arm on a workload; forced acceptance replaces the workload's for arms that draft.
     *
     * @throws AcceptanceRefused when the form is missing or does not determine the law
     */
    public synchronized LawBand law(Scenario scenario, Arm arm, Workload workload) {
        Key key = new Key(workload.id(), arm.id(), arm.values());
        LawBand law = laws.get(key);
        if (law == null) {
            try {
                law = compute(scenario, arm, workload);
            } catch (AcceptanceRefused e) {
                throw new AcceptanceRefused(arm.id() + " on workload " + workload.id() + ": " + e.getMessage());
            }
            laws.put(key, law);
        }
        return law;
    }

    private static LawBand compute(Scenario scenario, Arm arm, Workload workload) {
        if (!arm.speculative()) {
            return LawBand.exact(PmfLaw.ONE_TOKEN);
        }
        ForcedAcceptance forced = scenario.forcedAcceptance();
        LawBand law = forced != null
                ? LawBand.exact(forced.law(arm.method().maxAccepted(arm)))
                : Laws.of(form(arm, workload), arm.method().design(arm));
        double fireRate = arm.method().fireRate(arm);
        return fireRate == 1
                ? law
                : new LawBand(
                        new FiringLaw(law.central(), fireRate),
                        law.corners().stream()
                                .map(corner -> (AcceptanceLaw) new FiringLaw(corner, fireRate))
                                .toList(),
                        law.reason(),
                        law.notes());
    }

    private static AcceptanceForm form(Arm arm, Workload workload) {
        AcceptanceForm form = workload.acceptanceOf(arm.id(), arm.kind());
        if (form == null) {
            throw new AcceptanceRefused("the workload has no acceptance for the method or its kind, " + arm.kind());
        }
        String refusal = arm.method().refusal(form);
        if (refusal != null) {
            throw new AcceptanceRefused(refusal);
        }
        return form;
    }

    /** Rounds of one answer. */
    public synchronized AnswerRounds rounds(AcceptanceLaw law, LengthDistribution osl) {
        return rounds.computeIfAbsent(law, l -> new HashMap<>())
                .computeIfAbsent(
                        osl, o -> AnswerRounds.of(law, o.min(), lengths.computeIfAbsent(o, LengthDistribution::pmf)));
    }
}
