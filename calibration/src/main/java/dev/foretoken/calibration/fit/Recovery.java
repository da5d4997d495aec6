package dev.foretoken.calibration.fit;

import dev.foretoken.sim.profile.Curve;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What the fit recovers of a known truth over several seeds: the whole way from timing points through the filter to a curve.
 * Rows that no point of the seed touches are unseen; those between its first and last usable point count.
 *
 * @param seeds fitted
 * @param everyStairPlaced seeds in which every stair of the truth lies exactly where it should
 * @param within2Percent seeds in which the curve is within 2 % of the truth at every unseen row
 * @param medianWorstError median over seeds of the worst relative error at unseen rows
 * @param coverage share of unseen rows, over all seeds, that the 5-95 % band covers
 * @param stairsTooMany mean number of stairs that the truth does not have
 */
public record Recovery(
        int seeds,
        int everyStairPlaced,
        int within2Percent,
        double medianWorstError,
        double coverage,
        double stairsTooMany) {
    private static final int N = 16384;
    private static final int K = 5120;

    /** Fits timings of the truth under seeds 0 to seeds - 1. */
    public static Recovery of(KnownTruth truth, SyntheticTimings timings, int seeds) {
        int placed = 0;
        int within = 0;
        long covered = 0;
        long rows = 0;
        int extra = 0;
        double[] worst = new double[seeds];
        for (int seed = 0; seed < seeds; seed++) {
            FitResult.Fitted fitted = new KernelFit(new FitOptions("synthetic", "own", null, seed))
                    .fit(Map.of("synthetic", timings.file(truth, N, K, seed)))
                    .fits()
                    .get(0);
            Curve curve = fitted.curve();
            Set<Double> stairs = new HashSet<>();
            Arrays.stream(curve.stairs()).forEach(stairs::add);
            boolean all = Arrays.stream(truth.stairs()).allMatch(stairs::contains);
            placed += all ? 1 : 0;
            Arrays.stream(truth.stairs()).forEach(stairs::remove);
            extra += stairs.size();
            Set<Integer> seen = new HashSet<>();
            fitted.fit().knots().forEach(k -> seen.add((int) k.at()));
            Curve low = side(curve, false);
            Curve high = side(curve, true);
            for (int m = (int) curve.first(); m <= curve.last(); m++) {
                if (seen.contains(m)) {
                    continue;
                }
                double t = truth.us(m);
                worst[seed] = Math.max(worst[seed], Math.abs(curve.us(m) / t - 1));
                rows++;
                covered += low.us(m) <= t && t <= high.us(m) ? 1 : 0;
            }
            within += worst[seed] <= 0.02 ? 1 : 0;
        }
        return new Recovery(
                seeds, placed, within, Numbers.median(worst), covered / (double) rows, extra / (double) seeds);
    }

    private static Curve side(Curve c, boolean high) {
        double[] at = new double[c.size()];
        double[] us = new double[c.size()];
        for (int i = 0; i < at.length; i++) {
            at[i] = c.at(i);
            us[i] = high ? c.highUs(i) : c.lowUs(i);
        }
        return Curve.of(c.shape(), at, us, c.stairs());
    }
}
