package dev.foretoken.sim.tree;

/**
 * Scores of the drafter's candidates by depth and rank, as log-probabilities (summed along a path) or probabilities
 * (multiplied along a path). Scores are combined from the root down in the base and form in which they are given, so that
 * exact ties stay ties.
 *
 * <p>The rows may differ in length. The arrays are not copied: the caller hands them over.
 */
public final class RankScores {
    private final double[][] values;
    private final boolean multiplicative;
    private final double base;

    private RankScores(double[][] values, boolean multiplicative, double base) {
        this.values = values;
        this.multiplicative = multiplicative;
        this.base = base;
    }

    /** Natural log-probabilities lp[d][r], each row falling, each at most 0; negative infinity is allowed. */
    public static RankScores logProbs(double[][] values) {
        return logProbs(values, Math.E);
    }

    /** Log-probabilities in the given base (&gt; 1). */
    public static RankScores logProbs(double[][] values, double base) {
        if (!(base > 1) || Double.isInfinite(base)) {
            throw new IllegalArgumentException("base of log-probabilities must be finite and above 1: " + base);
        }
        check(values, Double.NEGATIVE_INFINITY, 0, "log-probability");
        return new RankScores(values, false, base);
    }

    /** Probabilities p[d][r] in [0, 1], each row falling. */
    public static RankScores probabilities(double[][] values) {
        check(values, 0, 1, "probability");
        return new RankScores(values, true, Math.E);
    }

    private static void check(double[][] values, double lowest, double highest, String what) {
        for (int d = 0; d < values.length; d++) {
            double[] row = values[d];
            if (row.length == 0) {
                throw new IllegalArgumentException("no candidates at depth " + (d + 1));
            }
            double before = highest;
            for (int r = 0; r < row.length; r++) {
                double v = row[r];
                if (!(v >= lowest && v <= before)) {
                    throw new IllegalArgumentException(what + " at depth " + (d + 1) + ", rank " + r + " is " + v
                            + (v > before && r > 0
                                    ? ", above rank " + (r - 1) + " (" + before + ")"
                                    : ", outside [" + lowest + ", " + highest + "]"));
                }
                before = v;
            }
        }
    }

    /** Largest depth D; 0 when there is nothing to draft. */
    public int depth() {
        return values.length;
    }

    /** Number of candidates at a depth, 1..D. */
    public int ranks(int depth) {
        return values[depth - 1].length;
    }

    /** Score of one candidate: depth 1..D, rank from 0. */
    public double at(int depth, int rank) {
        return values[depth - 1][rank];
    }

    /** Score of the empty path. */
    public double rootScore() {
        return multiplicative ? 1 : 0;
    }

    /** Score of a path extended by a candidate. */
    public double extend(double pathScore, int depth, int rank) {
        return multiplicative ? pathScore * values[depth - 1][rank] : pathScore + values[depth - 1][rank];
    }

    /** Probability that belongs to a path score. */
    public double probability(double pathScore) {
        if (multiplicative) {
            return pathScore;
        }
        return base == Math.E ? Math.exp(pathScore) : Math.pow(base, pathScore);
    }

    boolean multiplicative() {
        return multiplicative;
    }

    double[][] values() {
        return values;
    }

    /** Values with an additive bonus (in log-probability units of this base) per depth and per rank step. */
    double[][] withBonus(double depthBonus, double siblingBonus) {
        double[][] out = new double[values.length][];
        for (int d = 0; d < values.length; d++) {
            out[d] = values[d].clone();
            for (int r = 0; r < out[d].length; r++) {
                double bonus = depthBonus + siblingBonus * r;
                out[d][r] = multiplicative ? out[d][r] * Math.exp(bonus) : out[d][r] + bonus;
            }
        }
        return out;
    }
}
