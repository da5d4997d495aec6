package dev.foretoken.validation.importers;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.sim.result.Point;
import java.util.ArrayList;
import java.util.List;

/**
 * guidellm result files of version 2. Its inter_token_latency is (last - first)/(n - 1): the decode time per token here. Its
 * time_per_output_token is (last token - request start)/n and contains the time to first token, so it is not used. Figures
 * are those of its window after warm-up and cool-down are cut off.
 */
final class GuidellmImporter implements ResultImporter {
    @Override
    public String id() {
        return "guidellm";
    }

    @Override
    public String description() {
        return "guidellm version 2 results (JSON)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("\"guidellm_version\"");
    }

    @Override
    public List<ImportedRun> read(String name, String text) {
        JsonNode root = Values.objects(name, text).get(0);
        Long version = Values.count(root.path("metadata").get("version"));
        if (version != null && version > 2) {
            throw new IllegalArgumentException(name + " is of guidellm file version " + version + ", this reads 2");
        }
        String client =
                "guidellm " + root.path("metadata").path("guidellm_version").asText("");
        List<ImportedRun> runs = new ArrayList<>();
        int i = 0;
        for (JsonNode bench : root.path("benchmarks")) {
            i++;
            runs.add(run(name + " benchmark " + i, client.strip(), root, bench));
        }
        if (runs.isEmpty()) {
            throw new IllegalArgumentException(name + " holds no benchmark");
        }
        return runs;
    }

    private static ImportedRun run(String source, String client, JsonNode root, JsonNode bench) {
        ImportBuilder b = new ImportBuilder(source, client);
        JsonNode strategy = bench.path("config").path("strategy");
        String type = strategy.path("type_").asText("");
        if (type.equals("concurrent")) {
            b.concurrency = Values.integer(strategy.get("streams"));
        } else if (type.equals("synchronous")) {
            b.concurrency = 1;
        } else if (strategy.has("rate")) {
            b.ratePerS = Values.positive(strategy.get("rate"));
            b.burstiness = type.equals("poisson") ? 1.0 : Double.POSITIVE_INFINITY;
        }
        JsonNode m = bench.path("metrics");
        b.model = Values.text(root.path("config").path("spec").path("backend").get("model"));
        b.ttftMs = stat(m, "time_to_first_token_ms", 1);
        b.tpotMs = stat(m, "inter_token_latency_ms", 1);
        b.note(
                "guidellm: inter_token_latency_ms read as decode time per token; time_per_output_token_ms contains the time to"
                        + " first token and was ignored");
        b.e2eMs = stat(m, "request_latency", 1000);
        b.outputTokS = Values.positive(
                m.path("output_tokens_per_second").path("successful").get("mean"));
        b.meanPromptTokens =
                Values.positive(m.path("prompt_token_count").path("successful").get("mean"));
        b.meanOutputTokens =
                Values.positive(m.path("output_token_count").path("successful").get("mean"));
        b.completed = Values.count(m.path("request_totals").get("successful"));
        b.failed = Values.count(m.path("request_totals").get("errored"));
        Double perIteration = Values.positive(
                m.path("output_tokens_per_iteration").path("successful").get("mean"));
        if (perIteration != null && perIteration > 1.05) {
            b.acceptLength = perIteration;
            b.note("guidellm: output tokens per iteration read as accept length (one event per round)");
        }
        for (JsonNode r : bench.path("requests").path("successful")) {
            Double latency = Values.number(r.get("request_latency"));
            b.requests.add(new ImportedRun.ImportedRequest(
                    Values.integer(r.get("prompt_tokens")),
                    Values.integer(r.get("output_tokens")),
                    Values.number(r.get("time_to_first_token_ms")),
                    latency == null ? null : latency * 1000,
                    null));
        }
        return b.build();
    }

    private static Point.Stat stat(JsonNode metrics, String name, double scale) {
        JsonNode s = metrics.path(name).path("successful");
        if (s.path("count").asInt(1) == 0) {
            return null;
        }
        return Values.stat(
                Values.number(s.get("mean")),
                Values.number(s.get("median")),
                Values.number(s.path("percentiles").get("p95")),
                Values.number(s.path("percentiles").get("p99")),
                scale);
    }
}
