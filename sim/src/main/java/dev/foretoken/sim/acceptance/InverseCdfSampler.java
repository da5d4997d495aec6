package dev.foretoken.sim.acceptance;

/** Inverse-distribution-function sampler of a fixed pmf: monotone in u, no state. */
public final class InverseCdfSampler implements RoundSampler {
    private final double[] cdf;

    /** @param pmf entry j is P(tokens = j + 1) */
    public InverseCdfSampler(double[] pmf) {
        cdf = new double[pmf.length];
        double sum = 0;
        for (int j = 0; j < pmf.length; j++) {
            sum += pmf[j];
            cdf[j] = sum;
        }
    }

    @Override
    public int tokens(double requestShare, double state, double u) {
        for (int j = 0; j < cdf.length - 1; j++) {
            if (u < cdf[j]) {
                return j + 1;
            }
        }
        return cdf.length;
    }
}
