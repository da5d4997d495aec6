package dev.foretoken.calibration.aiconfigurator;

import dev.foretoken.calibration.aiconfigurator.Finding.Action;
import dev.foretoken.sim.hardware.LinkCurve;
import dev.foretoken.sim.hardware.LinkCurve.Operation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code custom_allreduce_perf} (an engine's all-reduce of bf16, inside a CUDA graph and eager) and {@code nccl_perf}. Their
 * {@code message_size} counts elements of two bytes; NCCL's all-gather counts the gathered whole.
 */
final class CommTables {
    static final String CUSTOM = "custom_allreduce_perf.parquet";
    static final String NCCL = "nccl_perf.parquet";

    private static final int ELEMENT_BYTES = 2;
    private static final Map<String, Class<?>> CUSTOM_LAYOUT = layout("allreduce_dtype", "backend");
    private static final Map<String, Class<?>> NCCL_LAYOUT = layout("nccl_dtype", null);

    private CommTables() {}

    private static Map<String, Class<?>> layout(String dtype, String backend) {
        Map<String, Class<?>> m = new LinkedHashMap<>(Layout.COMMON);
        m.put(dtype, String.class);
        if (backend != null) {
            m.put(backend, String.class);
        }
        m.put("num_gpus", Long.class);
        m.put("message_size", Long.class);
        return m;
    }

    static List<LinkCurve> custom(TableStore store, String path, Cards.Card card, Findings findings) {
        ParquetTable t = ParquetTable.read(store.label(path), store.bytes(path), CUSTOM_LAYOUT, List.of());
        return read(t, path, "allreduce_dtype", "bfloat16", card, findings);
    }

    static List<LinkCurve> nccl(TableStore store, String path, Cards.Card card, Findings findings) {
        ParquetTable t = ParquetTable.read(store.label(path), store.bytes(path), NCCL_LAYOUT, List.of());
        return read(t, path, "nccl_dtype", "half", card, findings);
    }

    private record Key(Operation operation, int ranks, String implementation) implements Comparable<Key> {
        @Override
        public int compareTo(Key o) {
            int c = operation.compareTo(o.operation);
            c = c != 0 ? c : Integer.compare(ranks, o.ranks);
            return c != 0 ? c : implementation.compareTo(o.implementation);
        }
    }

    private static List<LinkCurve> read(
            ParquetTable t, String path, String dtypeColumn, String dtype, Cards.Card card, Findings findings) {
        boolean[] use = Layout.check(t, path, card, findings);
        Map<Key, TreeMap<Long, List<Double>>> rows = new TreeMap<>();
        for (int i = 0; i < t.rows(); i++) {
            double us = t.us(i);
            if (!use[i]) {
                continue;
            }
            String op = t.text("op_name", i);
            if (us == 0) {
                findings.add(t.name(), op, 1, Action.REJECTED, "zero time: nothing was measured");
                continue;
            }
            Operation operation = switch (op) {
                case "all_reduce" -> Operation.ALL_REDUCE;
                case "all_gather" -> Operation.ALL_GATHER;
                default -> null;
            };
            if (operation == null || !t.text(dtypeColumn, i).equals(dtype)) {
                findings.add(
                        t.name(),
                        operation == null ? op : op + " of " + t.text(dtypeColumn, i),
                        1,
                        Action.UNUSED,
                        "tensor parallelism uses all-reduces and all-gathers of two-byte elements");
                continue;
            }
            String implementation =
                    path.endsWith(NCCL) ? "nccl" : t.text("backend", i).endsWith("_eager") ? "custom-eager" : "custom";
            rows.computeIfAbsent(new Key(operation, t.size("num_gpus", i), implementation), k -> new TreeMap<>())
                    .computeIfAbsent(t.whole("message_size", i) * ELEMENT_BYTES, k -> new ArrayList<>())
                    .add(us);
        }
        String source = "aiconfigurator-core tables (Apache-2.0), " + path;
        List<LinkCurve> out = new ArrayList<>();
        rows.forEach((k, bySize) -> {
            List<LinkCurve.Knot> knots = new ArrayList<>();
            bySize.forEach((bytes, us) -> knots.add(new LinkCurve.Knot(
                    bytes,
                    CurveBuilder.round(
                            CurveBuilder.median(us.stream().mapToDouble(v -> v).toArray())))));
            out.add(new LinkCurve(k.operation(), k.ranks(), k.implementation(), knots, source));
        });
        return out;
    }
}
