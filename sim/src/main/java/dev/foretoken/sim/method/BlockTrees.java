package dev.foretoken.sim.method;

import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.tree.TreeOptions;

/** What the trees of block drafters share: the static verify shape and the single draft pass. */
final class BlockTrees {
    private BlockTrees() {}

    /** Verify width: 1 at budget 0; max(block, B + 1) in SGLang's static shape, B + 1 elsewhere. */
    static int width(Arm arm, String engine) {
        int b = arm.budget();
        if (b == 0) {
            return 1;
        }
        return "sglang".equals(engine) ? Math.max(arm.integer(Method.BLOCK), b + 1) : b + 1;
    }

    /** One pass of the block drafter; none at budget 0. */
    static DraftWork draft(Arm arm) {
        int block = arm.integer(Method.BLOCK);
        return arm.budget() == 0 || block == 1
                ? DraftWork.NONE
                : new DraftWork(DraftWork.Kind.BLOCK, 1, block, arm.budget(), true);
    }

    /** Best-first tree over block - 1 positions; the chain at top-k 1. */
    static Design design(Arm arm) {
        int depth = arm.integer(Method.BLOCK) - 1;
        int topK = arm.topK() == null ? TreeOptions.UNLIMITED : arm.topK();
        return topK == 1
                ? new Design.Chain(Math.min(arm.budget(), depth))
                : new Design.Tree(depth, topK, arm.budget(), arm.flag(Method.CHAIN_SEED));
    }
}
