package dev.foretoken.validation.importers;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * SGLang {@code bench_serving} (JSON Lines, one object per run). TPOT is (latency - TTFT)/(n - 1), as here. ITL is a gap per
 * event, or per re-tokenised token where it knew the accept length, and is not used as time per token. {@code accept_length}
 * is the server's lifetime value. Throughput is over the whole run, ramp and drain included.
 */
final class SglangBenchImporter implements ResultImporter {
    @Override
    public String id() {
        return "sglang-bench";
    }

    @Override
    public String description() {
        return "sglang bench_serving results (JSON Lines)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("\"output_throughput\"")
                && (head.contains("\"total_output_tokens_retokenized\"") || head.contains("\"server_info\""));
    }

    @Override
    public List<ImportedRun> read(String name, String text) {
        List<ImportedRun> runs = new ArrayList<>();
        int line = 0;
        for (JsonNode n : Values.objects(name, text)) {
            line++;
            if (n.has("output_throughput")) {
                runs.add(run(name + " run " + line, n));
            }
        }
        if (runs.isEmpty()) {
            throw new IllegalArgumentException(name + " holds no run of bench_serving");
        }
        return runs;
    }

    private static ImportedRun run(String source, JsonNode n) {
        ImportBuilder b = new ImportBuilder(source, "sglang bench_serving");
        JsonNode server = n.path("server_info");
        b.engine = "sglang";
        b.version = Values.text(server.get("version"));
        b.model = Values.text(server.get("model_path"));
        b.tp = Values.integer(server.get("tp_size"));
        b.quantization = Values.text(server.get("quantization"));
        b.slots = Values.integer(server.get("max_running_requests"));
        if (server.has("speculative_algorithm")) {
            String algorithm = Values.text(server.get("speculative_algorithm"));
            b.speculative = algorithm == null ? "" : algorithm;
        }
        b.draftTokens = Values.integer(server.get("speculative_num_draft_tokens"));
        b.concurrency = Values.integer(n.get("max_concurrency"));
        Double rate = Values.positive(n.get("request_rate"));
        if (b.concurrency == null && rate != null && rate < 1e6) {
            b.ratePerS = rate;
        } else if (b.concurrency != null && rate != null && rate < 1e6) {
            b.note(
                    "both a request rate and a concurrency limit were set: waiting in the client is not in its latencies");
        }
        b.prompts = Values.count(n.get("num_prompts"));
        b.completed = Values.count(n.get("completed"));
        b.outputTokS = Values.positive(n.get("output_throughput"));
        b.note("sglang: throughput is over the whole run, ramp and drain included");
        b.ttftMs = Values.stat(n, 1, "mean_ttft_ms", "median_ttft_ms", "p95_ttft_ms", "p99_ttft_ms");
        b.tpotMs = Values.stat(n, 1, "mean_tpot_ms", "median_tpot_ms", "p95_tpot_ms", "p99_tpot_ms");
        b.e2eMs = Values.stat(
                n, 1, "mean_e2e_latency_ms", "median_e2e_latency_ms", "p95_e2e_latency_ms", "p99_e2e_latency_ms");
        b.peakTokS = Values.positive(n.get("max_output_tokens_per_s"));
        Double completed = Values.positive(n.get("completed"));
        Double in = Values.positive(n.get("total_input_tokens"));
        Double out = Values.positive(n.get("total_output_tokens"));
        b.meanPromptTokens = in == null || completed == null ? null : in / completed;
        b.meanOutputTokens = out == null || completed == null ? null : out / completed;
        retokenized(n, out, b);
        accept(n, b);
        details(n, b);
        return b.build();
    }

    private static void retokenized(JsonNode n, Double out, ImportBuilder b) {
        Double again = Values.positive(n.get("total_output_tokens_retokenized"));
        if (again != null && out != null && Math.abs(again / out - 1) > 0.02) {
            b.note("sglang: tokens counted again from text (" + Math.round(again) + ") differ from the generated ones ("
                    + Math.round(out) + "); the generated ones are used");
        }
    }

    private static void accept(JsonNode n, ImportBuilder b) {
        Double accept = Values.positive(n.get("accept_length"));
        if (accept != null && accept >= 1) {
            b.acceptLength = accept;
            b.note("sglang: accept_length is the server's lifetime value, not this run's");
        } else if (accept != null) {
            b.note("sglang: accept_length " + accept + " is below 1 and was ignored");
        }
        if (n.has("mean_itl_ms")) {
            b.note("sglang: ITL is a gap per event (or per re-tokenised token): not used as time per token");
        }
    }

    private static void details(JsonNode n, ImportBuilder b) {
        JsonNode ttfts = n.path("ttfts");
        JsonNode outs = n.path("output_lens");
        for (int i = 0; i < ttfts.size() && i < outs.size(); i++) {
            Double ttft = Values.number(ttfts.get(i));
            double[] gaps = Values.numbers(n.path("itls").get(i), 1000);
            Double e2e = ttft == null || gaps == null
                    ? null
                    : ttft * 1000 + java.util.Arrays.stream(gaps).sum();
            b.requests.add(new ImportedRun.ImportedRequest(
                    Values.integer(n.path("input_lens").get(i)),
                    Values.integer(outs.get(i)),
                    ttft == null ? null : ttft * 1000,
                    e2e,
                    gaps));
        }
    }
}
