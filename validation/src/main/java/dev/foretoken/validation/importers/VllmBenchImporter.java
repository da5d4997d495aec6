package dev.foretoken.validation.importers;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code vllm bench serve}, plain or with {@code --save-detailed}. TPOT is (latency - TTFT)/(n - 1), as here. ITL is a gap per
 * event: with speculation about one round, never a time per token. {@code spec_decode_acceptance_rate} is in percent. The file
 * names neither card nor TP nor drafts.
 */
final class VllmBenchImporter implements ResultImporter {
    @Override
    public String id() {
        return "vllm-bench";
    }

    @Override
    public String description() {
        return "vllm bench serve results (plain and --save-detailed)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("\"output_throughput\"")
                && head.contains("\"model_id\"")
                && !head.contains("\"server_info\"");
    }

    @Override
    public List<ImportedRun> read(String name, String text) {
        List<ImportedRun> runs = new ArrayList<>();
        int line = 0;
        for (JsonNode n : Values.objects(name, text)) {
            line++;
            if (n.has("output_throughput") && n.has("model_id")) {
                runs.add(run(name + " run " + line, n));
            }
        }
        if (runs.isEmpty()) {
            throw new IllegalArgumentException(name + " holds no run of vllm bench serve");
        }
        return runs;
    }

    private static ImportedRun run(String source, JsonNode n) {
        ImportBuilder b = new ImportBuilder(source, "vllm bench serve");
        String backend = Values.text(n.get("backend"));
        b.engine = "vllm".equals(backend) ? "vllm" : null;
        b.model = Values.text(n.get("model_id"));
        b.concurrency = Values.integer(n.get("max_concurrency"));
        Double rate = Values.positive(n.get("request_rate"));
        if (rate != null && b.concurrency == null) {
            b.ratePerS = rate;
            b.burstiness = Values.positive(n.get("burstiness"));
        } else if (rate != null && !n.has("mean_client_queue_time_ms")) {
            b.note(
                    "vllm: both a request rate and a concurrency limit were set: waiting in the client is not in its latencies");
        }
        b.prompts = Values.count(n.get("num_prompts"));
        b.completed = Values.count(n.get("completed"));
        b.failed = Values.count(n.get("failed"));
        b.outputTokS = Values.positive(n.get("output_throughput"));
        b.note("vllm: throughput is over the whole run, ramp and drain included");
        b.ttftMs = Values.stat(n, 1, "mean_ttft_ms", "median_ttft_ms", "p95_ttft_ms", "p99_ttft_ms");
        b.tpotMs = Values.stat(n, 1, "mean_tpot_ms", "median_tpot_ms", "p95_tpot_ms", "p99_tpot_ms");
        b.roundGapMs = Values.stat(n, 1, "mean_itl_ms", "median_itl_ms", "p95_itl_ms", "p99_itl_ms");
        if (b.roundGapMs != null) {
            b.note("vllm: ITL is the gap between events (about one round with speculation), not a time per token");
        }
        String e2e = n.has("mean_e2el_including_client_queue_ms") ? "e2el_including_client_queue_ms" : "e2el_ms";
        b.e2eMs = Values.stat(n, 1, "mean_" + e2e, "median_" + e2e, "p95_" + e2e, "p99_" + e2e);
        b.peakTokS = Values.positive(n.get("max_output_tokens_per_s"));
        Double completed = Values.positive(n.get("completed"));
        Double in = Values.positive(n.get("total_input_tokens"));
        Double out = Values.positive(n.get("total_output_tokens"));
        b.meanPromptTokens = in == null || completed == null ? null : in / completed;
        b.meanOutputTokens = out == null || completed == null ? null : out / completed;
        speculation(n, b);
        details(n, b);
        return b.build();
    }

    private static void speculation(JsonNode n, ImportBuilder b) {
        Double length = Values.positive(n.get("spec_decode_acceptance_length"));
        Double drafts = Values.positive(n.get("spec_decode_num_drafts"));
        Double accepted = Values.number(n.get("spec_decode_accepted_tokens"));
        Double draftTokens = Values.positive(n.get("spec_decode_draft_tokens"));
        Double percent = Values.number(n.get("spec_decode_acceptance_rate"));
        if (percent != null && (percent < 0 || percent > 100)) {
            b.note("vllm: spec_decode_acceptance_rate " + percent + " is no percentage and was ignored");
        }
        if (length == null && drafts == null) {
            return;
        }
        b.speculative = "on";
        double[] rates = Values.numbers(n.get("spec_decode_per_position_acceptance_rates"), 1);
        if (rates != null && rates.length > 0) {
            b.survival = rates;
            b.draftTokens = rates.length;
        } else if (draftTokens != null && drafts != null) {
            b.draftTokens = (int) Math.round(draftTokens / drafts);
        }
        Double fromCounts = drafts == null || accepted == null ? null : 1 + accepted / drafts;
        if (fromCounts != null) {
            b.acceptLength = fromCounts;
            if (length != null && Math.abs(length - (fromCounts - 1)) < 0.02) {
                b.note("vllm: acceptance length without the bonus token (before May 2025): 1 added");
            }
        } else if (length >= 1) {
            b.acceptLength = length;
        }
    }

    private static void details(JsonNode n, ImportBuilder b) {
        JsonNode ttfts = n.path("ttfts");
        JsonNode outs = n.path("output_lens");
        for (int i = 0; i < ttfts.size() && i < outs.size(); i++) {
            Double ttft = Values.number(ttfts.get(i));
            double[] gaps = Values.numbers(n.path("itls").get(i), 1000);
            Double latency = Values.number(n.path("latencies").get(i));
            Double e2e = latency != null
                    ? Double.valueOf(latency * 1000)
                    : ttft == null || gaps == null
                            ? null
                            : Double.valueOf(
                                    ttft * 1000 + java.util.Arrays.stream(gaps).sum());
            b.requests.add(new ImportedRun.ImportedRequest(
                    Values.integer(n.path("input_lens").get(i)),
                    Values.integer(outs.get(i)),
                    ttft == null ? null : ttft * 1000,
                    e2e,
                    gaps));
        }
    }
}
