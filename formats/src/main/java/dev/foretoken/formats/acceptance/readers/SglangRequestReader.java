package dev.foretoken.formats.acceptance.readers;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;

/**
 * SGLang per-request details: {@code sglext.spec_tokens_details} of the OpenAI routes (request field {@code
 * return_spec_tokens_details}) or {@code meta_info} of {@code /generate}. The histogram is {@code
 * spec_correct_drafts_histogram}, called {@code spec_accept_histogram} before 0.5.23.
 *
 * <p>Identities checked (sgl-project/sglang#33518: 106 tokens, 43 verify steps, 5 drafts, histogram 11 14 11 4 0 3): tokens /
 * steps = spec_accept_length; steps x drafts = proposed; correct / proposed = spec_accept_rate; the histogram sums to the
 * steps; weighted it sums to the correct drafts. spec_accept_length counts emitted tokens (the first comes from prefill, an
 * answer may overshoot), so 1 + correct / steps is used instead; the rate divides by all nodes of a tree and is not used.
 */
final class SglangRequestReader implements AcceptanceReader {
    private static final double PRINTED = 2e-2;

    @Override
    public String id() {
        return "sglang-request";
    }

    @Override
    public String description() {
        return "SGLang responses with spec_tokens_details or meta_info (old and new histogram names)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("\"spec_verify_ct\"");
    }

    @Override
    public void read(LineReader lines, AcceptanceSink sink) throws IOException {
        JsonRecords.forEach(lines, sink, (record, line) -> {
            JsonNode block = JsonRecords.find(record, n -> n.has("spec_verify_ct"));
            if (block == null) {
                if (!record.has("choices")) {
                    sink.skip(line, "no spec_verify_ct (speculation is off, or details were not asked for)");
                }
                return;
            }
            sink.observe(line, () -> observation(record, block, sink));
        });
    }

    private static AcceptanceObservation observation(JsonNode record, JsonNode block, AcceptanceSink sink) {
        AcceptanceKey key = sink.key(new AcceptanceKey(
                JsonRecords.text(record, "workload"),
                JsonRecords.text(record, "method"),
                "sglang",
                JsonRecords.text(record, "version")));
        String id = JsonRecords.text(block, "id");
        id = id != null ? id : JsonRecords.text(record, "id", "rid");
        long rounds = JsonRecords.requiredCount(block, "spec_verify_ct");
        if (rounds == 0) {
            throw new IllegalArgumentException("spec_verify_ct is 0: nothing was verified");
        }
        Long tokens = JsonRecords.count(block, "completion_tokens");
        Long correct = JsonRecords.count(block, "spec_num_correct_drafts", "spec_accept_token_num");
        Long proposed = JsonRecords.count(block, "spec_num_proposed_drafts", "spec_draft_token_num");
        Double length = JsonRecords.number(block, "spec_accept_length");
        Double rate = JsonRecords.number(block, "spec_accept_rate");
        long[] histogram = histogram(block, rounds, correct, sink);
        long accepted = accepted(rounds, tokens, correct, histogram, sink);
        checkIdentities(rounds, tokens, accepted, proposed, length, rate);
        DraftDesign design =
                proposed != null && proposed % rounds == 0 ? design(proposed / rounds, histogram) : DraftDesign.UNKNOWN;
        return histogram == null
                ? AcceptanceObservation.ofTotals(key, design, id, rounds, accepted, proposed)
                : AcceptanceObservation.ofHistogram(key, design, id, histogram, proposed, null);
    }

    /** proposed per step is the depth of a chain or the nodes of a tree: only a full-length histogram tells which. */
    private static DraftDesign design(long proposedPerStep, long[] histogram) {
        if (proposedPerStep > 0 && histogram != null && histogram.length - 1 == proposedPerStep) {
            return DraftDesign.chain((int) proposedPerStep);
        }
        return new DraftDesign(histogram == null ? null : histogram.length - 1, (int) proposedPerStep, null);
    }

    private static long[] histogram(JsonNode block, long rounds, Long correct, AcceptanceSink sink) {
        String name = block.hasNonNull("spec_correct_drafts_histogram")
                ? "spec_correct_drafts_histogram"
                : "spec_accept_histogram";
        long[] h = JsonRecords.histogram(block.get(name), name);
        if (h == null || h.length == 0) {
            return null;
        }
        if (name.equals("spec_accept_histogram")) {
            sink.converted("SGLang before 0.5.23: spec_accept_histogram read as the histogram of correct drafts");
        }
        if (correct != null && h[0] == 0 && weighted(h) == correct + rounds && h.length > 1) {
            sink.converted("SGLang histogram counts the bonus token: shifted by one");
            h = java.util.Arrays.copyOfRange(h, 1, h.length);
        }
        return h;
    }

    private static long weighted(long[] h) {
        long sum = 0;
        for (int j = 0; j < h.length; j++) {
            sum += j * h[j];
        }
        return sum;
    }

    private static long accepted(long rounds, Long tokens, Long correct, long[] histogram, AcceptanceSink sink) {
        if (histogram != null) {
            long sum = java.util.Arrays.stream(histogram).sum();
            if (sum != rounds) {
                throw new IllegalArgumentException("histogram has " + sum + " steps, spec_verify_ct is " + rounds);
            }
            long weighted = weighted(histogram);
            if (correct != null && weighted != correct) {
                throw new IllegalArgumentException(
                        "histogram has " + weighted + " correct drafts, spec_num_correct_drafts is " + correct);
            }
            return weighted;
        }
        if (correct != null) {
            return correct;
        }
        if (tokens == null) {
            throw new IllegalArgumentException("neither correct drafts, histogram nor completion_tokens");
        }
        sink.converted("SGLang: accepted drafts = completion tokens - verify steps - 1 (the first token is prefill's)");
        return Math.max(0, tokens - 1 - rounds);
    }

    private static void checkIdentities(
            long rounds, Long tokens, long accepted, Long proposed, Double length, Double rate) {
        if (tokens != null && length != null && Math.abs((double) tokens / rounds - length) > PRINTED) {
            throw new IllegalArgumentException("spec_accept_length " + length
                    + " is not completion_tokens / spec_verify_ct = " + (double) tokens / rounds);
        }
        if (proposed != null && proposed > 0) {
            double ratio = (double) accepted / proposed;
            if (rate != null && rate <= 1 && Math.abs(ratio - rate) > PRINTED) {
                throw new IllegalArgumentException(
                        "spec_accept_rate " + rate + " is not correct / proposed = " + accepted + " / " + proposed);
            }
        }
        if (rate != null && rate > 1) {
            throw new IllegalArgumentException("acceptance rate above 1: " + rate);
        }
    }
}
