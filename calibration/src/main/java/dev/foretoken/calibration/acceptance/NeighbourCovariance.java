package dev.foretoken.calibration.acceptance;

/**
 * Covariance of the tokens of neighbouring rounds of a request. It comes through the difficulty z alone, so z must explain at
 * least as much variance: a lower bound on sigma that a histogram does not give.
 *
 * @param value covariance, tokens squared
 * @param standardError its standard error over requests; NaN when there are too few
 */
record NeighbourCovariance(double value, double standardError) {
    static final NeighbourCovariance NONE = new NeighbourCovariance(0, Double.NaN);
    private static final int FEWEST_REQUESTS = 10;

    static NeighbourCovariance of(Evidence.RequestRounds rounds) {
        double tokens = 0;
        double n = 0;
        for (Evidence.Request q : rounds.requests()) {
            for (int t = 0; t < q.rounds(); t++) {
                tokens += q.tokens(t);
                n++;
            }
        }
        double mean = tokens / n;
        int requests = rounds.requests().size();
        double[] sum = new double[requests];
        double[] pairs = new double[requests];
        double allSum = 0;
        double allPairs = 0;
        for (int i = 0; i < requests; i++) {
            Evidence.Request q = rounds.requests().get(i);
            for (int t = 1; t < q.rounds(); t++) {
                sum[i] += (q.tokens(t) - mean) * (q.tokens(t - 1) - mean);
                pairs[i]++;
            }
            allSum += sum[i];
            allPairs += pairs[i];
        }
        if (requests < FEWEST_REQUESTS || allPairs < requests) {
            return NONE;
        }
        double value = allSum / allPairs;
        double squares = 0;
        for (int i = 0; i < requests; i++) {
            double gap = sum[i] - value * pairs[i];
            squares += gap * gap;
        }
        return new NeighbourCovariance(value, Math.sqrt(squares * requests / (requests - 1.0)) / allPairs);
    }

    boolean known() {
        return standardError > 0;
    }

    /** How many standard errors the variance of z's effect falls short of the covariance; 0 when it does not. */
    double shortfall(double latentVariance) {
        return Math.max(0, (value - latentVariance) / standardError);
    }
}
