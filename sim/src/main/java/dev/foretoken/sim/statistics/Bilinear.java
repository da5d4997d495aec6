package dev.foretoken.sim.statistics;

import java.util.Arrays;

/** Interpolation on a grid of rows m and KV length, linear in log2 m and in KV; clamped to the grid outside. */
public final class Bilinear {
    private final double[] logM;
    private final double[] kv;
    private final double[][] values;

    /**
     * @param m rising grid of rows, each positive
     * @param kv rising grid of KV lengths
     * @param values values[i][j] belongs to (m_i, kv_j)
     */
    public Bilinear(double[] m, double[] kv, double[][] values) {
        this.logM = Arrays.stream(m).map(Bilinear::log2).toArray();
        this.kv = kv.clone();
        rising(m, "m");
        rising(kv, "kv");
        if (values.length != m.length || Arrays.stream(values).anyMatch(row -> row.length != kv.length)) {
            throw new IllegalArgumentException("the grid needs " + m.length + " rows of " + kv.length + " values");
        }
        this.values = Arrays.stream(values).map(double[]::clone).toArray(double[][]::new);
    }

    public double at(double m, double kvLength) {
        double x = log2(m);
        int i = cell(logM, x);
        int j = cell(kv, kvLength);
        double u = fraction(logM, i, x);
        double v = fraction(kv, j, kvLength);
        int i1 = Math.min(i + 1, logM.length - 1);
        int j1 = Math.min(j + 1, kv.length - 1);
        double low = values[i][j] + v * (values[i][j1] - values[i][j]);
        double high = values[i1][j] + v * (values[i1][j1] - values[i1][j]);
        return low + u * (high - low);
    }

    private static double log2(double m) {
        if (!(m > 0) || Double.isInfinite(m)) {
            throw new IllegalArgumentException("rows must be finite and positive: " + m);
        }
        return Math.log(m) / Math.log(2);
    }

    private static void rising(double[] grid, String name) {
        if (grid.length == 0) {
            throw new IllegalArgumentException("the grid of " + name + " is empty");
        }
        for (int i = 1; i < grid.length; i++) {
            if (!(grid[i] > grid[i - 1])) {
                throw new IllegalArgumentException("the grid of " + name + " must rise: " + Arrays.toString(grid));
            }
        }
    }

    private static int cell(double[] grid, double x) {
        int i = 0;
        while (i + 2 < grid.length && x >= grid[i + 1]) {
            i++;
        }
        return i;
    }

    private static double fraction(double[] grid, int i, double x) {
        if (i + 1 >= grid.length) {
            return 0;
        }
        return Math.max(0, Math.min(1, (x - grid[i]) / (grid[i + 1] - grid[i])));
    }
}
