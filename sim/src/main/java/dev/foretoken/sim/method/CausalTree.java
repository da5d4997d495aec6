package dev.foretoken.sim.method;

import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.tree.TreeOptions;
import java.util.List;

/** A tree drafted by a causal head that sees the path, so that off-spine continuations are as good as the spine (kappa 1). */
public final class CausalTree implements Method {
    @Override
    public String kind() {
        return "causal-tree";
    }

    @Override
    public String summary() {
        return "tree of a causal head: no loss off the spine";
    }

    @Override
    public List<Param> params() {
        return List.of(
                Param.requiredInt(DEPTH, 1, MAX_LENGTH, "drafted positions"),
                Param.requiredInt(BUDGET, 0, MAX_NODES, "tree nodes without the root"),
                Param.optionalInt(TOP_K, 1, MAX_NODES, null, "candidates per depth"),
                Param.optionalBool(CHAIN_SEED, false, "insert the chain of first choices first"),
                Param.optionalText(DRAFTER, "catalogue id of the head"));
    }

    @Override
    public int maxAccepted(Arm arm) {
        return Math.min(arm.budget(), arm.integer(DEPTH));
    }

    @Override
    public int verifyWidth(Arm arm, String engine) {
        return arm.budget() + 1;
    }

    @Override
    public DraftWork draftWork(Arm arm) {
        return arm.budget() == 0
                ? DraftWork.NONE
                : new DraftWork(
                        DraftWork.Kind.HEAD,
                        Math.min(arm.integer(DEPTH), arm.budget()),
                        Math.max(1, (int) Math.ceil((double) arm.budget() / arm.integer(DEPTH))),
                        arm.budget(),
                        true);
    }

    @Override
    public Design design(Arm arm) {
        int topK = arm.topK() == null ? TreeOptions.UNLIMITED : arm.topK();
        return topK == 1
                ? new Design.Chain(maxAccepted(arm))
                : new Design.Tree(arm.integer(DEPTH), topK, arm.budget(), arm.flag(CHAIN_SEED), 1.0);
    }
}
