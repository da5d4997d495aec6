package dev.foretoken.sim.method;

import dev.foretoken.sim.acceptance.Design;
import java.util.List;

/** One token per round: no draft. */
public final class Autoregressive implements Method {
    @Override
    public String kind() {
        return "autoregressive";
    }

    @Override
    public String summary() {
        return "no draft, one token per round";
    }

    @Override
    public List<Param> params() {
        return List.of();
    }

    @Override
    public int maxAccepted(Arm arm) {
        return 0;
    }

    @Override
    public int verifyWidth(Arm arm, String engine) {
        return 1;
    }

    @Override
    public DraftWork draftWork(Arm arm) {
        return DraftWork.NONE;
    }

    @Override
    public Design design(Arm arm) {
        return new Design.Chain(0);
    }
}
