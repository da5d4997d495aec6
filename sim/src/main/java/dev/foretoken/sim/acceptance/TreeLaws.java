package dev.foretoken.sim.acceptance;

import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;

/** Laws of trees with branches: best-first, EAGLE, causal and cost-aware. */
final class TreeLaws {
    private TreeLaws() {}

    static LawBand of(AcceptanceForm form, Design design) {
        if (form instanceof AcceptanceForm.Srt f) {
            return SrtLaws.of(f, design);
        }
        if (design instanceof Design.CostAware) {
            throw new AcceptanceRefused(
                    "a cost-aware tree chooses its budget from each round's own probabilities: give srt, file or trace");
        }
        if (form instanceof AcceptanceForm.PerPosition f) {
            return SrtLaws.around(ChainLaws.spine(f, SrtLaws.depth(design)), design);
        }
        if (form instanceof AcceptanceForm.Histogram f) {
            return histogram(f, design);
        }
        if (form instanceof AcceptanceForm.AcceptLengthByBudget f) {
            return byBudget(f, budget(design), SrtLaws.depth(design));
        }
        throw new AcceptanceRefused("accept_length says nothing about how a tree of budget " + budget(design)
                + " does: give accept_length_by_budget, per_position or srt");
    }

    /** Nodes without the root. */
    private static int budget(Design design) {
        return design instanceof Design.Tree tree
                ? tree.budget()
                : ((Design.Eagle) design).settings().draftTokens() - 1;
    }

    private static int topK(Design design) {
        return design instanceof Design.Tree tree
                ? tree.topK()
                : ((Design.Eagle) design).settings().topK();
    }

    private static LawBand histogram(AcceptanceForm.Histogram f, Design design) {
        String asked = "budget " + budget(design) + ", " + Laws.topK(topK(design));
        if (!(f.design() instanceof AcceptanceForm.CountedAt.Tree counted)) {
            throw new AcceptanceRefused("the histogram was counted with a chain; a tree of " + asked
                    + " needs a fit: run calibrate acceptance");
        }
        if (counted.budget() != budget(design) || counted.topK() != topK(design)) {
            throw new AcceptanceRefused("the histogram was counted at budget " + counted.budget() + ", "
                    + Laws.topK(counted.topK()) + "; " + asked + " needs a fit: run calibrate acceptance");
        }
        double[] counts = f.toArray();
        int most = SrtLaws.depth(design) + 1;
        for (int j = most; j < counts.length; j++) {
            if (counts[j] > 0) {
                throw new AcceptanceRefused(
                        "the histogram has rounds of " + (j + 1) + " tokens, the design commits at most " + most);
            }
        }
        double[] within = Arrays.copyOf(counts, most);
        return LawBand.exact(PmfLaw.ofCounts(within));
    }

    private static LawBand byBudget(AcceptanceForm.AcceptLengthByBudget f, int budget, int depth) {
        NavigableMap<Integer, Double> given = f.tokens();
        double before = 1;
        for (Map.Entry<Integer, Double> e : given.entrySet()) {
            if (e.getValue() < before) {
                throw new AcceptanceRefused(
                        "accept_length_by_budget falls to " + e.getValue() + " at budget " + e.getKey() + " after "
                                + before + ": these are separate measurements, not one curve to read between");
            }
            before = e.getValue();
        }
        Map.Entry<Integer, Double> below = given.floorEntry(budget);
        Map.Entry<Integer, Double> above = given.ceilingEntry(budget);
        if (below == null || above == null) {
            throw new AcceptanceRefused("budget " + budget + " is outside the budgets of accept_length_by_budget, "
                    + given.firstKey() + " to " + given.lastKey());
        }
        double tokens = below.getValue();
        if (!below.getKey().equals(above.getKey())) {
            tokens += (above.getValue() - below.getValue())
                    * (budget - below.getKey())
                    / (above.getKey() - below.getKey());
        }
        int length = Math.min(budget, depth);
        if (tokens > length + 1.0) {
            throw new AcceptanceRefused("accept_length_by_budget gives " + tokens + " tokens at budget " + budget
                    + ", more than the " + (length + 1) + " that " + length + " drafted positions can commit");
        }
        return LawBand.exact(
                PmfLaw.iid(TruncatedGeometric.alphaFor(tokens, length), length),
                "the shape around the mean of accept_length_by_budget is assumed: truncated geometric over " + length
                        + " positions");
    }
}
