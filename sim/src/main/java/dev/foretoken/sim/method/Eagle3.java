package dev.foretoken.sim.method;

import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.tree.EagleTree;
import java.util.ArrayList;
import java.util.List;

/**
 * EAGLE-3 with EAGLE-2's dynamic tree: step 1 keeps top-k, later steps the top-k of k^2 products; the best draft_tokens - 1 of
 * the pool are verified. Settings are clamped as SGLang does.
 */
public final class Eagle3 implements Method {
    @Override
    public String kind() {
        return "eagle3";
    }

    @Override
    public String summary() {
        return "dynamic tree of sequential head passes";
    }

    @Override
    public List<Param> params() {
        return List.of(
                Param.requiredInt(STEPS, 1, MAX_LENGTH, "sequential draft passes"),
                Param.requiredInt(TOP_K, 1, 1024, "branches per step"),
                Param.requiredInt(DRAFT_TOKENS, 1, MAX_NODES, "verified tokens, the root included"),
                Param.optionalText(DRAFTER, "catalogue id of the head"));
    }

    private static EagleTree.Settings settings(Arm arm) {
        return new EagleTree.Settings(arm.integer(STEPS), arm.topK(), arm.integer(DRAFT_TOKENS));
    }

    @Override
    public Arm normalise(Arm arm) {
        EagleTree.Settings asked = settings(arm);
        EagleTree.Settings runs = asked.normalised();
        if (runs.equals(asked)) {
            return arm;
        }
        List<String> notes = new ArrayList<>(arm.notes());
        notes.add("the engine clamps steps " + asked.steps() + ", top_k " + asked.topK() + ", draft_tokens "
                + asked.draftTokens() + " to steps " + runs.steps() + ", top_k " + runs.topK() + ", draft_tokens "
                + runs.draftTokens());
        Arm clamped = arm.with(STEPS, runs.steps()).with(TOP_K, runs.topK()).with(DRAFT_TOKENS, runs.draftTokens());
        return new Arm(clamped.id(), clamped.method(), clamped.values(), clamped.engine(), notes);
    }

    @Override
    public int maxAccepted(Arm arm) {
        return Math.min(arm.integer(STEPS), arm.integer(DRAFT_TOKENS) - 1);
    }

    @Override
    public int verifyWidth(Arm arm, String engine) {
        return arm.integer(DRAFT_TOKENS);
    }

    @Override
    public DraftWork draftWork(Arm arm) {
        return maxAccepted(arm) == 0
                ? DraftWork.NONE
                : new DraftWork(
                        DraftWork.Kind.HEAD,
                        arm.integer(STEPS),
                        arm.topK(),
                        arm.integer(DRAFT_TOKENS) - 1,
                        arm.topK() > 1);
    }

    @Override
    public Design design(Arm arm) {
        return arm.topK() == 1 ? new Design.Chain(maxAccepted(arm)) : new Design.Eagle(settings(arm));
    }

    @Override
    public Integer draftTokens(Arm arm) {
        return arm.integer(DRAFT_TOKENS);
    }
}
