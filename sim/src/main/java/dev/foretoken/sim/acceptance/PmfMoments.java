package dev.foretoken.sim.acceptance;

/**
 * Moments of the tokens of one round.
 *
 * @param mean accept length
 * @param second mean square
 */
record PmfMoments(double mean, double second) {

    /** @param pmf entry j is P(tokens = j + 1) */
    PmfMoments(double[] pmf) {
        this(moment(pmf, 1), moment(pmf, 2));
    }

    private static double moment(double[] pmf, int order) {
        double sum = 0;
        for (int j = 0; j < pmf.length; j++) {
            double k = j + 1.0;
            sum += pmf[j] * (order == 1 ? k : k * k);
        }
        return sum;
    }
}
