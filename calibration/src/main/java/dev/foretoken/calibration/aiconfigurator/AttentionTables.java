package dev.foretoken.calibration.aiconfigurator;

import dev.foretoken.calibration.aiconfigurator.Finding.Action;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code generation_attention_perf} (one query token per sequence; a table's {@code step} is the KV length before it) and
 * {@code context_attention_perf} (a whole prompt of {@code isl} tokens per sequence).
 */
final class AttentionTables {
    static final String GENERATION = "generation_attention_perf.parquet";
    static final String CONTEXT = "context_attention_perf.parquet";

    private static final Map<String, Class<?>> LAYOUT = new LinkedHashMap<>();

    static {
        LAYOUT.putAll(Layout.COMMON);
        for (String c : List.of("batch_size", "isl", "num_heads", "num_key_value_heads", "head_dim", "step")) {
            LAYOUT.put(c, Long.class);
        }
        LAYOUT.put("attn_dtype", String.class);
        LAYOUT.put("kv_cache_dtype", String.class);
    }

    private AttentionTables() {}

    static List<CurveFamily> read(TableStore store, String path, Cards.Card card, Findings findings) {
        String label = store.label(path);
        boolean generation = path.endsWith("/" + GENERATION);
        ParquetTable t = ParquetTable.read(label, store.bytes(path), LAYOUT, List.of("window_size"));
        boolean[] use = Layout.check(t, path, card, findings);
        Map<String, Map<String, CurveBuilder>> families = new TreeMap<>();
        for (int i = 0; i < t.rows(); i++) {
            double us = t.us(i);
            if (!use[i]) {
                continue;
            }
            String kernel = t.text("kernel_source", i);
            String kvDtype = Dtypes.ours(label, "kv_cache_dtype", t.text("kv_cache_dtype", i));
            String attnDtype = Dtypes.ours(label, "attn_dtype", t.text("attn_dtype", i));
            if (us == 0) {
                findings.add(label, kvDtype + " " + kernel, 1, Action.REJECTED, "zero time: nothing was measured");
                continue;
            }
            int heads = t.size("num_heads", i);
            int kvHeads = t.size("num_key_value_heads", i);
            int headDim = t.size("head_dim", i);
            int window = t.size("window_size", i);
            if (!attnDtype.equals("bf16")) {
                findings.add(
                        label, attnDtype + " products", 1, Action.UNUSED, "attention is priced with bf16 products");
                continue;
            }
            Shape shape = Shape.of("batch", t.size("batch_size", i))
                    .and("heads", heads)
                    .and("kv_heads", kvHeads)
                    .and("head_dim", headDim)
                    .and("window", window);
            long at = generation ? t.whole("step", i) + 1 : t.whole("isl", i);
            families.computeIfAbsent(kvDtype, d -> new TreeMap<>())
                    .computeIfAbsent(kernel, s -> new CurveBuilder())
                    .add(shape, at, us);
        }
        List<CurveFamily> out = new ArrayList<>();
        families.forEach((dtype, kernels) -> kernels.forEach((kernel, rows) -> {
            CurveFamily f = generation
                    ? rows.family(Op.ATTENTION_GENERATION, dtype, kernel, "kv_tokens", null, new double[0])
                    : rows.family(Op.ATTENTION_CONTEXT, dtype, kernel, "tokens", null, new double[0]);
            if (generation) {
                inspect(label, f, card, findings);
            }
            out.add(f);
        }));
        return out;
    }

    private static void inspect(String label, CurveFamily f, Cards.Card card, Findings findings) {
        int warm = 0;
        double fastest = 0;
        for (Curve c : f.curves()) {
            Shape s = c.shape();
            double perToken = 2.0 * s.get("kv_heads") * s.get("head_dim") * Dtypes.bytes(f.dtype()) * s.get("batch");
            for (int i = 0; i < c.size(); i++) {
                double tokens = s.get("window") == 0 ? c.at(i) : Math.min(c.at(i), s.get("window"));
                double gbPerS = perToken * tokens / c.medianUs(i) / 1e3;
                if (gbPerS > card.memoryGbPerS()) {
                    warm++;
                    fastest = Math.max(fastest, gbPerS);
                }
            }
        }
        if (warm > 0) {
            findings.add(
                    label,
                    f.dtype() + " " + f.kernel(),
                    warm,
                    Action.SUSPICIOUS,
                    String.format(
                            Locale.ROOT,
                            "cache-warm: KV is read at up to %.0f GB/s, DRAM gives %.0f; the white box adds the KV bytes cold",
                            fastest,
                            card.memoryGbPerS()));
        }
    }
}
