package dev.foretoken.validation.importers;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.sim.result.Point;
import dev.foretoken.validation.measure.Summary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * aiperf: the run file {@code profile_export_aiperf.json} and the records {@code profile_export.jsonl} (one request a line;
 * genai-perf has the same run file). inter_token_latency is (latency - TTFT)/(n - tokens in the first chunk): the decode time
 * per token here. inter_chunk_latency is the list of gaps between events.
 */
final class AiperfImporter implements ResultImporter {
    @Override
    public String id() {
        return "aiperf";
    }

    @Override
    public String description() {
        return "aiperf run files (JSON) and records (JSON Lines)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("\"aiperf_version\"") && head.contains("\"request_throughput\"")
                || (head.contains("\"benchmark_phase\"") && head.contains("\"request_start_ns\""));
    }

    @Override
    public List<ImportedRun> read(String name, String text) {
        List<JsonNode> objects = Values.objects(name, text);
        return objects.get(0).has("aiperf_version")
                ? List.of(summary(name, objects.get(0)))
                : List.of(records(name, objects));
    }

    private static ImportedRun summary(String name, JsonNode n) {
        ImportBuilder b =
                new ImportBuilder(name, "aiperf " + n.path("aiperf_version").asText());
        JsonNode input = n.path("input_config");
        b.model = Values.text(input.path("models").path("items").path(0).get("name"));
        for (JsonNode phase : input.path("phases")) {
            if (phase.path("kind").asText().equals("profiling")) {
                b.concurrency = Values.integer(phase.get("concurrency"));
                b.ratePerS = b.concurrency == null ? Values.positive(phase.get("rate")) : null;
            }
        }
        b.ttftMs = stat(n, "time_to_first_token");
        b.tpotMs = stat(n, "inter_token_latency");
        b.e2eMs = stat(n, "request_latency");
        b.roundGapMs = stat(n, "inter_chunk_latency");
        b.note("aiperf: inter_token_latency read as decode time per token; inter_chunk_latency as gaps between events");
        b.outputTokS = Values.positive(n.path("output_token_throughput").get("avg"));
        b.note("aiperf: throughput is over the whole profiling phase");
        b.meanPromptTokens = Values.positive(n.path("input_sequence_length").get("avg"));
        b.meanOutputTokens = Values.positive(n.path("output_sequence_length").get("avg"));
        b.completed = Values.count(n.path("request_count").get("avg"));
        JsonNode pooled = n.path("pooled_spec_decode_acceptance_histogram");
        if (pooled.isObject() || pooled.isArray()) {
            b.note("aiperf: pooled acceptance histogram not used (calibrate acceptance reads the records)");
        }
        return b.build();
    }

    private static Point.Stat stat(JsonNode n, String metric) {
        JsonNode m = n.path(metric);
        double scale = m.path("unit").asText("ms").startsWith("s") ? 1000 : 1;
        return Values.stat(m, scale, "avg", "p50", "p95", "p99");
    }

    private static ImportedRun records(String name, List<JsonNode> lines) {
        ImportBuilder b = new ImportBuilder(name, "aiperf records");
        List<Double> ttft = new ArrayList<>();
        List<Double> tpot = new ArrayList<>();
        List<Double> e2e = new ArrayList<>();
        List<Double> gaps = new ArrayList<>();
        double prompt = 0;
        double output = 0;
        long from = Long.MAX_VALUE;
        long to = Long.MIN_VALUE;
        int n = 0;
        for (JsonNode l : lines) {
            JsonNode meta = l.path("metadata");
            JsonNode m = l.path("metrics");
            if (!meta.path("benchmark_phase").asText().equals("profiling")
                    || meta.path("was_cancelled").asBoolean(false)) {
                b.note("aiperf: records of warm-up or cancelled requests were left out");
                continue;
            }
            Double first = value(m, "time_to_first_token");
            Double osl = value(m, "output_sequence_length");
            if (first == null || osl == null) {
                b.note("aiperf: records without first token or length were left out");
                continue;
            }
            n++;
            ttft.add(first);
            tpot.add(value(m, "inter_token_latency"));
            e2e.add(value(m, "request_latency"));
            double[] g = Values.numbers(m.path("inter_chunk_latency").get("value"), 1);
            if (g != null) {
                Arrays.stream(g).forEach(gaps::add);
            }
            Double isl = value(m, "input_sequence_length");
            prompt += isl == null ? 0 : isl;
            output += osl;
            from = Math.min(from, meta.path("request_start_ns").asLong());
            to = Math.max(to, meta.path("request_end_ns").asLong());
            b.requests.add(new ImportedRun.ImportedRequest(
                    isl == null ? null : isl.intValue(), osl.intValue(), first, value(m, "request_latency"), g));
        }
        if (n == 0) {
            throw new IllegalArgumentException(name + " holds no complete record of the profiling phase");
        }
        b.completed = (long) n;
        b.meanPromptTokens = prompt > 0 ? prompt / n : null;
        b.meanOutputTokens = output / n;
        b.outputTokS = to > from ? output / ((to - from) / 1e9) : null;
        b.note("aiperf: throughput from first start to last end, ramp and drain included");
        b.ttftMs = Values.stat(ttft);
        b.tpotMs = Values.stat(tpot);
        b.e2eMs = Values.stat(e2e);
        Summary s = Summary.of(gaps);
        b.roundGapMs = s == null ? null : new Point.Stat(s.mean(), s.p50(), s.p95(), s.p99(), null);
        return b.build();
    }

    private static Double value(JsonNode metrics, String name) {
        return Values.number(metrics.path(name).get("value"));
    }
}
