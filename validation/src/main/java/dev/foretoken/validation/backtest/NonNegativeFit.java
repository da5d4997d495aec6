package dev.foretoken.validation.backtest;

/**
 * Least squares with coefficients of at least 0, by cyclic coordinate descent on the normal equations (convex, so it finds the
 * minimum). Columns that the data do not tell apart share what they explain.
 */
final class NonNegativeFit {
    private static final int MAX_SWEEPS = 20_000;
    private static final double RIDGE = 1e-9;

    private NonNegativeFit() {}

    /**
     * Minimises the sum of squared relative errors sum ((y_i - x_i b)/y_i)^2, b at least 0.
     *
     * @param x rows of features
     * @param y positive
     */
    static double[] relative(double[][] x, double[] y) {
        int n = x[0].length;
        double[][] g = new double[n][n];
        double[] c = new double[n];
        for (int r = 0; r < x.length; r++) {
            for (int i = 0; i < n; i++) {
                double xi = x[r][i] / y[r];
                c[i] += xi;
                for (int j = 0; j < n; j++) {
                    g[i][j] += xi * x[r][j] / y[r];
                }
            }
        }
        double[] b = new double[n];
        for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
            double moved = 0;
            for (int i = 0; i < n; i++) {
                double d = g[i][i] * (1 + RIDGE);
                if (d == 0) {
                    continue;
                }
                double gradient = c[i];
                for (int j = 0; j < n; j++) {
                    gradient -= g[i][j] * b[j];
                }
                double next = Math.max(0, b[i] + gradient / d);
                moved = Math.max(moved, Math.abs(next - b[i]) * Math.sqrt(d));
                b[i] = next;
            }
            if (moved < 1e-10) {
                break;
            }
        }
        return b;
    }
}
