package dev.foretoken.sim.profile;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How well the rules between knots predict a knot that was left out: relative errors of each inner point predicted from its
 * two neighbours along one axis.
 */
public final class LeaveOneOut {
    private LeaveOneOut() {}

    /**
     * Errors along one axis.
     *
     * @param points left-out points
     * @param median median of the absolute relative error
     * @param mean mean of it
     * @param p95 95th percentile of it
     */
    public record Errors(int points, double median, double mean, double p95) {
        private static Errors of(double[] errors, int n) {
            double[] e = Arrays.copyOf(errors, n);
            Arrays.sort(e);
            if (n == 0) {
                return new Errors(0, Double.NaN, Double.NaN, Double.NaN);
            }
            double median = n % 2 == 1 ? e[n / 2] : 0.5 * (e[n / 2 - 1] + e[n / 2]);
            double mean = Arrays.stream(e).average().orElseThrow();
            return new Errors(n, median, mean, e[Math.min(n - 1, (int) (0.95 * n))]);
        }
    }

    private static final class Collector {
        private double[] errors = new double[1024];
        private int n;

        private void add(double predicted, double measured) {
            if (n == errors.length) {
                errors = Arrays.copyOf(errors, 2 * n);
            }
            errors[n++] = Math.abs(predicted / measured - 1);
        }

        private Errors errors() {
            return Errors.of(errors, n);
        }
    }

    /**
     * Along rows: each inner knot of each curve predicted by the curve without it, its stairs known.
     *
     * @param curves curves along rows or KV tokens
     */
    public static Errors alongAxis(Iterable<Curve> curves) {
        Collector out = new Collector();
        for (Curve c : curves) {
            double[] stairs = c.stairs();
            for (int i = 1; i < c.size() - 1; i++) {
                double[] at = {c.at(i - 1), c.at(i + 1)};
                double[] us = {c.medianUs(i - 1), c.medianUs(i + 1)};
                out.add(Curve.of(c.shape(), at, us, stairs).us(c.at(i)), c.medianUs(i));
            }
        }
        return out.errors();
    }

    /** Along n: each inner output width at each k and row knot. */
    public static Errors alongOutputs(GemmGrid grid, Tile tile, double fromRows) {
        Collector out = new Collector();
        for (int k : grid.inputs()) {
            int[] ns = grid.outputs(k);
            for (int i = 1; i < ns.length - 1; i++) {
                Curve a = grid.find(ns[i - 1], k);
                Curve b = grid.find(ns[i], k);
                Curve c = grid.find(ns[i + 1], k);
                for (int j = 0; j < b.size(); j++) {
                    double m = b.at(j);
                    if (m >= fromRows) {
                        out.add(
                                Interpolation.acrossOutputs(tile, m, ns[i - 1], a.us(m), ns[i + 1], c.us(m), ns[i]),
                                b.medianUs(j));
                    }
                }
            }
        }
        return out.errors();
    }

    /** Along k: each inner inner-width at each n and row knot. */
    public static Errors alongInputs(GemmGrid grid) {
        Collector out = new Collector();
        for (int n : grid.outputs()) {
            int[] ks = grid.inputs(n);
            for (int i = 1; i < ks.length - 1; i++) {
                Curve a = grid.find(n, ks[i - 1]);
                Curve b = grid.find(n, ks[i]);
                Curve c = grid.find(n, ks[i + 1]);
                for (int j = 0; j < b.size(); j++) {
                    double m = b.at(j);
                    out.add(Interpolation.linear(ks[i - 1], a.us(m), ks[i + 1], c.us(m), ks[i]), b.medianUs(j));
                }
            }
        }
        return out.errors();
    }

    /** Along batch: each inner batch size of each attention shape at each KV knot, by the hinge rule. */
    public static Errors alongBatch(List<CurveFamily> families) {
        Collector out = new Collector();
        for (CurveFamily f : families) {
            Map<Shape, TreeMap<Integer, Curve>> byShape = new LinkedHashMap<>();
            for (Curve c : f.curves()) {
                byShape.computeIfAbsent(c.shape().without("batch"), s -> new TreeMap<>())
                        .put(c.shape().get("batch"), c);
            }
            for (TreeMap<Integer, Curve> batches : byShape.values()) {
                alongBatch(batches, out);
            }
        }
        return out.errors();
    }

    private static void alongBatch(TreeMap<Integer, Curve> batches, Collector out) {
        TreeMap<Double, TreeMap<Integer, Double>> byKv = new TreeMap<>();
        batches.forEach((b, c) -> {
            for (int i = 0; i < c.size(); i++) {
                byKv.computeIfAbsent(c.at(i), x -> new TreeMap<>()).put(b, c.medianUs(i));
            }
        });
        for (TreeMap<Integer, Double> row : byKv.values()) {
            int[] b = row.keySet().stream().mapToInt(i -> i).toArray();
            double[] us = row.values().stream().mapToDouble(v -> v).toArray();
            for (int i = 1; i < b.length - 1; i++) {
                double below = i >= 2 ? b[i - 2] : Double.NaN;
                double above = i + 2 < b.length ? b[i + 2] : Double.NaN;
                out.add(
                        Interpolation.hinge(
                                below,
                                i >= 2 ? us[i - 2] : Double.NaN,
                                b[i - 1],
                                us[i - 1],
                                b[i + 1],
                                us[i + 1],
                                above,
                                i + 2 < b.length ? us[i + 2] : Double.NaN,
                                b[i]),
                        us[i]);
            }
        }
    }
}
