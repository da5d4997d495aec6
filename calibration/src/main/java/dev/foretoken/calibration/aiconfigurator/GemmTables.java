package dev.foretoken.calibration.aiconfigurator;

import dev.foretoken.calibration.aiconfigurator.Finding.Action;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.GemmGrid;
import dev.foretoken.sim.profile.LeaveOneOut;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Shape;
import dev.foretoken.sim.profile.Tile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** {@code gemm_perf}: dense matrix products by dtype, kernel, n, k and rows. */
final class GemmTables {
    static final String TABLE = "gemm_perf.parquet";

    private static final Map<String, Class<?>> LAYOUT = new LinkedHashMap<>();

    static {
        LAYOUT.putAll(Layout.COMMON);
        LAYOUT.put("gemm_dtype", String.class);
        LAYOUT.put("m", Long.class);
        LAYOUT.put("n", Long.class);
        LAYOUT.put("k", Long.class);
    }

    /** A family is broken when its best throughput is below this share of bf16's in the same table. */
    private static final double BROKEN_SHARE = 0.05;
    /** Weights that stream faster than the datasheet's DRAM bandwidth times this came from a cache. */
    private static final double WARM = 1.0;
    /** A median step of a family from one row to the next of at least this is a stair. */
    private static final double STAIR = 1.02;

    private GemmTables() {}

    static List<CurveFamily> read(TableStore store, String path, Cards.Card card, Findings findings) {
        String label = store.label(path);
        ParquetTable t = ParquetTable.read(label, store.bytes(path), LAYOUT, List.of());
        boolean[] use = Layout.check(t, path, card, findings);
        Map<String, Map<String, CurveBuilder>> families = new TreeMap<>();
        Map<String, Double> peak = new TreeMap<>();
        for (int i = 0; i < t.rows(); i++) {
            double us = t.us(i);
            if (!use[i]) {
                continue;
            }
            String dtype = Dtypes.ours(label, "gemm_dtype", t.text("gemm_dtype", i));
            String kernel = t.text("kernel_source", i);
            if (us == 0) {
                findings.add(label, dtype + " " + kernel, 1, Action.REJECTED, "zero time: nothing was measured");
                continue;
            }
            int n = t.size("n", i);
            int k = t.size("k", i);
            int m = t.size("m", i);
            families.computeIfAbsent(dtype, d -> new TreeMap<>())
                    .computeIfAbsent(kernel, s -> new CurveBuilder())
                    .add(Shape.gemm(n, k), m, us);
            peak.merge(dtype + " " + kernel, 2.0 * m * n * k / us / 1e6, Math::max);
        }
        double bf16 = peak.entrySet().stream()
                .filter(e -> e.getKey().startsWith("bf16 "))
                .mapToDouble(Map.Entry::getValue)
                .max()
                .orElse(0);
        List<CurveFamily> out = new ArrayList<>();
        families.forEach((dtype, kernels) -> {
            List<CurveFamily> raw = new ArrayList<>();
            kernels.forEach((kernel, rows) -> {
                CurveFamily f = rows.family(Op.GEMM, dtype, kernel, "rows", null, new double[0]);
                double best = peak.get(dtype + " " + kernel);
                if (best < BROKEN_SHARE * bf16) {
                    findings.add(
                            label,
                            dtype + " " + kernel,
                            count(f),
                            Action.REJECTED,
                            String.format(
                                    Locale.ROOT, "broken: at best %.1f TFLOPS where bf16 reaches %.0f", best, bf16));
                } else {
                    raw.add(f);
                }
            });
            if (!raw.isEmpty()) {
                double[] stairs = stairs(raw);
                Tile tile = tile(raw, card.multiprocessors());
                for (CurveFamily f : raw) {
                    inspect(label, f, card, findings);
                    out.add(CurveFamily.of(
                            f.op(),
                            f.dtype(),
                            f.kernel(),
                            f.axis(),
                            tile,
                            kernels.get(f.kernel()).curves(stairs)));
                }
            }
        });
        return out;
    }

    private static int count(CurveFamily f) {
        return f.curves().stream().mapToInt(Curve::size).sum();
    }

    /** Rows after which the family's kernels step up: pairs x, x + 1 whose median ratio is large. */
    private static double[] stairs(List<CurveFamily> families) {
        TreeMap<Double, List<Double>> ratios = new TreeMap<>();
        for (CurveFamily f : families) {
            for (Curve c : f.curves()) {
                for (int i = 0; i + 1 < c.size(); i++) {
                    if (c.at(i + 1) == c.at(i) + 1 && c.at(i) >= 8) {
                        ratios.computeIfAbsent(c.at(i), x -> new ArrayList<>()).add(c.medianUs(i + 1) / c.medianUs(i));
                    }
                }
            }
        }
        TreeSet<Double> stairs = new TreeSet<>();
        ratios.forEach((x, r) -> {
            double[] values = r.stream().mapToDouble(v -> v).toArray();
            if (CurveBuilder.median(values) >= STAIR) {
                stairs.add(x);
            }
        });
        return stairs.stream().mapToDouble(x -> x).toArray();
    }

    /** The tile under which left-out output widths are predicted better than by a straight line, null for none. */
    private static Tile tile(List<CurveFamily> families, int multiprocessors) {
        Tile candidate = new Tile(128, 128, multiprocessors, 512);
        GemmGrid grid = GemmGrid.of(families);
        double line = LeaveOneOut.alongOutputs(grid, null, candidate.fromRows()).median();
        double waves =
                LeaveOneOut.alongOutputs(grid, candidate, candidate.fromRows()).median();
        return waves < 0.99 * line ? candidate : null;
    }

    private static void inspect(String label, CurveFamily f, Cards.Card card, Findings findings) {
        int warm = 0;
        double largest = 0;
        double fastest = 0;
        int disturbed = 0;
        for (Curve c : f.curves()) {
            double bytes = Dtypes.bytes(f.dtype())
                    * c.shape().get("n")
                    * (double) c.shape().get("k");
            for (int i = 0; i < c.size(); i++) {
                double gbPerS = bytes / c.medianUs(i) / 1e3;
                if (gbPerS > WARM * card.memoryGbPerS()) {
                    warm++;
                    largest = Math.max(largest, bytes / 1e6);
                    fastest = Math.max(fastest, gbPerS);
                }
                if (GemmGrid.disturbed(c, i)) {
                    disturbed++;
                }
            }
        }
        String what = f.dtype() + " " + f.kernel();
        if (warm > 0) {
            findings.add(
                    label,
                    what,
                    warm,
                    Action.SUSPICIOUS,
                    String.format(
                            Locale.ROOT,
                            "cache-warm: weights up to %.1f MB stream at up to %.0f GB/s, DRAM gives %.0f;"
                                    + " the white box charges DRAM",
                            largest,
                            fastest,
                            card.memoryGbPerS()));
        }
        if (disturbed > 0) {
            findings.add(
                    label,
                    what,
                    disturbed,
                    Action.SUSPICIOUS,
                    "disturbed: more than " + GemmGrid.DISTURBED
                            + " times the time of both one row fewer and one row more; the white box takes the larger"
                            + " neighbour");
        }
    }
}
