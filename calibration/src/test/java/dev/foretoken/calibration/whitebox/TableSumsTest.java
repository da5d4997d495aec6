package dev.foretoken.calibration.whitebox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.model.TargetModel;
import dev.foretoken.sim.round.RoundTime;
import dev.foretoken.sim.whitebox.Kernels;
import dev.foretoken.sim.whitebox.Mode;
import dev.foretoken.sim.whitebox.WhiteBox;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.junit.jupiter.api.Test;

/** Table mode against kernel sums computed apart from this code: Qwen3.6-27B, one query token over 1,024 KV tokens. */
class TableSumsTest {
    private static final TargetModel MODEL = Bundled.CATALOGUE.model("qwen3.6-27b");

    private static CSVParser parse(String file) throws IOException {
        return CSVParser.parse(
                Bundled.shared(file),
                StandardCharsets.UTF_8,
                CSVFormat.DEFAULT
                        .builder()
                        .setHeader()
                        .setSkipHeaderRecord(true)
                        .get());
    }

    @Test
    void kernelSumsOfOnePassAreTheTablesWithinTwoPercent() throws IOException {
        Map<String, Kernels> kernels = new HashMap<>();
        int compared = 0;
        double worst = 0;
        try (CSVParser rows = parse("synth_step_qwen36_27b_tp1.csv")) {
            for (CSVRecord r : rows) {
                if (r.get("sum_ms").isEmpty()) {
                    continue; // the reference has no recurrent kernel for it
                }
                String card = Bundled.card(r.get("system"));
                String engine = r.get("framework").replace(' ', '-');
                Dtype weights = r.get("dtype").equals("bfloat16") ? Dtype.BF16 : Dtype.of(r.get("dtype"));
                int batch = Integer.parseInt(r.get("batch"));
                int width = Integer.parseInt(r.get("q_len"));
                WhiteBox box = WhiteBox.of(
                        kernels.computeIfAbsent(
                                card + engine, k -> Bundled.kernels(card, engine, false, null, Mode.TABLE)),
                        MODEL,
                        1,
                        weights,
                        Dtype.BF16,
                        Dtype.FP32,
                        Bundled.plain(width));
                RoundTime t = box.explain(batch, (long) batch * width, 1024, 1024);
                assertTerm(r, "sum_ms", t.roundMs());
                assertTerm(r, "lm_head_bf16_ms", t.termsMs().get("lm_head"));
                assertTerm(r, "gdn_kernel_ms", t.termsMs().get("recurrent_state"));
                assertTerm(r, "attn_kernel_q1_kv1024_ms", t.termsMs().get("attention"));
                worst = Math.max(worst, Math.abs(t.roundMs() / Double.parseDouble(r.get("sum_ms")) - 1));
                compared++;
            }
        }
        assertTrue(compared >= 400, compared + " rows");
        System.out.printf("kernel sums: %d rows, worst %.3f %%%n", compared, 100 * worst);
    }

    private static void assertTerm(CSVRecord r, String column, double ms) {
        double expected = Double.parseDouble(r.get(column));
        assertEquals(expected, ms, 0.02 * expected + 0.0006, () -> column + " of " + r);
    }

    @Test
    void allReducesOfOnePassAreTheTablesWithinFivePercent() throws IOException {
        Map<String, WhiteBox> boxes = new HashMap<>();
        int compared = 0;
        try (CSVParser rows = parse("synth_allreduce_qwen36_27b.csv")) {
            for (CSVRecord r : rows) {
                String card = Bundled.card(r.get("system"));
                int tp = Integer.parseInt(r.get("tp"));
                WhiteBox box = boxes.computeIfAbsent(
                        card + tp,
                        k -> WhiteBox.of(
                                Bundled.kernels(card, "sglang", true, null, Mode.TABLE),
                                MODEL,
                                tp,
                                Dtype.BF16,
                                Dtype.BF16,
                                Dtype.FP32,
                                Bundled.plain(1)));
                int m = Integer.parseInt(r.get("M"));
                double expected = Double.parseDouble(r.get("ms_per_step_128_allreduces"));
                double ms = box.explain(m, m, 1024, 1024).termsMs().get("all_reduce");
                assertEquals(expected, ms, 0.05 * expected, r::toString);
                compared++;
            }
        }
        assertTrue(compared >= 100, compared + " rows");
    }
}
