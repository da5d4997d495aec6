package dev.foretoken.sim.acceptance;

/**
 * Conditional acceptance along the chain of first choices, given the latent difficulty z of a round, with the probabilities
 * of the other ranks: rank 0 has p, rank r &gt;= 1 has (1 - p)(1 - rho) rho^(r - 1), then a running minimum keeps the order.
 */
final class Spine {
    private final double a;
    private final double b;
    private final double c1;
    private final double sigma;
    private final double[] fixed;
    private final int depth;

    private Spine(double a, double b, double c1, double sigma, double[] fixed, int depth) {
        this.a = a;
        this.b = b;
        this.c1 = c1;
        this.sigma = sigma;
        this.fixed = fixed;
        this.depth = depth;
    }

    /** logit p_i = a - b (i - 1) - c1 [i = 1] + sigma z, i = 1..depth. */
    static Spine logistic(double a, double b, double c1, double sigma, int depth) {
        return new Spine(a, b, c1, sigma, null, depth);
    }

    /** The same conditionals in every round. */
    static Spine fixed(double[] conditional) {
        return new Spine(0, 0, 0, 0, conditional, conditional.length);
    }

    int depth() {
        return depth;
    }

    /** True when rounds differ in difficulty. */
    boolean latent() {
        return sigma > 0;
    }

    /** Conditional acceptance of the first choice at position 1..depth. */
    double p(int position, double z) {
        if (fixed != null) {
            return fixed[position - 1];
        }
        double logit = a - b * (position - 1) - (position == 1 ? c1 : 0) + sigma * z;
        return 1 / (1 + Math.exp(-logit));
    }

    /** Probabilities by depth and rank. */
    double[][] ranks(double z, int maxDepth, int ranks, double rho) {
        double[][] p = new double[maxDepth][ranks];
        for (int d = 0; d < maxDepth; d++) {
            double first = p(d + 1, z);
            double[] row = p[d];
            row[0] = first;
            double tail = (1 - first) * (1 - rho);
            double least = first;
            for (int r = 1; r < ranks; r++) {
                least = Math.min(least, tail);
                row[r] = least;
                tail *= rho;
            }
        }
        return p;
    }
}
