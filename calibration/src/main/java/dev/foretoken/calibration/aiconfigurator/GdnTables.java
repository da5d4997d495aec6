package dev.foretoken.calibration.aiconfigurator;

import dev.foretoken.calibration.aiconfigurator.Finding.Action;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code gdn_perf}: kernels of gated-delta layers. The phase {@code context} is the chunk kernel over several tokens per
 * sequence (and its convolution), {@code generation} one token per sequence.
 */
final class GdnTables {
    static final String TABLE = "gdn_perf.parquet";

    private static final Map<String, Class<?>> LAYOUT = new LinkedHashMap<>();

    static {
        LAYOUT.putAll(Layout.COMMON);
        LAYOUT.put("phase", String.class);
        for (String c :
                List.of("batch_size", "seq_len", "num_k_heads", "head_k_dim", "num_v_heads", "head_v_dim", "d_conv")) {
            LAYOUT.put(c, Long.class);
        }
    }

    private GdnTables() {}

    static List<CurveFamily> read(TableStore store, String path, Cards.Card card, Findings findings) {
        String label = store.label(path);
        ParquetTable t = ParquetTable.read(label, store.bytes(path), LAYOUT, List.of());
        boolean[] use = Layout.check(t, path, card, findings);
        Map<String, Map<String, CurveBuilder>> families = new TreeMap<>();
        for (int i = 0; i < t.rows(); i++) {
            double us = t.us(i);
            if (!use[i]) {
                continue;
            }
            String kernel = t.text("kernel_source", i);
            boolean chunk = t.text("phase", i).equals("context");
            if (us == 0) {
                findings.add(label, kernel, 1, Action.REJECTED, "zero time: nothing was measured");
                continue;
            }
            if (t.size("head_k_dim", i) != t.size("head_v_dim", i)) {
                findings.add(label, kernel, 1, Action.UNUSED, "key and value heads differ in size");
                continue;
            }
            Shape heads = Shape.of("k_heads", t.size("num_k_heads", i))
                    .and("v_heads", t.size("num_v_heads", i))
                    .and("head_dim", t.size("head_v_dim", i));
            boolean conv = kernel.startsWith("causal_conv1d");
            String op = conv ? (chunk ? Op.CONV_CHUNK : Op.CONV_STEP) : (chunk ? Op.GDN_CHUNK : Op.GDN_STEP);
            int batch = t.size("batch_size", i);
            Shape shape = heads;
            double at = batch;
            if (chunk) {
                shape = Shape.of("batch", batch);
                for (Map.Entry<String, Integer> d : heads.dims().entrySet()) {
                    shape = shape.and(d.getKey(), d.getValue());
                }
                at = t.size("seq_len", i);
            }
            families.computeIfAbsent(op, d -> new TreeMap<>())
                    .computeIfAbsent(kernel, s -> new CurveBuilder())
                    .add(shape, at, us);
        }
        List<CurveFamily> out = new ArrayList<>();
        families.forEach((op, kernels) -> kernels.forEach((kernel, rows) -> {
            boolean chunk = op.equals(Op.GDN_CHUNK) || op.equals(Op.CONV_CHUNK);
            out.add(rows.family(op, "bf16", kernel, chunk ? "tokens" : "sequences", null, new double[0]));
        }));
        return out;
    }
}
