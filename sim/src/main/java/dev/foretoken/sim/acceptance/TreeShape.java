package dev.foretoken.sim.acceptance;

import dev.foretoken.sim.tree.BestFirst;
import dev.foretoken.sim.tree.CostAwareBudget;
import dev.foretoken.sim.tree.DraftTree;
import dev.foretoken.sim.tree.EagleTree;
import dev.foretoken.sim.tree.RankScores;
import dev.foretoken.sim.tree.TreeOptions;
import java.util.function.IntToDoubleFunction;

/**
 * How the tree of one round is built from the drafter's belief and which depth the target reaches in it. The belief takes
 * positions as independent (kappa 1); what is accepted is scored with kappa.
 */
sealed interface TreeShape {

    /** Largest depth that can be accepted. */
    int depth();

    /** Candidates per depth that can be used. */
    int topK();

    /**
     * Survival by depth for given probabilities by depth and rank.
     *
     * @param survival filled with P(at least d accepted), d = 1..depth
     * @return budget in use
     */
    int survival(double[][] p, double kappa, BestFirst workspace, double[] survival);

    /** The chain of first choices. */
    record Chain(int depth) implements TreeShape {
        @Override
        public int topK() {
            return 1;
        }

        @Override
        public int survival(double[][] p, double kappa, BestFirst workspace, double[] survival) {
            double s = 1;
            for (int d = 0; d < depth; d++) {
                s *= p[d][0];
                survival[d] = s;
            }
            return depth;
        }
    }

    /** Best-first tree of a fixed budget. */
    record BestFirstTree(int depth, TreeOptions options) implements TreeShape {
        @Override
        public int topK() {
            return options.topK();
        }

        @Override
        public int survival(double[][] p, double kappa, BestFirst workspace, double[] survival) {
            workspace.expand(RankScores.probabilities(p), options);
            int n = workspace.size();
            addNodes(workspace, 0, n, p, kappa, new double[n], survival);
            return n;
        }

        /** Adds the path probabilities of nodes from..to-1 to the survival of their depths. */
        static void addNodes(
                BestFirst tree, int from, int to, double[][] p, double kappa, double[] path, double[] survival) {
            for (int n = from; n < to; n++) {
                int parent = tree.parent(n);
                int d = tree.depth(n);
                int r = tree.rank(n);
                double v = p[d - 1][r];
                if (parent >= 0) {
                    double before = path[parent];
                    // the sign marks a parent off the spine
                    if (before < 0) {
                        v = before * v * kappa;
                    } else {
                        v = r == 0 ? before * v : -before * v;
                    }
                } else if (r != 0) {
                    v = -v;
                }
                // a path of probability zero off the spine stays marked: -0.0 compares equal to 0, and adds nothing
                // below it
                path[n] = v;
                survival[d - 1] += Math.abs(v);
            }
        }
    }

    /** EAGLE-2/3 dynamic tree. */
    record EagleShape(int depth, EagleTree.Settings settings) implements TreeShape {
        @Override
        public int topK() {
            return settings.topK();
        }

        @Override
        public int survival(double[][] p, double kappa, BestFirst workspace, double[] survival) {
            RankScores scores = RankScores.probabilities(p);
            DraftTree tree = EagleTree.build(scores, settings);
            double[] path = tree.pathProbabilities(scores, kappa);
            for (int n = 0; n < path.length; n++) {
                survival[tree.depth(n) - 1] += path[n];
            }
            return tree.size();
        }
    }

    /** Best-first tree whose budget maximises believed tokens per unit of cost in every round. */
    record CostAwareTree(int depth, TreeOptions options, IntToDoubleFunction costMs) implements TreeShape {
        @Override
        public int topK() {
            return options.topK();
        }

        @Override
        public int survival(double[][] p, double kappa, BestFirst workspace, double[] survival) {
            workspace.expand(RankScores.probabilities(p), options);
            double[] gains = new double[workspace.size()];
            for (int n = 0; n < gains.length; n++) {
                gains[n] = workspace.score(n);
            }
            int budget = CostAwareBudget.best(gains, costMs);
            BestFirstTree.addNodes(workspace, 0, budget, p, kappa, new double[budget], survival);
            return budget;
        }
    }
}
