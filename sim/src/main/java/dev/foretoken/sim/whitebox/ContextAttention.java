package dev.foretoken.sim.whitebox;

import dev.foretoken.sim.profile.Curve;
import java.util.Map;
import java.util.TreeMap;

/**
 * Attention of one layer over prompts, and what follows from it for several query tokens on kernels that neither pack query
 * heads nor split KV.
 *
 * <p>A chunk of q tokens behind s cached ones costs t(s + q) - t(s): the area under the causal mask. Above the last measured
 * prompt t grows with its square.
 *
 * <p>Tiles: with 64 query rows per tile, a batch of prompts of length T x 64 takes heads x batch x sum over tiles of (a + b x
 * KV of the tile), whole card; a and b are fitted by least squares of relative errors on the largest measured batch.
 */
final class ContextAttention {
    static final int TILE_ROWS = 64;

    private final Curve one;
    private final double scale;
    private final double tileUs;
    private final double tileUsPerToken;
    private final double flopsPerUs;

    private ContextAttention(Curve one, double scale, double tileUs, double tileUsPerToken, double flopsPerUs) {
        this.one = one;
        this.scale = scale;
        this.tileUs = tileUs;
        this.tileUsPerToken = tileUsPerToken;
        this.flopsPerUs = flopsPerUs;
    }

    /**
     * @param byBatch curve along prompt tokens by batch; holds batch 1
     * @param scale factor on table times, 1 where the shape was measured itself
     */
    static ContextAttention of(TreeMap<Integer, Curve> byBatch, double scale, int heads, int headDim) {
        double best = 0;
        for (Map.Entry<Integer, Curve> e : byBatch.entrySet()) {
            Curve c = e.getValue();
            for (int i = 0; i < c.size(); i++) {
                double flops = 2.0 * e.getKey() * heads * headDim * c.at(i) * c.at(i);
                best = Math.max(best, flops / (scale * c.medianUs(i)));
            }
        }
        double[] tile = fit(byBatch, heads);
        return new ContextAttention(byBatch.firstEntry().getValue(), scale, tile[0] * scale, tile[1] * scale, best);
    }

    /** Least squares of relative errors over prompts of 512 to 4,096 tokens at the largest batch that has two of them. */
    private static double[] fit(TreeMap<Integer, Curve> byBatch, int heads) {
        for (Map.Entry<Integer, Curve> e :
                byBatch.headMap(32, true).descendingMap().entrySet()) {
            Curve c = e.getValue();
            double s11 = 0;
            double s12 = 0;
            double s22 = 0;
            double r1 = 0;
            double r2 = 0;
            int points = 0;
            for (int i = 0; i < c.size(); i++) {
                double isl = c.at(i);
                if (isl < 512 || isl > 4096) {
                    continue;
                }
                double tiles = isl / TILE_ROWS;
                double work = (double) e.getKey() * heads / c.medianUs(i);
                double x1 = work * tiles;
                double x2 = work * TILE_ROWS * tiles * (tiles + 1) / 2;
                s11 += x1 * x1;
                s12 += x1 * x2;
                s22 += x2 * x2;
                r1 += x1;
                r2 += x2;
                points++;
            }
            if (points >= 2) {
                double det = s11 * s22 - s12 * s12;
                double a = (r1 * s22 - r2 * s12) / det;
                double b = (r2 * s11 - r1 * s12) / det;
                if (a >= 0 && b > 0) {
                    return new double[] {a, b};
                }
                return new double[] {0, r2 / s22};
            }
        }
        return new double[] {Double.NaN, Double.NaN};
    }

    /** Chunk of prompt tokens behind cached ones, one request, microseconds. */
    double chunkUs(double tokens, double cached) {
        if (tokens <= 0) {
            return 0;
        }
        if (cached <= 0) {
            return prompt(tokens);
        }
        return Math.max(prompt(tokens), prompt(cached + tokens) - prompt(cached));
    }

    private double prompt(double tokens) {
        double last = one.last();
        double us = tokens <= last ? one.us(tokens) : one.us(last) * (tokens / last) * (tokens / last);
        return us * scale;
    }

    /** True when a tile's cost could be fitted. */
    boolean hasTiles() {
        return !Double.isNaN(tileUsPerToken);
    }

    /** Cost of one tile of one query head over KV tokens, microseconds of the whole card. */
    double tileUs(double kvTokens) {
        return tileUs + tileUsPerToken * kvTokens;
    }

    /** Best throughput of the kernel, FLOP per microsecond (a causal prompt of n tokens counts 2 heads head_dim n^2). */
    double flopsPerUs() {
        return flopsPerUs;
    }

    /** Longest measured prompt. */
    double last() {
        return one.last();
    }
}
