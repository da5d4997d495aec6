package dev.foretoken.sim.method;

import dev.foretoken.sim.acceptance.Design;
import java.util.List;

/** DFlash linear: one block-diffusion pass gives block - 1 positions at once; the chain of first choices is verified. */
public final class DflashLinear implements Method {
    @Override
    public String kind() {
        return "dflash-linear";
    }

    @Override
    public String summary() {
        return "one block-diffusion draft pass, the chain of first choices verified";
    }

    @Override
    public List<Param> params() {
        return List.of(
                Param.requiredInt(BLOCK, 1, MAX_LENGTH, "positions of one block, the root included"),
                Param.optionalText(DRAFTER, "catalogue id of the block drafter"));
    }

    @Override
    public String family() {
        return BLOCK;
    }

    @Override
    public int maxAccepted(Arm arm) {
        return arm.integer(BLOCK) - 1;
    }

    @Override
    public int verifyWidth(Arm arm, String engine) {
        return arm.integer(BLOCK);
    }

    @Override
    public DraftWork draftWork(Arm arm) {
        int b = arm.integer(BLOCK);
        return b == 1 ? DraftWork.NONE : new DraftWork(DraftWork.Kind.BLOCK, 1, b, 0, false);
    }

    @Override
    public Design design(Arm arm) {
        return new Design.Chain(arm.integer(BLOCK) - 1);
    }

    @Override
    public Integer draftTokens(Arm arm) {
        return arm.integer(BLOCK) - 1;
    }
}
