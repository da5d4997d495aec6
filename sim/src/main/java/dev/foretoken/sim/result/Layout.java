package dev.foretoken.sim.result;

import java.util.Map;

/**
 * What all cards of the scenario do for a number of clients in all, split into equal replicas.
 *
 * @param variant as in {@link Point}
 * @param workload workload id
 * @param clients closed-loop clients over all replicas
 * @param tp cards per replica
 * @param replicas cards of the scenario / tp
 * @param concurrency clients per replica
 * @param method id of the best arm there
 * @param budget its budget, null without one
 * @param topK its top-k, null without one
 * @param draftTokens drafts per round, null where a budget says it
 * @param outputTokS output of all replicas, tokens per second
 * @param best whether no other layout puts out more for these clients
 */
public record Layout(
        Map<String, String> variant,
        String workload,
        int clients,
        int tp,
        int replicas,
        int concurrency,
        String method,
        Integer budget,
        Integer topK,
        Integer draftTokens,
        double outputTokS,
        boolean best) {
    public Layout {
        if (replicas < 1 || concurrency < 1 || clients != replicas * concurrency) {
            throw new IllegalArgumentException(
                    clients + " clients are not " + replicas + " replicas of " + concurrency + " clients");
        }
    }
}
