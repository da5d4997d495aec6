package dev.foretoken.sim.acceptance;

import dev.foretoken.sim.tree.EagleTree;
import dev.foretoken.sim.tree.TreeOptions;
import java.util.function.IntToDoubleFunction;

/** What is drafted and verified in a round, as far as acceptance depends on it. */
public sealed interface Design {

    /**
     * A chain of first choices.
     *
     * @param length drafted positions, at least 0
     */
    record Chain(int length) implements Design {
        public Chain {
            if (length < 0) {
                throw new IllegalArgumentException("chain length must be at least 0: " + length);
            }
        }
    }

    /**
     * A best-first tree (DDTree, causal tree).
     *
     * @param depth drafted positions: block - 1 for a block drafter, at least 0
     * @param topK candidates per depth, {@link TreeOptions#UNLIMITED} when the engine sets none
     * @param budget nodes without the root, at least 0
     * @param chainSeed insert the chain of first choices first
     * @param kappaOverride off-spine continuation factor that replaces the form's, for a drafter that sees the path
     *     (causal head: 1); NaN for none
     */
    record Tree(int depth, int topK, int budget, boolean chainSeed, double kappaOverride) implements Design {
        public Tree {
            if (depth < 0) {
                throw new IllegalArgumentException("tree depth must be at least 0: " + depth);
            }
            if (topK < 1) {
                throw new IllegalArgumentException("top-k must be at least 1: " + topK);
            }
            if (budget < 0) {
                throw new IllegalArgumentException("tree budget must be at least 0: " + budget);
            }
            if (!Double.isNaN(kappaOverride)) {
                Survival.probability(kappaOverride, "kappa");
            }
        }

        public Tree(int depth, int topK, int budget, boolean chainSeed) {
            this(depth, topK, budget, chainSeed, Double.NaN);
        }

        public Tree withBudget(int value) {
            return new Tree(depth, topK, value, chainSeed, kappaOverride);
        }
    }

    /**
     * A dynamic EAGLE-2/3 tree.
     *
     * @param settings steps, top-k and draft tokens; clamped as the engine does
     */
    record Eagle(EagleTree.Settings settings) implements Design {
        public Eagle {
            settings = settings.normalised();
        }

        public Eagle(int steps, int topK, int draftTokens) {
            this(new EagleTree.Settings(steps, topK, draftTokens));
        }
    }

    /**
     * A best-first tree whose budget is chosen each round by expected tokens per millisecond, over all budgets up to a maximum
     * (cost-aware DDTree).
     *
     * @param depth drafted positions
     * @param topK candidates per depth
     * @param maxBudget largest budget
     * @param chainSeed insert the chain of first choices first
     * @param costMs time of a round by budget 0..maxBudget, ms, positive
     */
    record CostAware(int depth, int topK, int maxBudget, boolean chainSeed, IntToDoubleFunction costMs)
            implements Design {
        public CostAware {
            new Tree(depth, topK, maxBudget, chainSeed);
            if (costMs == null) {
                throw new IllegalArgumentException("a cost-aware tree needs the cost of a round by budget");
            }
        }
    }
}
