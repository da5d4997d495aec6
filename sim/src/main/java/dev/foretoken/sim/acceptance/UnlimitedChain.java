package dev.foretoken.sim.acceptance;

import org.apache.commons.statistics.distribution.BinomialDistribution;

/**
 * Chains without end with independent acceptance alpha: a round commits a geometric number of tokens, so N tokens need 1 +
 * Binomial(N - 1, 1 - alpha) rounds. The limit of long drafts, and a check of the renewal.
 *
 * @param alpha acceptance per position, in [0, 1]
 * @param tokens tokens to commit, at least 0
 */
public record UnlimitedChain(double alpha, int tokens) {
    public UnlimitedChain {
        Survival.probability(alpha, "alpha");
        if (tokens < 0) {
            throw new IllegalArgumentException("number of tokens must be at least 0: " + tokens);
        }
    }

    public double meanRounds() {
        return tokens == 0 ? 0 : 1 + (tokens - 1) * (1 - alpha);
    }

    public double varianceOfRounds() {
        return tokens == 0 ? 0 : (tokens - 1) * alpha * (1 - alpha);
    }

    /** Entry m is P(rounds &lt;= m), m = 0..tokens. */
    public double[] roundsCdf() {
        double[] cdf = new double[tokens + 1];
        if (tokens == 0) {
            cdf[0] = 1;
            return cdf;
        }
        BinomialDistribution misses = BinomialDistribution.of(tokens - 1, 1 - alpha);
        for (int m = 1; m <= tokens; m++) {
            cdf[m] = misses.cumulativeProbability(m - 1);
        }
        return cdf;
    }
}
