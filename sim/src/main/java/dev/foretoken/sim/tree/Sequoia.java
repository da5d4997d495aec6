package dev.foretoken.sim.tree;

/**
 * Sequoia's optimal static trees (arXiv 2402.12374): children of every node are accepted with the same probability by rank,
 * and F(size, levels) is the largest mean number of tokens over trees of at most that many nodes and levels, both counting
 * the root. A node's b children are its first b ranks.
 *
 * <p>F(n, l) = 1 + max over sizes m_1, m_2, ... of the children's subtrees, sum m_r &lt;= n - 1, of sum p_r F(m_r, l - 1).
 */
public final class Sequoia {
    private final double[][] best;

    /**
     * @param rankProbs probability that the target's token is the child of rank 0, 1, ..., each in [0, 1]
     * @param maxSize largest tree, root included, at least 1
     * @param maxLevels largest number of levels, root included, at least 1
     */
    public Sequoia(double[] rankProbs, int maxSize, int maxLevels) {
        if (maxSize < 1 || maxLevels < 1) {
            throw new IllegalArgumentException("size and levels must be at least 1: " + maxSize + ", " + maxLevels);
        }
        for (double p : rankProbs) {
            if (!(p >= 0 && p <= 1)) {
                throw new IllegalArgumentException("probability of a rank must be in [0, 1]: " + p);
            }
        }
        best = new double[maxLevels + 1][maxSize + 1];
        for (int n = 1; n <= maxSize; n++) {
            best[1][n] = 1;
        }
        for (int l = 2; l <= maxLevels; l++) {
            double[] children = new double[maxSize];
            for (int r = rankProbs.length - 1; r >= 0; r--) {
                double[] withRank = new double[maxSize];
                for (int n = 1; n < maxSize; n++) {
                    for (int m = 1; m <= n; m++) {
                        double v = rankProbs[r] * best[l - 1][m] + children[n - m];
                        withRank[n] = Math.max(withRank[n], v);
                    }
                }
                children = withRank;
            }
            for (int n = 1; n <= maxSize; n++) {
                best[l][n] = 1 + children[n - 1];
            }
        }
    }

    /** F(size, levels). */
    public double expectedTokens(int size, int levels) {
        if (size < 1 || size >= best[0].length || levels < 1 || levels >= best.length) {
            throw new IllegalArgumentException("size " + size + " and levels " + levels + " must be within 1.."
                    + (best[0].length - 1) + " and 1.." + (best.length - 1));
        }
        return best[levels][size];
    }

    /**
     * Hardware-aware choice: the least (levels x draft time + target time)/F over the given sizes and all levels.
     *
     * @param sizes tree sizes, root included
     * @param targetTime time of a verification pass for each size
     * @param draftTime time of one draft pass; as many passes as levels are charged
     */
    public Choice cheapest(int[] sizes, double[] targetTime, double draftTime) {
        if (sizes.length == 0 || sizes.length != targetTime.length) {
            throw new IllegalArgumentException(
                    "one target time per size: " + sizes.length + " sizes, " + targetTime.length + " times");
        }
        Choice choice = null;
        for (int i = 0; i < sizes.length; i++) {
            for (int l = 1; l < best.length; l++) {
                double time = (l * draftTime + targetTime[i]) / expectedTokens(sizes[i], l);
                if (choice == null || time < choice.timePerToken()) {
                    choice = new Choice(time, sizes[i], l);
                }
            }
        }
        return choice;
    }

    /**
     * @param timePerToken time per token, in the unit of the times given
     * @param size nodes, root included
     * @param levels levels, root included
     */
    public record Choice(double timePerToken, int size, int levels) {}
}
