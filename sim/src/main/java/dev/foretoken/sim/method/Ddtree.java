package dev.foretoken.sim.method;

import java.util.List;

/** DDTree: a best-first draft tree over a block drafter's marginals (Ringel and Romano, arXiv 2604.12989). */
public final class Ddtree extends BlockTree {
    @Override
    public String kind() {
        return "ddtree";
    }

    @Override
    public String summary() {
        return "best-first draft tree over the marginals of one block-diffusion pass";
    }

    @Override
    public List<Param> params() {
        return List.of(
                Param.requiredInt(BLOCK, 1, MAX_LENGTH, "positions of one block, the root included"),
                Param.requiredInt(BUDGET, 0, MAX_NODES, "tree nodes without the root"),
                Param.optionalInt(TOP_K, 1, MAX_NODES, null, "candidates per depth"),
                Param.optionalBool(CHAIN_SEED, false, "insert the chain of first choices first"),
                Param.optionalText(DRAFTER, "catalogue id of the block drafter"));
    }
}
