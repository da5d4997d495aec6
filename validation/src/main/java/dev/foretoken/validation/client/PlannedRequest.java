package dev.foretoken.validation.client;

/**
 * A request to be sent.
 *
 * @param index number in the run, from 0
 * @param phase part of the run
 * @param workload workload id
 * @param prompt text
 * @param maxTokens output tokens asked for
 */
public record PlannedRequest(long index, Phase phase, String workload, String prompt, int maxTokens) {
    public PlannedRequest {
        if (maxTokens < 1) {
            throw new IllegalArgumentException("maxTokens must be at least 1: " + maxTokens);
        }
    }

    /** The same with another output length. */
    public PlannedRequest withMaxTokens(int tokens) {
        return new PlannedRequest(index, phase, workload, prompt, tokens);
    }
}
