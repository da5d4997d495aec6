package dev.foretoken.validation.importers;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.sim.result.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * InferenceX (formerly InferenceMAX) rows: hw, framework, precision, tp, conc, lengths; latencies in seconds; throughput per
 * GPU over input and output tokens, of which the output part is taken. Speculation is named as mtp or none.
 */
final class InferenceXImporter implements ResultImporter {
    @Override
    public String id() {
        return "inferencex";
    }

    @Override
    public String description() {
        return "InferenceX result rows (JSON)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("\"tput_per_gpu\"") && head.contains("\"conc\"");
    }

    @Override
    public List<ImportedRun> read(String name, String text) {
        List<ImportedRun> runs = new ArrayList<>();
        int i = 0;
        for (JsonNode n : Values.objects(name, text)) {
            i++;
            if (n.has("tput_per_gpu")) {
                runs.add(run(name + " row " + i, n));
            }
        }
        if (runs.isEmpty()) {
            throw new IllegalArgumentException(name + " holds no InferenceX row");
        }
        return runs;
    }

    private static ImportedRun run(String source, JsonNode n) {
        ImportBuilder b = new ImportBuilder(source, "InferenceX");
        b.gpu = Values.text(n.get("hw"));
        b.engine = Values.text(n.get("framework"));
        b.model = Values.text(n.get("model"));
        b.quantization = Values.text(n.get("precision"));
        b.tp = Values.integer(n.get("tp"));
        b.concurrency = Values.integer(n.get("conc"));
        String spec = Values.text(n.get("spec_decoding"));
        b.speculative = spec == null ? null : spec.toLowerCase(Locale.ROOT).equals("none") ? "" : spec;
        b.meanPromptTokens = Values.positive(n.get("isl"));
        b.meanOutputTokens = Values.positive(n.get("osl"));
        b.ttftMs = Values.stat(n, 1000, "mean_ttft", "median_ttft", "p95_ttft", "p99_ttft");
        b.tpotMs = Values.stat(n, 1000, "mean_tpot", "median_tpot", "p95_tpot", "p99_tpot");
        b.e2eMs = Values.stat(n, 1000, "mean_e2el", "median_e2el", "p95_e2el", "p99_e2el");
        Point.Stat itl = Values.stat(n, 1000, "mean_itl", "median_itl", "p95_itl", "p99_itl");
        if (itl != null) {
            b.roundGapMs = itl;
            b.note("InferenceX: ITL is the gap between events, not a time per token");
        }
        throughput(n, b);
        return b.build();
    }

    private static void throughput(JsonNode n, ImportBuilder b) {
        int cards = b.tp == null ? 1 : b.tp;
        Double output = Values.positive(n.get("output_tput_per_gpu"));
        Double total = Values.positive(n.get("tput_per_gpu"));
        if (b.tp == null) {
            b.note("InferenceX: tp is not stated, throughput is per GPU and was not used");
        } else if (output != null) {
            b.outputTokS = output * cards;
        } else if (total != null && b.meanPromptTokens != null && b.meanOutputTokens != null) {
            b.outputTokS = total * cards * b.meanOutputTokens / (b.meanPromptTokens + b.meanOutputTokens);
            b.note("InferenceX: tput_per_gpu counts input and output tokens; the output part is taken by the lengths");
        }
    }
}
