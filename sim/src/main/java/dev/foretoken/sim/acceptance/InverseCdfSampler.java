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
        // Counting all entries below u beats leaving at the first: the exit cannot be predicted, and laws are short.
        int tokens = 1;
        for (int j = 0; j < cdf.length - 1; j++) {
            tokens += u >= cdf[j] ? 1 : 0;
        }
        return tokens;
    }
}
