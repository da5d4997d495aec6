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
 * {@code moe_perf}: routed experts of one layer. Balanced routing on one to eight cards without expert parallelism is taken
 * over; the white box itself turns it into routing by chance.
 */
final class MoeTables {
    static final String TABLE = "moe_perf.parquet";

    private static final Map<String, Class<?>> LAYOUT = new LinkedHashMap<>();

    static {
        LAYOUT.putAll(Layout.COMMON);
        LAYOUT.put("moe_dtype", String.class);
        LAYOUT.put("distribution", String.class);
        for (String c : List.of(
                "num_tokens", "hidden_size", "inter_size", "topk", "num_experts", "moe_tp_size", "moe_ep_size")) {
            LAYOUT.put(c, Long.class);
        }
    }

    private MoeTables() {}

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
            String dtype = Dtypes.ours(label, "moe_dtype", t.text("moe_dtype", i));
            String kernel = t.text("kernel_source", i);
            if (us == 0) {
                findings.add(label, dtype + " " + kernel, 1, Action.REJECTED, "zero time: nothing was measured");
                continue;
            }
            if (t.whole("moe_ep_size", i) != 1) {
                findings.add(label, "expert parallelism", 1, Action.UNUSED, "expert parallelism is not modelled");
                continue;
            }
            if (t.whole("moe_tp_size", i) > 8) {
                findings.add(label, "more than 8 cards", 1, Action.UNUSED, "replicas span at most 8 cards");
                continue;
            }
            if (!t.text("distribution", i).equals("balanced")) {
                findings.add(
                        label,
                        t.text("distribution", i) + " routing",
                        1,
                        Action.UNUSED,
                        "the white box derives routing by chance from the balanced rows");
                continue;
            }
            Shape shape = Shape.of("hidden", t.size("hidden_size", i))
                    .and("intermediate", t.size("inter_size", i))
                    .and("experts", t.size("num_experts", i))
                    .and("top_k", t.size("topk", i))
                    .and("tp", t.size("moe_tp_size", i));
            families.computeIfAbsent(dtype, d -> new TreeMap<>())
                    .computeIfAbsent(kernel, s -> new CurveBuilder())
                    .add(shape, t.size("num_tokens", i), us);
        }
        List<CurveFamily> out = new ArrayList<>();
        families.forEach((dtype, kernels) -> kernels.forEach(
                (kernel, rows) -> out.add(rows.family(Op.MOE, dtype, kernel, "tokens", null, new double[0]))));
        return out;
    }
}
