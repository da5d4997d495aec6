package dev.foretoken.sim.method;

import dev.foretoken.sim.acceptance.Design;

/** A chain drafted token by token: {@code steps} sequential passes, steps + 1 verified tokens. */
abstract class StepChain implements Method {
    /** What makes the passes. */
    abstract DraftWork.Kind passes();

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
        return k == 0 ? DraftWork.NONE : new DraftWork(passes(), k, 1, 0, false);
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
