package dev.foretoken.sim.tree;

import java.util.List;

/**
 * How a best-first tree is grown.
 *
 * @param budget nodes without the root, at least 0
 * @param topK candidates used per depth, at least 1; {@link #UNLIMITED} for all that the drafter gives
 * @param chainSeed insert the chain of first choices before growing best-first
 * @param depthBonus added to the log-probability of every node, so that a positive value favours depth (natural logs, or the
 *     base of the scores)
 * @param siblingBonus added once per rank step, so that a positive value favours breadth
 * @param widthProfile largest number of nodes at depth 1, 2, ...; empty for none; a depth beyond the list has no limit
 */
public record TreeOptions(
        int budget, int topK, boolean chainSeed, double depthBonus, double siblingBonus, List<Integer> widthProfile) {
    /** Value of {@link #topK} that uses every candidate. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    public TreeOptions {
        if (budget < 0) {
            throw new IllegalArgumentException("tree budget must be at least 0: " + budget);
        }
        if (topK < 1) {
            throw new IllegalArgumentException("top-k must be at least 1: " + topK);
        }
        if (!Double.isFinite(depthBonus) || !Double.isFinite(siblingBonus)) {
            throw new IllegalArgumentException(
                    "bonuses must be finite: depth " + depthBonus + ", sibling " + siblingBonus);
        }
        widthProfile = List.copyOf(widthProfile);
        for (int w : widthProfile) {
            if (w < 0) {
                throw new IllegalArgumentException("widths per depth must be at least 0: " + widthProfile);
            }
        }
    }

    /** Plain best-first growth over all candidates. */
    public static TreeOptions budget(int budget) {
        return new TreeOptions(budget, UNLIMITED, false, 0, 0, List.of());
    }

    public TreeOptions withBudget(int value) {
        return new TreeOptions(value, topK, chainSeed, depthBonus, siblingBonus, widthProfile);
    }

    public TreeOptions withTopK(int value) {
        return new TreeOptions(budget, value, chainSeed, depthBonus, siblingBonus, widthProfile);
    }

    public TreeOptions withChainSeed(boolean value) {
        return new TreeOptions(budget, topK, value, depthBonus, siblingBonus, widthProfile);
    }

    public TreeOptions withBonus(double depth, double sibling) {
        return new TreeOptions(budget, topK, chainSeed, depth, sibling, widthProfile);
    }

    public TreeOptions withWidthProfile(List<Integer> value) {
        return new TreeOptions(budget, topK, chainSeed, depthBonus, siblingBonus, value);
    }

    boolean plainScores() {
        return depthBonus == 0 && siblingBonus == 0;
    }
}
