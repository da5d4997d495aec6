package dev.foretoken.sim.tree;

/** Full k-ary trees: every node has the same k first choices as children, down to a depth (SpecInfer, Medusa). */
public final class FullTree {
    private FullTree() {}

    /**
     * Mean tokens per round with independent levels: sum over d = 0..depth of c^d, where c is the coverage of the k ranks.
     *
     * @param rankProbs probability of each of the k ranks
     */
    public static double expectedTokens(double[] rankProbs, int depth) {
        if (depth < 0) {
            throw new IllegalArgumentException("depth must be at least 0: " + depth);
        }
        double coverage = 0;
        for (double p : rankProbs) {
            if (!(p >= 0 && p <= 1)) {
                throw new IllegalArgumentException("probability of a rank must be in [0, 1]: " + p);
            }
            coverage += p;
        }
        double tokens = 1;
        double reach = 1;
        for (int d = 1; d <= depth; d++) {
            reach *= coverage;
            tokens += reach;
        }
        return tokens;
    }

    /** Nodes without the root: k + k^2 + ... + k^depth. */
    public static long nodes(int k, int depth) {
        long nodes = 0;
        long level = 1;
        for (int d = 1; d <= depth; d++) {
            level = Math.multiplyExact(level, (long) k);
            nodes = Math.addExact(nodes, level);
        }
        return nodes;
    }
}
