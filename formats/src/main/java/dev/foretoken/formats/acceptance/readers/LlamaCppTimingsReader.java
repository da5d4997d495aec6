package dev.foretoken.formats.acceptance.readers;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;

/**
 * llama.cpp responses with {@code timings}. draft_n and draft_n_accepted are totals of the request and are present only if
 * something was drafted. Decode rounds = predicted_n - 1 - draft_n_accepted: the first token comes from prefill, every other
 * round commits its accepted drafts plus one. Rounds that drafted nothing are counted, as the server runs them.
 */
final class LlamaCppTimingsReader implements AcceptanceReader {
    @Override
    public String id() {
        return "llamacpp-timings";
    }

    @Override
    public String description() {
        return "llama.cpp responses with timings (totals per request)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("\"predicted_n\"");
    }

    @Override
    public void read(LineReader lines, AcceptanceSink sink) throws IOException {
        JsonRecords.forEach(lines, sink, (record, line) -> {
            JsonNode t = JsonRecords.find(record, n -> n.has("predicted_n"));
            if (t == null) {
                if (!record.has("choices") && !record.has("content")) {
                    sink.skip(line, "no timings");
                }
                return;
            }
            if (!t.has("draft_n")) {
                if (isFinal(record)) {
                    sink.skip(line, "timings without draft_n: nothing was drafted");
                }
                return;
            }
            if (isFinal(record)) {
                sink.observe(line, () -> observation(record, t, sink));
            }
        });
    }

    /** Streams with timings_per_token repeat growing timings in every chunk: only the last counts. */
    private static boolean isFinal(JsonNode record) {
        return record.path("stop").asBoolean(false)
                || record.has("usage")
                || record.path("choices").path(0).hasNonNull("finish_reason")
                || (!record.has("choices") && !record.has("stop"));
    }

    private static AcceptanceObservation observation(JsonNode record, JsonNode t, AcceptanceSink sink) {
        AcceptanceKey key = sink.key(new AcceptanceKey(
                JsonRecords.text(record, "workload"), JsonRecords.text(record, "method"), "llama.cpp", null));
        long predicted = JsonRecords.requiredCount(t, "predicted_n");
        long drafted = JsonRecords.requiredCount(t, "draft_n");
        long accepted = JsonRecords.requiredCount(t, "draft_n_accepted");
        sink.converted("llama.cpp timings: rounds = predicted_n - 1 - draft_n_accepted");
        return AcceptanceObservation.ofTotals(
                key, DraftDesign.UNKNOWN, JsonRecords.text(record, "id"), predicted - 1 - accepted, accepted, drafted);
    }
}
