package dev.foretoken.sim.method;

import dev.foretoken.sim.acceptance.Design;
import java.util.List;

/** Multi-token prediction (NEXTN): a chain of sequential passes of the target's own head. */
public final class Mtp implements Method {
    @Override
    public String kind() {
        return "mtp";
    }

    @Override
    public String summary() {
        return "chain of sequential passes of the model's own multi-token-prediction head";
    }

    @Override
    public List<Param> params() {
        return List.of(
                Param.requiredInt(STEPS, 0, MAX_LENGTH, "draft passes, one token each"),
                Param.optionalText(DRAFTER, "catalogue id of the head"));
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
        return k == 0 ? DraftWork.NONE : new DraftWork(DraftWork.Kind.MTP_HEAD, k, 1, 0, false);
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
