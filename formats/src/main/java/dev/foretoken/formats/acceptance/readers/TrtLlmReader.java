package dev.foretoken.formats.acceptance.readers;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;

/**
 * TensorRT-LLM {@code /perf_metrics}: per request the totals of accepted and proposed drafts and the iterations between first
 * and last token, which are its rounds; or, where the server returns it, the per-choice {@code speculative_decoding} block
 * with a histogram. {@code avg_decoded_tokens_per_iter} also averages over iterations without drafts and is not used.
 */
final class TrtLlmReader implements AcceptanceReader {
    @Override
    public String id() {
        return "trtllm-perf-metrics";
    }

    @Override
    public String description() {
        return "TensorRT-LLM /perf_metrics records (totals) and per-choice speculative_decoding blocks";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("\"total_accepted_draft_tokens\"");
    }

    @Override
    public void read(LineReader lines, AcceptanceSink sink) throws IOException {
        JsonRecords.forEach(lines, sink, (record, line) -> {
            JsonNode block = JsonRecords.find(record, n -> n.has("total_accepted_draft_tokens"));
            if (block == null) {
                sink.skip(line, "no speculative_decoding block (nothing was drafted)");
                return;
            }
            sink.observe(line, () -> observation(record, block, sink));
        });
    }

    private static AcceptanceObservation observation(JsonNode record, JsonNode block, AcceptanceSink sink) {
        AcceptanceKey key = sink.key(new AcceptanceKey(
                JsonRecords.text(record, "workload"), JsonRecords.text(record, "method"), "tensorrt-llm", null));
        String id = JsonRecords.text(record, "request_id", "id");
        long accepted = JsonRecords.requiredCount(block, "total_accepted_draft_tokens");
        long drafted = JsonRecords.requiredCount(block, "total_draft_tokens");
        Double rate = JsonRecords.number(block, "acceptance_rate");
        if (rate != null && rate > 1) {
            throw new IllegalArgumentException("acceptance rate above 1: " + rate);
        }
        if (drafted == 0) {
            throw new IllegalArgumentException(
                    "counters are 0 (the PyTorch one-engine path did not fill them before TensorRT-LLM#17082)");
        }
        Long k = JsonRecords.count(block, "num_spec_tokens");
        DraftDesign design = k == null ? DraftDesign.UNKNOWN : DraftDesign.chain(k.intValue());
        long[] histogram = JsonRecords.histogram(block.get("acceptance_histogram"), "acceptance_histogram");
        if (histogram != null) {
            AcceptanceObservation o = AcceptanceObservation.ofHistogram(key, design, id, histogram, drafted, null);
            if (o.acceptedDrafts() != accepted) {
                throw new IllegalArgumentException("acceptance_histogram has " + o.acceptedDrafts()
                        + " accepted drafts, total_accepted_draft_tokens is " + accepted);
            }
            return o;
        }
        JsonNode perf = JsonRecords.find(record, n -> n.has("first_iter") && n.has("last_iter"));
        if (perf == null) {
            throw new IllegalArgumentException("neither histogram nor first_iter and last_iter: rounds are unknown");
        }
        long rounds = JsonRecords.requiredCount(perf, "last_iter") - JsonRecords.requiredCount(perf, "first_iter");
        sink.converted("TensorRT-LLM: rounds = last_iter - first_iter");
        return AcceptanceObservation.ofTotals(key, design, id, rounds, accepted, drafted);
    }
}
