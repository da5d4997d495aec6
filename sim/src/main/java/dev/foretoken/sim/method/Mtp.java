package dev.foretoken.sim.method;

import java.util.List;

/** Multi-token prediction (NEXTN): a chain of sequential passes of the target's own head. */
public final class Mtp extends StepChain {
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
    DraftWork.Kind passes() {
        return DraftWork.Kind.MTP_HEAD;
    }
}
