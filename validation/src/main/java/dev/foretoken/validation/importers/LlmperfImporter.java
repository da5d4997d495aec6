package dev.foretoken.validation.importers;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.sim.result.Point;
import java.util.List;

/**
 * llmperf {@code *_summary.json}, in seconds, keys with or without {@code results_}. Its inter_token_latency sums all gaps
 * with the time to first token and divides by a token count made with a Llama tokenizer: the decode time per token is taken
 * back from the means, (ITL n - TTFT)/(n - 1). A closed loop.
 */
final class LlmperfImporter implements ResultImporter {
    @Override
    public String id() {
        return "llmperf";
    }

    @Override
    public String description() {
        return "llmperf summaries (JSON)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("inter_token_latency_s") && head.contains("num_concurrent_requests")
                || head.contains("results_inter_token_latency_s");
    }

    @Override
    public List<ImportedRun> read(String name, String text) {
        JsonNode n = Values.objects(name, text).get(0);
        ImportBuilder b = new ImportBuilder(name, "llmperf");
        b.model = Values.text(n.get("model"));
        b.concurrency = Values.integer(n.get("num_concurrent_requests"));
        b.completed = Values.count(get(n, "num_completed_requests"));
        b.failed = Values.count(get(n, "number_errors"));
        b.ttftMs = stat(n, "ttft_s");
        b.e2eMs = stat(n, "end_to_end_latency_s");
        b.outputTokS = Values.positive(get(n, "mean_output_throughput_token_per_s"));
        b.meanPromptTokens = Values.positive(get(n, "number_input_tokens_mean"));
        b.meanOutputTokens = Values.positive(get(n, "number_output_tokens_mean"));
        Double itl = Values.positive(get(n, "inter_token_latency_s_mean"));
        if (itl != null && b.ttftMs != null && b.meanOutputTokens != null && b.meanOutputTokens > 1) {
            double tokens = b.meanOutputTokens;
            double decode = (itl * 1000 * tokens - b.ttftMs.mean()) / (tokens - 1);
            if (decode > 0) {
                b.tpotMs = Point.Stat.mean(decode);
                b.note(
                        "llmperf: inter_token_latency contains the time to first token; decode time per token taken back from"
                                + " the means");
            }
        }
        b.note("llmperf: tokens were counted with a Llama tokenizer from text, not by the server");
        return List.of(b.build());
    }

    private static JsonNode get(JsonNode n, String key) {
        return n.has("results_" + key) ? n.get("results_" + key) : n.get(key);
    }

    private static Point.Stat stat(JsonNode n, String key) {
        return Values.stat(
                Values.number(get(n, key + "_mean")),
                Values.number(get(n, key + "_quantiles_p50")),
                Values.number(get(n, key + "_quantiles_p95")),
                Values.number(get(n, key + "_quantiles_p99")),
                1000);
    }
}
