package dev.foretoken.sim.statistics;

import java.util.Arrays;

/** Least-squares fit of a rising sequence by pooling adjacent violators. */
public final class Isotonic {
    private Isotonic() {}

    /** Fit with equal weights. */
    public static double[] fit(double[] y) {
        double[] weights = new double[y.length];
        Arrays.fill(weights, 1);
        return fit(y, weights);
    }

    /**
     * @param y finite values in the order of the sequence
     * @param weights positive weights
     * @return the fit, not falling
     */
    public static double[] fit(double[] y, double[] weights) {
        if (y.length != weights.length) {
            throw new IllegalArgumentException(y.length + " values, " + weights.length + " weights");
        }
        double[] mean = new double[y.length];
        double[] weight = new double[y.length];
        int[] end = new int[y.length];
        int blocks = 0;
        for (int i = 0; i < y.length; i++) {
            if (!Double.isFinite(y[i]) || !(weights[i] > 0) || Double.isInfinite(weights[i])) {
                throw new IllegalArgumentException("entry " + i + " has value " + y[i] + " and weight " + weights[i]);
            }
            double m = y[i];
            double w = weights[i];
            while (blocks > 0 && mean[blocks - 1] >= m) {
                blocks--;
                m = (mean[blocks] * weight[blocks] + m * w) / (weight[blocks] + w);
                w += weight[blocks];
            }
            mean[blocks] = m;
            weight[blocks] = w;
            end[blocks++] = i + 1;
        }
        double[] fit = new double[y.length];
        int from = 0;
        for (int b = 0; b < blocks; b++) {
            Arrays.fill(fit, from, end[b], mean[b]);
            from = end[b];
        }
        return fit;
    }
}
