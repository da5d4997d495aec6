package dev.foretoken.validation.server;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * What a server says at one moment. Null = it does not say.
 *
 * @param engine engine id
 * @param version engine version
 * @param model model as the engine names it
 * @param tp tensor parallel size
 * @param quantization weight format
 * @param contextTokens longest context of a request
 * @param slots requests it can run at once
 * @param speculative method name; empty when it says that speculation is off
 * @param draftTokens drafted (or verified) tokens per round
 * @param graphBatch largest captured batch size, requests
 * @param running requests running now
 * @param waiting requests waiting now
 * @param generatedTokens since its start, summed over engines and ranks
 * @param promptTokens since its start
 * @param cachedTokens prompt tokens found in the prefix cache since its start
 * @param verifySteps rounds times requests in which drafts were verified
 * @param acceptedDrafts since its start
 * @param targetSteps forward passes of the target
 * @param preemptions requests retracted or recomputed
 * @param metricsPage the page itself, for the acceptance readers
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ServerSnapshot(
        String engine,
        String version,
        String model,
        Integer tp,
        String quantization,
        Integer contextTokens,
        Integer slots,
        String speculative,
        Integer draftTokens,
        Integer graphBatch,
        Double running,
        Double waiting,
        Double generatedTokens,
        Double promptTokens,
        Double cachedTokens,
        Double verifySteps,
        Double acceptedDrafts,
        Double targetSteps,
        Double preemptions,
        @com.fasterxml.jackson.annotation.JsonIgnore String metricsPage) {

    /** Nothing known but the engine. */
    static Builder of(String engine) {
        return new Builder(engine);
    }

    /** Collects what the pages say. */
    static final class Builder {
        private final String engine;
        String version;
        String model;
        Integer tp;
        String quantization;
        Integer contextTokens;
        Integer slots;
        String speculative;
        Integer draftTokens;
        Integer graphBatch;
        Double running;
        Double waiting;
        Double generatedTokens;
        Double promptTokens;
        Double cachedTokens;
        Double verifySteps;
        Double acceptedDrafts;
        Double targetSteps;
        Double preemptions;
        String metricsPage;

        private Builder(String engine) {
            this.engine = engine;
        }

        ServerSnapshot build() {
            return new ServerSnapshot(
                    engine,
                    version,
                    model,
                    tp,
                    quantization,
                    contextTokens,
                    slots,
                    speculative,
                    draftTokens,
                    graphBatch,
                    running,
                    waiting,
                    generatedTokens,
                    promptTokens,
                    cachedTokens,
                    verifySteps,
                    acceptedDrafts,
                    targetSteps,
                    preemptions,
                    metricsPage);
        }
    }
}
