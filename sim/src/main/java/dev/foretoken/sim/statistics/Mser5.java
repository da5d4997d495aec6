package dev.foretoken.sim.statistics;

/**
 * Warm-up truncation by MSER-5 (White 1997): over means of 5 observations, the d that minimises sum (y - mean)^2/(n - d)^2 of
 * what is left, d in [0, n/2]. For steady-state runs only.
 *
 * @param truncation observations to delete
 * @param statistic the smallest value
 * @param atLimit true when the minimum is at n/2: the run is too short to tell, and the truncation must not be used
 */
public record Mser5(int truncation, double statistic, boolean atLimit) {
    private static final int BATCH = 5;

    /** First minimum over a series of at least 5 observations; a rest that fills no batch is left out. */
    public static Mser5 of(double[] series) {
        int n = series.length / BATCH;
        if (n < 1) {
            throw new IllegalArgumentException("MSER-5 needs at least " + BATCH + " observations: " + series.length);
        }
        double[] y = new double[n];
        for (int b = 0; b < n; b++) {
            for (int i = 0; i < BATCH; i++) {
                double x = series[b * BATCH + i];
                if (!Double.isFinite(x)) {
                    throw new IllegalArgumentException("observation " + (b * BATCH + i) + " is " + x);
                }
                y[b] += x / BATCH;
            }
        }
        int best = 0;
        double least = Double.POSITIVE_INFINITY;
        // Backwards, so that mean and squared deviations of what is left grow by one batch at a time (Welford 1962).
        double mean = 0;
        double squares = 0;
        for (int d = n - 1; d >= 0; d--) {
            double step = y[d] - mean;
            mean += step / (n - d);
            squares += step * (y[d] - mean);
            double statistic = squares / ((double) (n - d) * (n - d));
            if (d <= n / 2 && statistic <= least) {
                least = statistic;
                best = d;
            }
        }
        return new Mser5(best * BATCH, least, n > 1 && best == n / 2);
    }
}
