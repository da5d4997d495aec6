package dev.foretoken.sim.method;

import java.util.List;

/** A small model that drafts a chain token by token, at its own TP size and dtype. */
public final class DraftModel extends StepChain {
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
    DraftWork.Kind passes() {
        return DraftWork.Kind.MODEL;
    }
}
