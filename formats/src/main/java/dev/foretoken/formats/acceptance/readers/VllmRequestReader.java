package dev.foretoken.formats.acceptance.readers;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;

/**
 * vLLM responses with {@code metrics.speculative_decoding} (server flag {@code --per-request-spec-decode-metrics summary} or
 * {@code detailed}): a histogram of accepted drafts per step and, when detailed, the accepted drafts step by step. {@code
 * mean_acceptance_length} already holds the bonus token; steps without drafts are not counted by the engine.
 */
final class VllmRequestReader implements AcceptanceReader {
    private static final String BLOCK = "speculative_decoding";

    @Override
    public String id() {
        return "vllm-request";
    }

    @Override
    public String description() {
        return "vLLM responses with per-request speculative decoding metrics (summary or detailed)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("\"num_accepted_draft_tokens\"") && !head.contains("\"engine\"");
    }

    @Override
    public void read(LineReader lines, AcceptanceSink sink) throws IOException {
        JsonRecords.forEach(lines, sink, (record, line) -> {
            JsonNode block = JsonRecords.find(record, n -> n.has("num_accepted_draft_tokens"));
            if (block == null) {
                if (record.has("choices") && !record.path("choices").isEmpty()) {
                    return;
                }
                sink.skip(line, "no " + BLOCK + " block (the server flag is off, or n > 1)");
                return;
            }
            sink.observe(line, () -> observation(record, block, sink));
        });
    }

    private static AcceptanceObservation observation(JsonNode record, JsonNode block, AcceptanceSink sink) {
        AcceptanceKey key = sink.key(new AcceptanceKey(
                JsonRecords.text(record, "workload"), JsonRecords.text(record, "method"), "vllm", null));
        long rounds = JsonRecords.requiredCount(block, "num_spec_steps");
        long accepted = JsonRecords.requiredCount(block, "num_accepted_draft_tokens");
        Long drafted = JsonRecords.count(block, "num_draft_tokens");
        Long k = JsonRecords.count(block, "num_spec_tokens");
        DraftDesign design = k == null ? DraftDesign.UNKNOWN : DraftDesign.chain(k.intValue());
        String id = JsonRecords.text(record, "id", "request_id");
        int[] steps = JsonRecords.steps(block, "per_step_accepted");
        long[] histogram = JsonRecords.histogram(block.get("acceptance_histogram"), "acceptance_histogram");
        if (histogram == null && steps != null) {
            histogram = RoundHistogram.of(steps);
        }
        if (histogram == null) {
            return AcceptanceObservation.ofTotals(key, design, id, rounds, accepted, drafted);
        }
        if (steps != null && !java.util.Arrays.equals(RoundHistogram.of(steps), RoundHistogram.trimmed(histogram))) {
            throw new IllegalArgumentException("per_step_accepted does not match acceptance_histogram");
        }
        AcceptanceObservation o = AcceptanceObservation.ofHistogram(key, design, id, histogram, drafted, steps);
        if (o.rounds() != rounds || o.acceptedDrafts() != accepted) {
            throw new IllegalArgumentException("acceptance_histogram has " + o.rounds() + " steps and "
                    + o.acceptedDrafts() + " accepted drafts, not num_spec_steps " + rounds
                    + " and num_accepted_draft_tokens " + accepted);
        }
        return o;
    }
}
