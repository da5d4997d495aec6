package dev.foretoken.sim.acceptance;

import java.util.List;

/**
 * Law of the tokens that one request commits in one round (one target forward pass): accepted drafts plus the bonus or
 * corrected token. Immutable and safe to share between threads.
 *
 * <p>Support is 1..{@link #maxAccepted()}+1 tokens. The accept length is the mean of the untruncated law; the last round
 * of an answer is truncated by whoever uses the law.
 */
public interface AcceptanceLaw {

    /**
     * Probabilities of the tokens per round.
     *
     * @return a fresh or shared array that callers must not change: entry j is P(tokens = j + 1), j = 0..maxAccepted; sums
     *     to 1 within 1e-9
     */
    double[] pmf();

    /** Largest number of accepted drafts in one round. */
    default int maxAccepted() {
        return pmf().length - 1;
    }

    /** Mean tokens per round, bonus or corrected token included (tau); 1 &lt;= tau &lt;= maxAccepted + 1. */
    default double acceptLength() {
        double[] p = pmf();
        double mean = 0;
        for (int j = 0; j < p.length; j++) {
            mean += (j + 1) * p[j];
        }
        return mean;
    }

    /**
     * Classes of requests that differ for their whole life (the per-request share of the latent state). The mixture of the
     * classes' pmfs approximates {@link #pmf()}. One class when all requests follow the same law.
     */
    default List<RequestClass> requestClasses() {
        return List.of(new RequestClass(1.0, pmf()));
    }

    /** True when rounds of one request depend on each other (autocorrelation), which a renewal cannot see. */
    default boolean correlatedRounds() {
        return false;
    }

    /**
     * A sampler of the rounds of one request, for simulation. The sampler maps uniform numbers to tokens monotonically
     * (inverse distribution function), so that with common random numbers laws of nested trees stay ordered path by path.
     */
    default RoundSampler sampler() {
        return new InverseCdfSampler(pmf());
    }

    /** Requests of one class: its share of all requests and its law of tokens per round. */
    record RequestClass(double weight, double[] pmf) {}
}
