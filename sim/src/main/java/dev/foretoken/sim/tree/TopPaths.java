package dev.foretoken.sim.tree;

import java.util.Arrays;

/**
 * The nodes of a best-first tree as a set, without their order: every path above a threshold is visited depth first, and the
 * threshold is moved until the budget is met. Several times faster than {@link BestFirst} when trees of similar probabilities
 * follow one another, since the last threshold is a good first guess. Among paths of exactly equal probability at the edge of
 * the budget the choice is arbitrary, where {@link BestFirst} takes the lexicographically smaller.
 *
 * <p>Paths are scored twice: by the drafter's belief, which chooses them, and with the off-spine factor kappa. A workspace:
 * not safe for use by several threads.
 */
public final class TopPaths {
    private static final double SLACK = 0.9;
    private static final double WIDEN = 0.6;

    private double[][] p;
    private int topK;
    private double kappa;
    private double threshold;
    private boolean chainSeed;
    private int size;
    private double[] belief = new double[256];
    private double[] truth = new double[256];
    private int[] depth = new int[256];
    private double[] order = new double[256];
    private double last = 1e-3;

    /**
     * Adds the true path probabilities of the chosen nodes to the survival of their depths.
     *
     * @param probabilities by depth - 1 and rank, rows falling
     * @param options budget, top-k and chain seed; bonuses and width profiles are refused
     * @param kappaFactor off-spine continuation factor
     * @param weight factor on what is added
     * @param survival entry d - 1 is for depth d
     */
    public void addSurvival(
            double[][] probabilities, TreeOptions options, double kappaFactor, double weight, double[] survival) {
        if (!options.plainScores() || !options.widthProfile().isEmpty()) {
            throw new IllegalArgumentException("bonuses and width profiles need a best-first expansion: " + options);
        }
        p = probabilities;
        topK = options.topK();
        kappa = kappaFactor;
        int seeded = options.chainSeed() ? Math.min(options.budget(), p.length) : 0;
        chainSeed = seeded > 0;
        double s = 1;
        for (int d = 0; d < seeded; d++) {
            s *= p[d][0];
            survival[d] += weight * s;
        }
        int budget = options.budget() - seeded;
        if (budget == 0 || p.length == 0) {
            return;
        }
        threshold = last * SLACK;
        while (true) {
            size = 0;
            visit(0, 1, 1, true);
            if (size >= budget) {
                break;
            }
            if (threshold < Double.MIN_NORMAL) {
                budget = size;
                break;
            }
            threshold *= size < budget / 2 ? WIDEN * WIDEN : WIDEN;
            if (threshold < Double.MIN_NORMAL) {
                threshold = 0;
            }
        }
        if (budget == 0) {
            return;
        }
        if (order.length < size) {
            order = new double[belief.length];
        }
        System.arraycopy(belief, 0, order, 0, size);
        double edge = kthLargest(order, size, budget);
        last = Math.max(edge, 1e-12);
        int above = 0;
        for (int n = 0; n < size; n++) {
            if (belief[n] > edge) {
                survival[depth[n]] += weight * truth[n];
                above++;
            }
        }
        for (int n = 0; n < size && above < budget; n++) {
            if (belief[n] == edge) {
                survival[depth[n]] += weight * truth[n];
                above++;
            }
        }
    }

    private void visit(int d, double score, double real, boolean spine) {
        double[] row = p[d];
        int ranks = Math.min(topK, row.length);
        double factor = spine ? real : real * kappa;
        for (int r = 0; r < ranks; r++) {
            double s = score * row[r];
            if (!(s >= threshold)) {
                return;
            }
            boolean onSpine = spine && r == 0;
            if (!(onSpine && chainSeed)) {
                if (size == belief.length) {
                    belief = Arrays.copyOf(belief, 2 * size);
                    truth = Arrays.copyOf(truth, 2 * size);
                    depth = Arrays.copyOf(depth, 2 * size);
                }
                belief[size] = s;
                truth[size] = factor * row[r];
                depth[size] = d;
                size++;
            }
            if (d + 1 < p.length) {
                visit(d + 1, s, factor * row[r], onSpine);
            }
        }
    }

    /** The k-th largest of the first n values, which are reordered (Hoare's selection). */
    private static double kthLargest(double[] v, int n, int k) {
        int lo = 0;
        int hi = n - 1;
        int want = k - 1;
        while (lo < hi) {
            double pivot = v[(lo + hi) >>> 1];
            int i = lo;
            int j = hi;
            while (i <= j) {
                while (v[i] > pivot) {
                    i++;
                }
                while (v[j] < pivot) {
                    j--;
                }
                if (i <= j) {
                    double swap = v[i];
                    v[i++] = v[j];
                    v[j--] = swap;
                }
            }
            if (want <= j) {
                hi = j;
            } else if (want >= i) {
                lo = i;
            } else {
                return v[want];
            }
        }
        return v[want];
    }
}
