package dev.foretoken.sim.acceptance;

import dev.foretoken.sim.tree.BestFirst;
import dev.foretoken.sim.tree.DraftTree;
import dev.foretoken.sim.tree.EagleTree;
import dev.foretoken.sim.tree.RankScores;
import dev.foretoken.sim.tree.TreeOptions;
import java.util.List;

/**
 * The tree that a design builds in a round of median difficulty, for drawing: real rounds differ, and the law averages over
 * them.
 *
 * @param tree nodes in the order in which they are inserted
 * @param reach probability that the target accepts the path down to each node
 */
public record TypicalTree(DraftTree tree, double[] reach) {

    /**
     * The tree under the central parameters of the spine, rank, tail family at z = 0.
     *
     * @throws IllegalArgumentException for a cost-aware design: its budget belongs to a load, so ask for a tree of that budget
     */
    public static TypicalTree of(AcceptanceForm.Srt form, Design design) {
        if (design instanceof Design.CostAware) {
            throw new IllegalArgumentException("a cost-aware tree has a budget per load: ask for a tree of one budget");
        }
        int depth = Math.min(SrtLaws.depth(design), form.depth());
        int topK = design instanceof Design.Tree t
                ? t.topK()
                : design instanceof Design.Eagle e ? e.settings().topK() : 1;
        double[][] ranks = SrtLaws.spine(form, depth)
                .ranks(0, depth, Math.min(form.ranks(), topK), form.rho().value());
        return of(RankScores.probabilities(ranks), design, SrtLaws.kappa(form, design));
    }

    /**
     * The chain whose first d drafts are accepted with the given probabilities.
     *
     * @param survival P(at least d accepted), d = 1, 2, ...
     */
    public static TypicalTree chain(double[] survival) {
        double[] conditional = Survival.toConditional(survival);
        double[][] ranks = new double[conditional.length][];
        for (int d = 0; d < ranks.length; d++) {
            ranks[d] = new double[] {conditional[d]};
        }
        return of(RankScores.probabilities(ranks), new Design.Chain(ranks.length), 1);
    }

    private static TypicalTree of(RankScores scores, Design design, double kappa) {
        DraftTree tree;
        if (design instanceof Design.Eagle eagle) {
            tree = EagleTree.build(scores, eagle.settings());
        } else if (design instanceof Design.Tree t) {
            tree = BestFirst.build(scores, new TreeOptions(t.budget(), t.topK(), t.chainSeed(), 0, 0, List.of()));
        } else {
            tree = BestFirst.build(scores, TreeOptions.budget(scores.depth()).withTopK(1));
        }
        return new TypicalTree(tree, tree.pathProbabilities(scores, kappa));
    }
}
