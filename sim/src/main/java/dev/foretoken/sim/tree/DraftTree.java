package dev.foretoken.sim.tree;

import java.util.Arrays;

/**
 * A draft tree: nodes in the order of insertion, each after its parent. The root is not a node; a node's parent is -1 when
 * it hangs on the root. Immutable.
 */
public final class DraftTree {
    private final int[] parent;
    private final int[] depth;
    private final int[] rank;

    DraftTree(int[] parent, int[] depth, int[] rank) {
        this.parent = parent;
        this.depth = depth;
        this.rank = rank;
    }

    /** Nodes without the root (the budget in use). */
    public int size() {
        return parent.length;
    }

    public int parent(int node) {
        return parent[node];
    }

    /** Depth of a node, from 1. */
    public int depth(int node) {
        return depth[node];
    }

    /** Rank of a node among the candidates of its depth, from 0. */
    public int rank(int node) {
        return rank[node];
    }

    /** Largest depth of a node, 0 for the root alone. */
    public int maxDepth() {
        int max = 0;
        for (int d : depth) {
            max = Math.max(max, d);
        }
        return max;
    }

    /** Ranks from the root down to a node; its length is the depth of the node. */
    public int[] rankPath(int node) {
        int[] path = new int[depth[node]];
        for (int n = node; n >= 0; n = parent[n]) {
            path[depth[n] - 1] = rank[n];
        }
        return path;
    }

    /** Number of nodes at depth 1, 2, ..., {@link #maxDepth()}. */
    public int[] nodesByDepth() {
        int[] counts = new int[maxDepth()];
        for (int d : depth) {
            counts[d - 1]++;
        }
        return counts;
    }

    /** The first nodes of this tree: for a best-first tree, the tree of that smaller budget. */
    public DraftTree prefix(int budget) {
        if (budget < 0) {
            throw new IllegalArgumentException("tree budget must be at least 0: " + budget);
        }
        int n = Math.min(budget, size());
        return new DraftTree(Arrays.copyOf(parent, n), Arrays.copyOf(depth, n), Arrays.copyOf(rank, n));
    }

    /**
     * Token id of every node.
     *
     * @param candidateIds token ids by depth - 1 and rank, the same order as the scores
     */
    public int[] tokenIds(int[][] candidateIds) {
        int[] ids = new int[size()];
        for (int n = 0; n < ids.length; n++) {
            ids[n] = candidateIds[depth[n] - 1][rank[n]];
        }
        return ids;
    }

    /**
     * Attention mask of the verification rows: row 0 is the root, row i + 1 is node i. Bit j of a row (bit j mod 64 of word
     * j / 64) says that the row sees row j: itself, its ancestors and the root.
     */
    public long[][] ancestorMask() {
        int rows = size() + 1;
        int words = (rows + 63) / 64;
        long[][] mask = new long[rows][words];
        mask[0][0] = 1L;
        for (int n = 0; n < size(); n++) {
            int row = n + 1;
            System.arraycopy(mask[parent[n] + 1], 0, mask[row], 0, words);
            mask[row][row >> 6] |= 1L << (row & 63);
        }
        return mask;
    }

    /**
     * Probability that the target's tokens follow the path of each node, when positions are independent.
     *
     * @return one entry per node
     */
    public double[] pathProbabilities(RankScores scores) {
        double[] path = new double[size()];
        for (int n = 0; n < path.length; n++) {
            path[n] = scores.extend(parent[n] < 0 ? scores.rootScore() : path[parent[n]], depth[n], rank[n]);
        }
        for (int n = 0; n < path.length; n++) {
            path[n] = scores.probability(path[n]);
        }
        return path;
    }

    /**
     * As {@link #pathProbabilities(RankScores)}, with every conditional after the first node off the chain of first choices
     * multiplied by {@code kappa}: a drafter that never saw the token it branched on continues less well.
     *
     * @param kappa off-spine continuation factor in [0, 1]
     */
    public double[] pathProbabilities(RankScores scores, double kappa) {
        if (!(kappa >= 0 && kappa <= 1)) {
            throw new IllegalArgumentException("kappa must be in [0, 1]: " + kappa);
        }
        double[] path = pathProbabilities(scores);
        double[] factor = new double[size()];
        boolean[] spine = new boolean[size()];
        for (int n = 0; n < path.length; n++) {
            boolean parentOnSpine = parent[n] < 0 || spine[parent[n]];
            spine[n] = parentOnSpine && rank[n] == 0;
            double before = parent[n] < 0 ? 1 : factor[parent[n]];
            factor[n] = parentOnSpine ? before : before * kappa;
        }
        for (int n = 0; n < path.length; n++) {
            path[n] *= factor[n];
        }
        return path;
    }

    /** Mean tokens per round with independent positions: 1 + sum of the path probabilities. */
    public double expectedTokens(RankScores scores) {
        return expectedTokens(scores, 1);
    }

    /** Mean tokens per round with the off-spine continuation factor {@code kappa}. */
    public double expectedTokens(RankScores scores, double kappa) {
        double sum = 1;
        for (double p : pathProbabilities(scores, kappa)) {
            sum += p;
        }
        return sum;
    }

    /**
     * Drafted tokens that a target accepts when it walks the tree from the root.
     *
     * @param targetRanks rank of the target's token at each depth, negative when it is not among the candidates
     */
    public int accepted(int[] targetRanks) {
        int at = -1;
        int accepted = 0;
        for (int n = 0; n < size(); n++) {
            if (parent[n] == at && depth[n] <= targetRanks.length && rank[n] == targetRanks[depth[n] - 1]) {
                at = n;
                accepted++;
            }
        }
        return accepted;
    }
}
