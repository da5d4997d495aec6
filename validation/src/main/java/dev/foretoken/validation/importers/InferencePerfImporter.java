package dev.foretoken.validation.importers;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.sim.result.Point;
import java.util.List;

/**
 * inference-perf {@code summary_} and {@code stage_N_lifecycle_metrics.json}, in seconds. time_per_output_token is
 * (latency - TTFT)/(n - 1), as here; normalized_time_per_output_token is latency/n and not used; before PR 410 its
 * inter_token_latency was a gap per event.
 */
final class InferencePerfImporter implements ResultImporter {
    @Override
    public String id() {
        return "inference-perf";
    }

    @Override
    public String description() {
        return "inference-perf lifecycle metrics (JSON)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("\"load_summary\"") && head.contains("\"successes\"");
    }

    @Override
    public List<ImportedRun> read(String name, String text) {
        JsonNode n = Values.objects(name, text).get(0);
        ImportBuilder b = new ImportBuilder(name, "inference-perf");
        JsonNode ok = n.path("successes");
        JsonNode latency = ok.path("latency");
        JsonNode load = n.path("load_summary");
        b.ratePerS = Values.positive(load.get("requested_rate"));
        Double achieved = Values.positive(load.get("achieved_rate"));
        if (b.ratePerS != null && achieved != null && achieved < 0.95 * b.ratePerS) {
            b.note("inference-perf: " + achieved + " requests/s were achieved of " + b.ratePerS + " requested");
        }
        b.completed = Values.count(ok.get("count"));
        b.failed = Values.count(n.path("failures").get("count"));
        b.ttftMs = stat(latency.path("time_to_first_token"));
        b.tpotMs = stat(latency.path("time_per_output_token"));
        b.e2eMs = stat(latency.path("request_latency"));
        b.note(
                "inference-perf: seconds; time_per_output_token read as decode time per token, the normalised one ignored");
        b.outputTokS = Values.positive(ok.path("throughput").get("output_tokens_per_sec"));
        b.meanPromptTokens = Values.positive(ok.path("prompt_len").get("mean"));
        b.meanOutputTokens = Values.positive(ok.path("output_len").get("mean"));
        return List.of(b.build());
    }

    private static Point.Stat stat(JsonNode s) {
        Double p50 = Values.number(s.get("median"));
        return Values.stat(
                Values.number(s.get("mean")),
                p50 != null ? p50 : Values.number(s.get("p50")),
                Values.number(s.get("p95")),
                Values.number(s.get("p99")),
                1000);
    }
}
