package dev.foretoken.calibration.aiconfigurator;

import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.Shape;
import dev.foretoken.sim.profile.Tile;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Collects rows of one family and turns them into curves in an order that does not depend on the table's. Rows that occur
 * several times become their median. Times keep four significant digits, finer than any repeat of a timing.
 */
final class CurveBuilder {
    private static final MathContext DIGITS = new MathContext(4);

    private final Map<Shape, TreeMap<Double, double[]>> rows = new LinkedHashMap<>();

    void add(Shape shape, double at, double us) {
        rows.computeIfAbsent(shape, s -> new TreeMap<>()).merge(at, new double[] {us}, (a, b) -> {
            double[] both = Arrays.copyOf(a, a.length + 1);
            both[a.length] = b[0];
            return both;
        });
    }

    CurveFamily family(String op, String dtype, String kernel, String axis, Tile tile, double[] stairs) {
        return CurveFamily.of(op, dtype, kernel, axis, tile, curves(stairs));
    }

    List<Curve> curves(double[] stairs) {
        List<Curve> out = new ArrayList<>();
        rows.entrySet().stream()
                .sorted(Map.Entry.comparingByKey(Comparator.comparing(CurveBuilder::order)))
                .forEach(e -> {
                    double[] at =
                            e.getValue().keySet().stream().mapToDouble(x -> x).toArray();
                    double[] us = e.getValue().values().stream()
                            .mapToDouble(v -> round(median(v)))
                            .toArray();
                    double[] inside = Arrays.stream(stairs)
                            .filter(s -> s >= at[0] && s < at[at.length - 1])
                            .toArray();
                    out.add(Curve.of(e.getKey(), at, us, inside));
                });
        return out;
    }

    /** Sorts shapes by their dimensions in the order they are named. */
    private static String order(Shape s) {
        StringBuilder key = new StringBuilder();
        for (int v : s.dims().values()) {
            key.append(String.format("%010d.", v));
        }
        return key.toString();
    }

    static double median(double[] values) {
        double[] v = values.clone();
        Arrays.sort(v);
        int n = v.length;
        return n % 2 == 1 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
    }

    static double round(double us) {
        return new BigDecimal(us).round(DIGITS).doubleValue();
    }
}
