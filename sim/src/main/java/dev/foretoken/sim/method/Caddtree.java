package dev.foretoken.sim.method;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import java.util.ArrayList;
import java.util.List;

/**
 * Cost-aware DDTree (arXiv 2606.01813): the budget is chosen by cost for each load. Real costs have cliffs, so every budget up
 * to the largest is searched instead of stopping at the first node that does not pay.
 */
public final class Caddtree extends BlockTree {
    @Override
    public String kind() {
        return "caddtree";
    }

    @Override
    public String summary() {
        return "DDTree whose budget is chosen by cost at each load, every budget searched";
    }

    @Override
    public List<Param> params() {
        return List.of(
                Param.requiredInt(BLOCK, 1, MAX_LENGTH, "positions of one block, the root included"),
                Param.requiredInt(MAX_BUDGET, 0, 4096, "largest budget to choose"),
                Param.optionalInt(TOP_K, 1, MAX_NODES, null, "candidates per depth"),
                Param.optionalBool(CHAIN_SEED, false, "insert the chain of first choices first"),
                Param.optionalText(DRAFTER, "catalogue id of the block drafter"));
    }

    @Override
    public Arm normalise(Arm arm) {
        return arm.with(BUDGET, arm.integer(MAX_BUDGET));
    }

    @Override
    public List<Arm> alternatives(Arm arm) {
        List<Arm> arms = new ArrayList<>();
        for (int b = 0; b <= arm.integer(MAX_BUDGET); b++) {
            arms.add(arm.with(BUDGET, b));
        }
        return arms;
    }

    @Override
    public String refusal(AcceptanceForm form) {
        return form instanceof AcceptanceForm.Srt || form instanceof AcceptanceForm.Source
                ? null
                : "caddtree needs acceptance from srt, file or trace: other forms do not say what each budget gains";
    }
}
