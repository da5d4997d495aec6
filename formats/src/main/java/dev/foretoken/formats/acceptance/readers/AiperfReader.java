package dev.foretoken.formats.acceptance.readers;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;

/**
 * The acceptance record of aiperf: {@code engine}, {@code acceptance_histogram} (bonus excluded), {@code
 * num_accepted_draft_tokens}, {@code num_spec_steps} and optional per-step arrays. For llama.cpp aiperf spreads the totals
 * evenly to make up a histogram: it is dropped here and only the totals are used.
 */
final class AiperfReader implements AcceptanceReader {
    @Override
    public String id() {
        return "aiperf-acceptance";
    }

    @Override
    public String description() {
        return "aiperf acceptance records (its made-up llama.cpp histograms are not used)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("\"num_accepted_draft_tokens\"") && head.contains("\"engine\"");
    }

    @Override
    public void read(LineReader lines, AcceptanceSink sink) throws IOException {
        JsonRecords.forEach(lines, sink, (record, line) -> {
            JsonNode block = JsonRecords.find(record, n -> n.has("num_accepted_draft_tokens") && n.has("engine"));
            if (block == null) {
                sink.skip(line, "no acceptance record");
                return;
            }
            sink.observe(line, () -> observation(record, block, sink));
        });
    }

    private static AcceptanceObservation observation(JsonNode record, JsonNode block, AcceptanceSink sink) {
        String engine = JsonRecords.text(block, "engine");
        AcceptanceKey key = sink.key(new AcceptanceKey(
                JsonRecords.text(record, "workload"), JsonRecords.text(record, "method"), engine, null));
        String id = JsonRecords.text(record, "x_request_id", "request_id", "id");
        if (id == null && record.has("metadata")) {
            id = JsonRecords.text(record.get("metadata"), "x_request_id");
        }
        long rounds = JsonRecords.requiredCount(block, "num_spec_steps");
        long accepted = JsonRecords.requiredCount(block, "num_accepted_draft_tokens");
        Long drafted = JsonRecords.count(block, "num_draft_tokens");
        Long k = JsonRecords.count(block, "num_spec_tokens");
        DraftDesign design = k == null ? DraftDesign.UNKNOWN : DraftDesign.chain(k.intValue());
        long[] histogram = JsonRecords.histogram(block.get("acceptance_histogram"), "acceptance_histogram");
        boolean llamaCpp =
                engine != null && engine.toLowerCase(java.util.Locale.ROOT).matches("llama[._-]?cpp");
        if (llamaCpp) {
            if (histogram != null) {
                sink.converted(
                        "aiperf on llama.cpp: the histogram is made up by even spreading and was dropped; totals kept");
            }
            return AcceptanceObservation.ofTotals(key, design, id, rounds, accepted, drafted);
        }
        if (histogram == null) {
            return AcceptanceObservation.ofTotals(key, design, id, rounds, accepted, drafted);
        }
        AcceptanceObservation o = AcceptanceObservation.ofHistogram(
                key, design, id, histogram, drafted, JsonRecords.steps(block, "per_step_accepted"));
        if (o.rounds() != rounds || o.acceptedDrafts() != accepted) {
            throw new IllegalArgumentException("acceptance_histogram has " + o.rounds() + " steps and "
                    + o.acceptedDrafts() + " accepted drafts, the record says " + rounds + " and " + accepted);
        }
        return o;
    }
}
