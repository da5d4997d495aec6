package dev.foretoken.validation.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.foretoken.validation.client.RequestOptions;
import java.util.List;
import java.util.Optional;

/**
 * One inference engine as seen from outside: how to recognise it, which fields its requests take, where its counters are, and
 * how acceptance is forced. To add one: one class, one line in {@link EngineAdapters}, one page set in the contract test.
 */
public interface EngineAdapter {

    /** Engine name as scenarios spell it: sglang, vllm, llama.cpp, tensorrt-llm. */
    String id();

    /** Whether these pages are this engine's. */
    boolean recognises(ServerPages pages);

    /** What the pages say now. */
    ServerSnapshot snapshot(ServerPages pages);

    /** Adds the engine's own fields to a request that already has model, prompt, max_tokens, temperature and stream. */
    void decorate(ObjectNode body, RequestOptions options);

    /** Route (POST) that empties the prefix cache, where there is one. */
    Optional<String> flushRoute();

    /**
     * How a user forces acceptance when launching this engine; the project never starts or changes a user's server.
     *
     * @param forced what to force
     * @return lines to show; a line says so when the engine cannot do it
     */
    List<String> forcingSwitch(ForcedDrafts forced);

    /**
     * Acceptance to force.
     *
     * @param draftLength drafts per round
     * @param acceptLength mean tokens per round, bonus included; null when rates are given
     * @param survival P(at least i accepted) by position; null when a length is given
     */
    record ForcedDrafts(int draftLength, Double acceptLength, List<Double> survival) {
        public ForcedDrafts {
            if ((acceptLength == null) == (survival == null)) {
                throw new IllegalArgumentException("give either an accept length or survival rates");
            }
            if (acceptLength != null && !(acceptLength >= 1 && acceptLength <= draftLength + 1)) {
                throw new IllegalArgumentException(
                        "accept length " + acceptLength + " outside [1, " + (draftLength + 1) + "]");
            }
            if (survival != null && survival.size() != draftLength) {
                throw new IllegalArgumentException(
                        survival.size() + " survival rates for " + draftLength + " drafts per round");
            }
        }

        /** Mean tokens per round. */
        public double meanLength() {
            return acceptLength != null
                    ? acceptLength
                    : 1 + survival.stream().mapToDouble(Double::doubleValue).sum();
        }

        String rates() {
            return String.join(
                    ",", survival.stream().map(EngineAdapters::shortNumber).toList());
        }
    }
}
