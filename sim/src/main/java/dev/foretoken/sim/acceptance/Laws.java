package dev.foretoken.sim.acceptance;

import dev.foretoken.sim.tree.TreeOptions;

/** From a form and a design to a law. The only door: every rule of what a form gives for which design is behind it. */
public final class Laws {
    private Laws() {}

    /**
     * The law of a design, with its band where the form leaves something open.
     *
     * @throws AcceptanceRefused when the form says nothing about the design; the message is the reason
     */
    public static LawBand of(AcceptanceForm form, Design design) {
        if (form instanceof AcceptanceForm.Source source) {
            return source.law(design);
        }
        Design d = normalised(design);
        return d instanceof Design.Chain chain ? ChainLaws.of(form, chain.length()) : TreeLaws.of(form, d);
    }

    /** Positions that a design drafts, which is the most drafts that a round can accept. */
    public static int positions(Design design) {
        return SrtLaws.depth(normalised(design));
    }

    /**
     * A tree of top-k 1 is a chain; so is EAGLE with top-k 1, of {@code steps} drafts. A tree of no depth or budget is a chain
     * of no length. A cost-aware tree stays what it is.
     */
    public static Design normalised(Design design) {
        if (design instanceof Design.Tree tree && (tree.topK() == 1 || tree.budget() == 0 || tree.depth() == 0)) {
            return new Design.Chain(Math.min(tree.budget(), tree.depth()));
        }
        if (design instanceof Design.Eagle eagle) {
            if (eagle.settings().topK() == 1) {
                return new Design.Chain(eagle.settings().steps());
            }
            if (eagle.settings().draftTokens() == 1) {
                return new Design.Chain(0);
            }
        }
        return design;
    }

    /**
     * Accept length of a best-first tree at every budget from 0 to that of the design, from one expansion: for charts and for
     * searching all budgets.
     */
    public static double[] acceptLengthCurve(AcceptanceForm.Srt form, Design.Tree design) {
        return SrtLaws.acceptLengthCurve(form, design);
    }

    static String topK(int topK) {
        return topK == TreeOptions.UNLIMITED ? "no top_k" : "top_k " + topK;
    }
}
