package dev.foretoken.sim.profile;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Matrix products of one dtype under one engine at any shape. An engine picks one kernel per shape and row count, so the
 * families of a dtype cover disjoint rows; where kernels meet lies a stair.
 *
 * <p>Between measured shapes time is linear in k and in n, in n by waves of tiles where the family carries a {@link Tile}.
 * Above the last n or k it grows in proportion (a vocabulary of 248,320 is 3.8 times 65,536), below the first it is the
 * first's.
 */
public final class GemmGrid {
    /** A row whose time is above both direct neighbours' by this factor was disturbed while it was timed. */
    public static final double DISTURBED = 1.15;

    private static final double[] NONE = {};

    private final Tile tile;
    private final NavigableMap<Integer, NavigableMap<Integer, Curve>> byN;
    private final NavigableSet<Integer> ks;

    private GemmGrid(Tile tile, NavigableMap<Integer, NavigableMap<Integer, Curve>> byN, NavigableSet<Integer> ks) {
        this.tile = tile;
        this.byN = byN;
        this.ks = ks;
    }

    /**
     * The grid of one dtype.
     *
     * @param families families of {@link Op#GEMM} and one dtype, at least one
     */
    public static GemmGrid of(List<CurveFamily> families) {
        return of(families, families.isEmpty() ? null : families.get(0).tile());
    }

    /**
     * The grid of one dtype under another tile rule than the families carry.
     *
     * @param tile null for straight lines in n
     */
    public static GemmGrid of(List<CurveFamily> families, Tile tile) {
        return of(families, tile, false);
    }

    /**
     * The grid for serving: disturbed rows take the larger neighbour's time. A kernel that steps up stays up, so that a time
     * above both one row fewer and one row more is no property of the kernel; they are at random shapes and rows.
     */
    public static GemmGrid undisturbed(List<CurveFamily> families) {
        return of(families, families.isEmpty() ? null : families.get(0).tile(), true);
    }

    /** True when a knot is above both direct neighbours (one row fewer, one more) by {@link #DISTURBED}. */
    public static boolean disturbed(Curve c, int knot) {
        return knot > 0
                && knot + 1 < c.size()
                && c.at(knot - 1) == c.at(knot) - 1
                && c.at(knot + 1) == c.at(knot) + 1
                && c.medianUs(knot) > DISTURBED * Math.max(c.medianUs(knot - 1), c.medianUs(knot + 1));
    }

    private static Curve calm(Curve c) {
        double[] at = new double[c.size()];
        double[] us = new double[c.size()];
        boolean changed = false;
        for (int i = 0; i < at.length; i++) {
            at[i] = c.at(i);
            us[i] = c.medianUs(i);
            if (disturbed(c, i)) {
                us[i] = Math.max(c.medianUs(i - 1), c.medianUs(i + 1));
                changed = true;
            }
        }
        return changed ? Curve.of(c.shape(), at, us, c.stairs()) : c;
    }

    private static GemmGrid of(List<CurveFamily> families, Tile tile, boolean calm) {
        if (families.isEmpty()) {
            throw new IllegalArgumentException("a grid needs at least one family of matrix products");
        }
        NavigableMap<Integer, NavigableMap<Integer, List<Curve>>> all = new TreeMap<>();
        NavigableSet<Integer> ks = new TreeSet<>();
        for (CurveFamily f : families) {
            for (Curve c : f.curves()) {
                int n = c.shape().get("n");
                int k = c.shape().get("k");
                ks.add(k);
                all.computeIfAbsent(n, x -> new TreeMap<>())
                        .computeIfAbsent(k, x -> new ArrayList<>())
                        .add(c);
            }
        }
        NavigableMap<Integer, NavigableMap<Integer, Curve>> byN = new TreeMap<>();
        all.forEach((n, byK) -> {
            NavigableMap<Integer, Curve> merged = new TreeMap<>();
            byK.forEach((k, curves) -> merged.put(k, calm ? calm(merge(curves)) : merge(curves)));
            byN.put(n, merged);
        });
        return new GemmGrid(tile, byN, ks);
    }

    /** One curve from kernels that cover disjoint rows, with a stair where they meet. */
    private static Curve merge(List<Curve> curves) {
        if (curves.size() == 1) {
            return curves.get(0);
        }
        TreeMap<Double, Double> knots = new TreeMap<>();
        TreeMap<Double, Curve> owner = new TreeMap<>();
        TreeSet<Double> stairs = new TreeSet<>();
        for (Curve c : curves) {
            for (int i = 0; i < c.size(); i++) {
                knots.merge(c.at(i), c.medianUs(i), Math::min);
                owner.put(c.at(i), c);
            }
            for (double s : c.stairs()) {
                stairs.add(s);
            }
        }
        Map.Entry<Double, Curve> last = null;
        for (Map.Entry<Double, Curve> e : owner.entrySet()) {
            if (last != null && last.getValue() != e.getValue()) {
                stairs.add(last.getKey());
            }
            last = e;
        }
        return Curve.of(
                curves.get(0).shape(),
                knots.keySet().stream().mapToDouble(x -> x).toArray(),
                knots.values().stream().mapToDouble(x -> x).toArray(),
                stairs.stream().mapToDouble(x -> x).toArray());
    }

    /** Every measured curve, by n and then k. */
    public Collection<Curve> curves() {
        List<Curve> out = new ArrayList<>();
        byN.values().forEach(m -> out.addAll(m.values()));
        return out;
    }

    /** The measured curve of a shape, null when there is none. */
    public Curve find(int n, int k) {
        NavigableMap<Integer, Curve> m = byN.get(n);
        return m == null ? null : m.get(k);
    }

    /** Measured output widths at one k, ascending. */
    public int[] outputs(int k) {
        return byN.entrySet().stream()
                .filter(e -> e.getValue().containsKey(k))
                .mapToInt(Map.Entry::getKey)
                .toArray();
    }

    /** Measured inner widths at one n, ascending. */
    public int[] inputs(int n) {
        NavigableMap<Integer, Curve> m = byN.get(n);
        return m == null ? new int[0] : m.keySet().stream().mapToInt(i -> i).toArray();
    }

    /** Measured inner widths, ascending. */
    public int[] inputs() {
        return ks.stream().mapToInt(i -> i).toArray();
    }

    /** Measured output widths, ascending. */
    public int[] outputs() {
        return byN.keySet().stream().mapToInt(i -> i).toArray();
    }

    /** Tile rule, null for none. */
    public Tile tile() {
        return tile;
    }

    /** Time of m rows by n outputs from k inputs, microseconds. */
    public double us(int n, int k, double m) {
        Map.Entry<Integer, NavigableMap<Integer, Curve>> lo = byN.floorEntry(n);
        Map.Entry<Integer, NavigableMap<Integer, Curve>> hi = byN.ceilingEntry(n);
        if (lo == null) {
            return acrossInputs(hi.getValue(), k, m);
        }
        double y0 = acrossInputs(lo.getValue(), k, m);
        if (hi == null) {
            return y0 * n / lo.getKey();
        }
        if (lo.getKey().equals(hi.getKey())) {
            return y0;
        }
        double y1 = acrossInputs(hi.getValue(), k, m);
        return Interpolation.acrossOutputs(tile, m, lo.getKey(), y0, hi.getKey(), y1, n);
    }

    private static double acrossInputs(NavigableMap<Integer, Curve> byK, int k, double m) {
        Map.Entry<Integer, Curve> lo = byK.floorEntry(k);
        Map.Entry<Integer, Curve> hi = byK.ceilingEntry(k);
        if (lo == null) {
            return hi.getValue().us(m);
        }
        double y0 = lo.getValue().us(m);
        if (hi == null) {
            return y0 * k / lo.getKey();
        }
        if (lo.getKey().equals(hi.getKey())) {
            return y0;
        }
        return Interpolation.linear(lo.getKey(), y0, hi.getKey(), hi.getValue().us(m), k);
    }

    /** True when n or k lies outside the measured ones, so that {@link #us} extrapolates. */
    public boolean outside(int n, int k) {
        return n < byN.firstKey() || n > byN.lastKey() || k < ks.first() || k > ks.last();
    }

    /** The curve of a shape: the measured one, or one with the knots of its measured neighbours. */
    public Curve curve(int n, int k) {
        Curve measured = find(n, k);
        if (measured != null) {
            return measured;
        }
        TreeSet<Double> at = new TreeSet<>();
        TreeSet<Double> stairs = new TreeSet<>();
        for (Curve c : corners(n, k)) {
            for (int i = 0; i < c.size(); i++) {
                at.add(c.at(i));
            }
            for (double s : c.stairs()) {
                stairs.add(s);
            }
        }
        double[] x = at.stream().mapToDouble(v -> v).toArray();
        double[] us = new double[x.length];
        for (int i = 0; i < x.length; i++) {
            us[i] = us(n, k, x[i]);
        }
        return Curve.of(
                Shape.gemm(n, k),
                x,
                us,
                stairs.isEmpty() ? NONE : stairs.stream().mapToDouble(v -> v).toArray());
    }

    private List<Curve> corners(int n, int k) {
        List<Curve> out = new ArrayList<>();
        for (Map.Entry<Integer, NavigableMap<Integer, Curve>> row : neighbours(byN, n)) {
            for (Map.Entry<Integer, Curve> c : neighbours(row.getValue(), k)) {
                out.add(c.getValue());
            }
        }
        return out;
    }

    private static <T> List<Map.Entry<Integer, T>> neighbours(NavigableMap<Integer, T> map, int x) {
        List<Map.Entry<Integer, T>> out = new ArrayList<>();
        if (map.floorEntry(x) != null) {
            out.add(map.floorEntry(x));
        }
        if (map.ceilingEntry(x) != null && map.ceilingKey(x) != x) {
            out.add(map.ceilingEntry(x));
        }
        if (out.isEmpty()) {
            out.add(map.firstEntry());
        }
        return out;
    }
}
