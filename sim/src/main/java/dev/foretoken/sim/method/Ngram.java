package dev.foretoken.sim.method;

import dev.foretoken.sim.acceptance.Design;
import java.util.List;

/** Prompt lookup: drafts copied from earlier text; fires only on matches. Its acceptance figures are conditional on firing. */
public final class Ngram implements Method {
    @Override
    public String kind() {
        return "ngram";
    }

    @Override
    public String summary() {
        return "drafts looked up in earlier text; fires only on matches";
    }

    @Override
    public List<Param> params() {
        return List.of(
                Param.requiredInt(DRAFT_TOKENS, 1, MAX_LENGTH, "drafted tokens when it fires"),
                Param.requiredReal(FIRE_RATE, 0, 1, "chance per request and round that it fires"));
    }

    @Override
    public int maxAccepted(Arm arm) {
        return arm.real(FIRE_RATE) == 0 ? 0 : arm.integer(DRAFT_TOKENS);
    }

    @Override
    public int verifyWidth(Arm arm, String engine) {
        return arm.integer(DRAFT_TOKENS) + 1;
    }

    @Override
    public double fireRate(Arm arm) {
        return arm.real(FIRE_RATE);
    }

    @Override
    public DraftWork draftWork(Arm arm) {
        return new DraftWork(DraftWork.Kind.LOOKUP, 1, 0, 0, false);
    }

    @Override
    public Design design(Arm arm) {
        return new Design.Chain(arm.integer(DRAFT_TOKENS));
    }

    @Override
    public Integer draftTokens(Arm arm) {
        return arm.integer(DRAFT_TOKENS);
    }
}
