package dev.foretoken.sim.serving;

import dev.foretoken.sim.round.RoundTimeModel;

/**
 * A step after it returned.
 *
 * @param startNs when it began to run, ns
 * @param endNs when it returned, ns
 * @param requests decode rows' requests
 * @param rows query tokens of the decode rows after padding
 * @param meanContext mean KV length of those requests, tokens
 * @param maxContext largest KV length, tokens
 * @param prefillTokens prompt tokens
 * @param prefillRequests requests whose prompts were worked on
 * @param prefillContext mean tokens of those prompts that were in the cache before
 * @param emitted tokens that requests received
 * @param resident resident requests when it was scheduled
 * @param waiting requests in the queue when it returned
 * @param usedPages KV pages in use when it returned
 * @param budget draft budget (the largest of the round)
 * @param rounds times of such rounds, for {@link RoundTimeModel#explain}
 */
public record EngineStep(
        long startNs,
        long endNs,
        int requests,
        long rows,
        double meanContext,
        int maxContext,
        long prefillTokens,
        int prefillRequests,
        double prefillContext,
        int emitted,
        int resident,
        int waiting,
        long usedPages,
        int budget,
        RoundTimeModel rounds) {

    /** Time of the step, ms. */
    public double ms() {
        return (endNs - startNs) / 1e6;
    }
}
