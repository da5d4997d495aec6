package dev.foretoken.sim.method;

import dev.foretoken.sim.acceptance.Design;
import java.util.List;

/**
 * DDTree shadow-linear: the engine's tree path run with the plain chain of first choices, so all of the tree's overheads and
 * none of its branches. It fills min(budget, block - 1) of its nodes.
 */
public final class DdtreeShadowLinear extends BlockTree {
    @Override
    public String kind() {
        return "ddtree-shadow-linear";
    }

    @Override
    public String summary() {
        return "the tree path with the plain chain: isolates the overhead of the tree";
    }

    @Override
    public List<Param> params() {
        return List.of(
                Param.requiredInt(BLOCK, 1, MAX_LENGTH, "positions of one block, the root included"),
                Param.requiredInt(BUDGET, 0, MAX_NODES, "tree nodes without the root"),
                Param.optionalText(DRAFTER, "catalogue id of the block drafter"));
    }

    @Override
    public Design design(Arm arm) {
        return new Design.Chain(maxAccepted(arm));
    }
}
