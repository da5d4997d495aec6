package dev.foretoken.sim.acceptance;

import java.util.Arrays;

/** Laws of chains: mtp, linear blocks, draft models, n-grams when they fire, and trees of top-k 1. */
final class ChainLaws {
    private ChainLaws() {}

    static LawBand of(AcceptanceForm form, int length) {
        if (length == 0) {
            return LawBand.exact(PmfLaw.ONE_TOKEN);
        }
        if (form instanceof AcceptanceForm.AcceptLength f) {
            return acceptLength(f, length);
        }
        if (form instanceof AcceptanceForm.PerPosition f) {
            return LawBand.exact(PmfLaw.ofSurvival(spine(f, length)));
        }
        if (form instanceof AcceptanceForm.Histogram f) {
            return histogram(f, length);
        }
        if (form instanceof AcceptanceForm.Srt f) {
            return SrtLaws.of(f, new Design.Tree(length, 1, length, false));
        }
        throw new AcceptanceRefused("accept_length_by_budget says nothing about a chain of " + length
                + " drafts (top_k 1): give accept_length, per_position or srt");
    }

    private static LawBand acceptLength(AcceptanceForm.AcceptLength f, int length) {
        if (f.tokens() > length + 1.0) {
            throw new AcceptanceRefused("accept_length " + f.tokens() + " is outside [1, " + (length + 1L)
                    + "], what a chain of " + length + " drafts can commit");
        }
        return LawBand.exact(
                PmfLaw.iid(TruncatedGeometric.alphaFor(f.tokens(), length), length),
                "only the mean accept length is given: the same acceptance at every position is assumed");
    }

    /** Survival of the first {@code length} positions, refused when the form is shorter and may not be extended. */
    static double[] spine(AcceptanceForm.PerPosition f, int length) {
        double[] given = f.toArray();
        if (length <= given.length) {
            return Arrays.copyOf(given, length);
        }
        if (!f.extendGeometric()) {
            throw new AcceptanceRefused("per_position has " + given.length + " positions, the design drafts " + length
                    + ": give more positions or set extend: geometric");
        }
        double[] survival = Arrays.copyOf(given, length);
        double[] conditional = Survival.toConditional(given);
        double rate = conditional[given.length - 1];
        for (int i = given.length; i < length; i++) {
            survival[i] = survival[i - 1] * rate;
        }
        return survival;
    }

    private static LawBand histogram(AcceptanceForm.Histogram f, int length) {
        double[] counts = f.toArray();
        int counted;
        if (f.design() instanceof AcceptanceForm.CountedAt.Chain chain) {
            counted = chain.length();
        } else {
            AcceptanceForm.CountedAt.Tree tree = (AcceptanceForm.CountedAt.Tree) f.design();
            if (tree.topK() != 1) {
                throw new AcceptanceRefused("the histogram was counted with a tree (budget " + tree.budget() + ", "
                        + Laws.topK(tree.topK()) + "); a chain of " + length
                        + " drafts needs a fit: run calibrate acceptance");
            }
            counted = Math.min(tree.budget(), Math.max(1, counts.length - 1));
        }
        if (length > counted) {
            throw new AcceptanceRefused("the histogram was counted with " + counted + " drafts, the design drafts "
                    + length + ": longer chains need a fit, run calibrate acceptance");
        }
        double[] pmf = Arrays.copyOf(Survival.pmfFromCounts(counts), Math.max(counts.length, length + 1));
        double[] prefix = Arrays.copyOf(pmf, length + 1);
        for (int j = length + 1; j < pmf.length; j++) {
            prefix[length] += pmf[j];
        }
        return LawBand.exact(PmfLaw.of(prefix));
    }
}
