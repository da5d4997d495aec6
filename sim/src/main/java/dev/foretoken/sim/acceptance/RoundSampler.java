package dev.foretoken.sim.acceptance;

import org.apache.commons.rng.UniformRandomProvider;

/**
 * Draws the tokens per round of requests. Stateless: what belongs to a request (its share of the latent state, the
 * autoregressive state) is kept by the caller in one double and passed back, so that the engine allocates nothing per round.
 */
public interface RoundSampler {

    /** Latent state of a new request; 0 where the law has none. Consumes random numbers of the given stream only. */
    default double newRequest(UniformRandomProvider rng) {
        return 0.0;
    }

    /** Latent state of a new request in its first round, from its stationary law; 0 where the law has none. */
    default double firstState(double requestShare, UniformRandomProvider rng) {
        return 0.0;
    }

    /** Latent state of the request before the next round, given its share and the state of the round before. */
    default double nextState(double requestShare, double state, UniformRandomProvider rng) {
        return state;
    }

    /**
     * Tokens committed in a round.
     *
     * @param requestShare what {@link #newRequest} returned
     * @param state what {@link #firstState} (first round) or {@link #nextState} (later rounds) returned for this round
     * @param u uniform in [0, 1): one per (request, round)
     * @return 1..maxAccepted+1
     */
    int tokens(double requestShare, double state, double u);
}
