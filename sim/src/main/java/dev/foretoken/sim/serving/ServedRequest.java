package dev.foretoken.sim.serving;

/**
 * A request after its last token. Times are ns on the engine's clock.
 *
 * @param id identity in the run
 * @param workload id of its workload
 * @param isl prompt tokens
 * @param osl output tokens
 * @param cachedTokens prompt tokens found in the prefix cache
 * @param arrivalNs arrival
 * @param queuedNs when the engine read it from its input queue, at a step boundary
 * @param scheduledNs start of the step plan that first took prompt tokens of it
 * @param firstTokenNs first token
 * @param lastTokenNs last token
 * @param rounds decode rounds
 * @param accepted drafted tokens that it emitted: output tokens beyond one per round and one per completed prompt
 * @param preemptions times it lost its memory and computed its prompt again
 * @param partial cut short to start a closed loop in mid-phase; counts in no figure
 */
public record ServedRequest(
        long id,
        String workload,
        int isl,
        int osl,
        int cachedTokens,
        long arrivalNs,
        long queuedNs,
        long scheduledNs,
        long firstTokenNs,
        long lastTokenNs,
        int rounds,
        int accepted,
        int preemptions,
        boolean partial) {

    /** Arrival to first token, ms. */
    public double ttftMs() {
        return (firstTokenNs - arrivalNs) / 1e6;
    }

    /** Arrival to last token, ms. */
    public double e2eMs() {
        return (lastTokenNs - arrivalNs) / 1e6;
    }

    /** Arrival to the first step that works on it, ms. */
    public double queueMs() {
        return (scheduledNs - arrivalNs) / 1e6;
    }

    /** (last token - first token) / (output - 1), ms; only for outputs of 2 tokens and more. */
    public double tpotMs() {
        if (osl < 2) {
            throw new IllegalStateException("a single token has no time per output token");
        }
        return (lastTokenNs - firstTokenNs) / 1e6 / (osl - 1);
    }
}
