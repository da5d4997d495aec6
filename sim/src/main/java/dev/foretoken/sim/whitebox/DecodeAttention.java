package dev.foretoken.sim.whitebox;

import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.Interpolation;
import dev.foretoken.sim.profile.Shape;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Attention of one layer with one query token per request: time over batch and KV tokens. Linear along KV; between measured
 * batches by {@link Interpolation#hinge}; above the largest batch in proportion.
 *
 * <p>Cold: a table repeats one KV buffer, which fits the L2 cache below some 128 MB, so serving adds the KV bytes at DRAM
 * speed to the time at KV 1: max(table(b, kv), table(b, 1) + bytes / bandwidth).
 */
final class DecodeAttention {
    private final int[] batches;
    private final Curve[] curves;
    private final double bytesPerToken;
    private final double bytesPerUs;
    private final double scale;
    private final double[] floorUs;

    /**
     * @param byBatch curve along KV tokens by batch
     * @param scale factor on table times, 1 where the shape was measured itself
     * @param bytesPerToken KV bytes of one token in one layer on one card
     * @param bytesPerUs DRAM bandwidth of this kernel, bytes per microsecond
     */
    DecodeAttention(TreeMap<Integer, Curve> byBatch, double scale, double bytesPerToken, double bytesPerUs) {
        this.batches = byBatch.keySet().stream().mapToInt(i -> i).toArray();
        this.curves = byBatch.values().toArray(new Curve[0]);
        this.scale = scale;
        this.bytesPerToken = bytesPerToken;
        this.bytesPerUs = bytesPerUs;
        this.floorUs = new double[curves.length];
        for (int i = 0; i < curves.length; i++) {
            floorUs[i] = curves[i].medianUs(0) * scale;
        }
    }

    /**
     * DRAM bandwidth that the largest batches approach: the slope of the last two knots, bytes per microsecond; NaN where
     * nothing large enough was measured.
     *
     * @param coldBytes bytes above which a curve is surely read from DRAM
     */
    static double bandwidth(Map<Integer, Curve> byBatch, double bytesPerToken, double coldBytes) {
        double[] slopes = new double[byBatch.size()];
        int n = 0;
        for (Map.Entry<Integer, Curve> e : byBatch.entrySet()) {
            Curve c = e.getValue();
            int last = c.size() - 1;
            if (e.getKey() < 32 || last < 1) {
                continue;
            }
            double perToken = bytesPerToken * e.getKey();
            double us = c.medianUs(last) - c.medianUs(last - 1);
            if (perToken * c.at(last - 1) >= coldBytes && us > 0) {
                slopes[n++] = perToken * (c.at(last) - c.at(last - 1)) / us;
            }
        }
        if (n == 0) {
            return Double.NaN;
        }
        double[] s = Arrays.copyOf(slopes, n);
        Arrays.sort(s);
        return n % 2 == 1 ? s[n / 2] : 0.5 * (s[n / 2 - 1] + s[n / 2]);
    }

    /** Table time, microseconds. */
    double tableUs(int requests, double kvTokens) {
        return scale * across(requests, kvTokens, false);
    }

    /** Serving time at equal KV lengths, microseconds. */
    double coldUs(int requests, double kvTokens) {
        double bytes = requests * kvTokens * bytesPerToken;
        return Math.max(tableUs(requests, kvTokens), across(requests, 0, true) + bytes / bytesPerUs);
    }

    /** Time at KV 1, microseconds. */
    double launchUs(int requests) {
        return across(requests, 0, true);
    }

    private double value(int i, double kv, boolean atFloor) {
        return atFloor ? floorUs[i] : curves[i].us(kv);
    }

    private double across(int b, double kv, boolean atFloor) {
        int n = batches.length;
        int i = Arrays.binarySearch(batches, b);
        if (i >= 0) {
            return value(i, kv, atFloor);
        }
        int hi = -i - 1;
        if (hi == 0) {
            return value(0, kv, atFloor);
        }
        if (hi == n) {
            return value(n - 1, kv, atFloor) * b / batches[n - 1];
        }
        int lo = hi - 1;
        boolean before = lo > 0;
        boolean after = hi < n - 1;
        return Interpolation.hinge(
                before ? batches[lo - 1] : Double.NaN,
                before ? value(lo - 1, kv, atFloor) : Double.NaN,
                batches[lo],
                value(lo, kv, atFloor),
                batches[hi],
                value(hi, kv, atFloor),
                after ? batches[hi + 1] : Double.NaN,
                after ? value(hi + 1, kv, atFloor) : Double.NaN,
                b);
    }

    /** True when batch or KV lie outside the measured ones. */
    boolean outside(int requests, double kvTokens) {
        int n = batches.length;
        if (requests > batches[n - 1]) {
            return true;
        }
        int i = Arrays.binarySearch(batches, requests);
        int lo = i >= 0 ? i : Math.max(0, -i - 2);
        return kvTokens > curves[lo].last();
    }

    /** Shape of the curves, for notes. */
    Shape shape() {
        return curves[0].shape().without("batch");
    }
}
