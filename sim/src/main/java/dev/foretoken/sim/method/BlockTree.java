package dev.foretoken.sim.method;

import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.tree.TreeOptions;

/** A tree over the positions of one pass of a block drafter: budget nodes, at most block - 1 deep. */
abstract class BlockTree implements Method {

    @Override
    public String family() {
        return BLOCK;
    }

    @Override
    public int maxAccepted(Arm arm) {
        return Math.min(arm.budget(), arm.integer(BLOCK) - 1);
    }

    /** 1 at budget 0; max(block, B + 1) in SGLang's static shape, B + 1 elsewhere. */
    @Override
    public int verifyWidth(Arm arm, String engine) {
        int b = arm.budget();
        if (b == 0) {
            return 1;
        }
        return "sglang".equals(engine) ? Math.max(arm.integer(BLOCK), b + 1) : b + 1;
    }

    /** One pass of the block drafter; none at budget 0. */
    @Override
    public DraftWork draftWork(Arm arm) {
        int block = arm.integer(BLOCK);
        return arm.budget() == 0 || block == 1
                ? DraftWork.NONE
                : new DraftWork(DraftWork.Kind.BLOCK, 1, block, arm.budget(), true);
    }

    /** Best-first tree; the chain at top-k 1. */
    @Override
    public Design design(Arm arm) {
        int topK = arm.topK() == null ? TreeOptions.UNLIMITED : arm.topK();
        return topK == 1
                ? new Design.Chain(maxAccepted(arm))
                : new Design.Tree(arm.integer(BLOCK) - 1, topK, arm.budget(), arm.flag(CHAIN_SEED));
    }
}
