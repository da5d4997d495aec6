package dev.foretoken.validation.importers;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.sim.result.Point;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code llama-bench -o json} or {@code jsonl}: one row per test. A test with n_gen only is autoregressive decoding of one
 * sequence; one with n_prompt only is prefill, measured alone; mixed tests are left out.
 */
final class LlamaBenchImporter implements ResultImporter {
    @Override
    public String id() {
        return "llama-bench";
    }

    @Override
    public String description() {
        return "llama-bench results (JSON, JSON Lines)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("\"avg_ts\"") && head.contains("\"n_gen\"");
    }

    @Override
    public List<ImportedRun> read(String name, String text) {
        List<ImportedRun> runs = new ArrayList<>();
        int i = 0;
        for (JsonNode n : Values.objects(name, text)) {
            i++;
            Double speed = Values.positive(n.get("avg_ts"));
            Integer prompt = Values.integer(n.get("n_prompt"));
            Integer gen = Values.integer(n.get("n_gen"));
            if (speed == null || prompt == null || gen == null || (prompt > 0) == (gen > 0)) {
                continue;
            }
            ImportBuilder b = new ImportBuilder(name + " test " + i, "llama-bench");
            b.engine = "llama.cpp";
            b.version = Values.text(n.get("build_commit"));
            b.model = Values.text(n.get("model_type"));
            b.quantization = Values.text(n.get("model_type"));
            b.gpu = Values.text(n.get("gpu_info"));
            b.tp = 1;
            b.concurrency = 1;
            b.speculative = "";
            Integer depth = Values.integer(n.get("n_depth"));
            if (gen > 0) {
                b.outputTokS = speed;
                b.tpotMs = Point.Stat.mean(1000 / speed);
                b.meanOutputTokens = gen.doubleValue();
                b.meanPromptTokens = depth == null ? Double.valueOf(0) : Double.valueOf(depth);
                b.note("llama-bench: decoding of one sequence without a server");
            } else {
                b.prefillMsPerToken = 1000 / speed;
                b.meanPromptTokens = prompt.doubleValue();
                b.note("llama-bench: prefill of one sequence without a server");
            }
            runs.add(b.build());
        }
        if (runs.isEmpty()) {
            throw new IllegalArgumentException(name + " holds no pure decoding or prefill test");
        }
        return runs;
    }
}
