package dev.foretoken.sim.tree;

import java.util.function.IntToDoubleFunction;

/**
 * Choice of the budget by tokens per unit of time: maximise (1 + Phi(n)) / cost(n), where Phi(n) is the sum of the gains of
 * the first n nodes (CaDDTree, arXiv 2606.01813).
 */
public final class CostAwareBudget {
    private CostAwareBudget() {}

    /**
     * CaDDTree's stopping rule: stop before node n + 1 when (1 + Phi + g)/cost(n + 1) &lt;= (1 + Phi)/cost(n). It finds the
     * optimum when the cost is convex, and may stop in front of a stair when it is not.
     *
     * @param gains gain of each further node in order of insertion, each at least 0
     * @param cost cost of a round by budget 0..gains.length, positive
     */
    public static int firstDecrease(double[] gains, IntToDoubleFunction cost) {
        double value = 1;
        int n = 0;
        while (n < gains.length && (value + gains[n]) / cost(cost, n + 1) > value / cost(cost, n)) {
            value += gains[n];
            n++;
        }
        return n;
    }

    /** The best budget over all of them, the smallest one of equals. */
    public static int best(double[] gains, IntToDoubleFunction cost) {
        double value = 1;
        double bestRate = value / cost(cost, 0);
        int best = 0;
        for (int n = 1; n <= gains.length; n++) {
            value += gains[n - 1];
            double rate = value / cost(cost, n);
            if (rate > bestRate) {
                bestRate = rate;
                best = n;
            }
        }
        return best;
    }

    /** Tokens per unit of time at a budget: (1 + Phi(budget)) / cost(budget). */
    public static double rate(double[] gains, IntToDoubleFunction cost, int budget) {
        double value = 1;
        for (int n = 0; n < budget; n++) {
            value += gains[n];
        }
        return value / cost(cost, budget);
    }

    private static double cost(IntToDoubleFunction cost, int budget) {
        double c = cost.applyAsDouble(budget);
        if (!(c > 0) || Double.isInfinite(c)) {
            throw new IllegalArgumentException("cost of budget " + budget + " must be finite and positive: " + c);
        }
        return c;
    }
}
