package dev.foretoken.sim.method;

import dev.foretoken.sim.acceptance.Design;
import java.util.List;

/** A small model that drafts a chain token by token, at its own TP size and dtype. */
public final class DraftModel implements Method {
    @Override
    public String kind() {
        return "draft-model";
    }

    @Override
    public String summary() {
        return "chain of sequential passes of a small model";
    }

    @Override
    public List<Param> params() {
        return List.of(
                Param.requiredInt(STEPS, 0, MAX_LENGTH, "draft passes, one token each"),
                Param.optionalText(DRAFTER, "catalogue id of the small model"),
                Param.optionalInt(DRAFT_TP, 1, 1024, null, "cards of the small model; the target's when absent"),
                Param.optionalText(DRAFT_WEIGHTS, "dtype of the small model's weights"));
    }

    @Override
    public int maxAccepted(Arm arm) {
        return arm.integer(STEPS);
    }

    @Override
    public int verifyWidth(Arm arm, String engine) {
        return arm.integer(STEPS) + 1;
    }

    @Override
    public DraftWork draftWork(Arm arm) {
        int k = arm.integer(STEPS);
        return k == 0 ? DraftWork.NONE : new DraftWork(DraftWork.Kind.MODEL, k, 1, 0, false);
    }

    @Override
    public Design design(Arm arm) {
        return new Design.Chain(arm.integer(STEPS));
    }

    @Override
    public Integer draftTokens(Arm arm) {
        return arm.integer(STEPS);
    }
}
