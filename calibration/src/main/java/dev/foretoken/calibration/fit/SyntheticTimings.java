package dev.foretoken.calibration.fit;

import dev.foretoken.formats.timings.KernelTimings;
import dev.foretoken.formats.timings.TimingPoint;
import dev.foretoken.sim.random.Streams;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;

/**
 * Timing points of a {@link KnownTruth}, as the timing tool would write them: medians and order-statistic intervals of noisy
 * samples, some samples far too high, some points slowed by heat and flagged.
 *
 * @param sampleNoise relative standard deviation of a sample
 * @param driftNoise relative standard deviation that all samples of a point share; the intervals do not see it
 * @param outlierShare share of samples that an interruption doubles or triples
 * @param throttledShare share of points taken on a throttled card, 30 % slow and flagged
 * @param samples per point
 */
public record SyntheticTimings(
        double sampleNoise, double driftNoise, double outlierShare, double throttledShare, int samples) {
    /** Rows of the timing tool's grid for GPUs. */
    public static final List<Integer> ROWS = List.of(
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 24, 32, 33, 40, 48, 56, 64, 65, 80, 96, 112,
            128, 160, 192, 256, 384, 512, 768, 1024);

    /** A quiet card: 1.5 % per sample, 0.3 % drift, 2 % outliers, one point in twenty throttled, 30 samples. */
    public static SyntheticTimings typical() {
        return new SyntheticTimings(0.015, 0.003, 0.02, 0.05, 30);
    }

    /** Points of one matrix product over {@link #ROWS}. */
    public List<TimingPoint> gemm(KnownTruth truth, int n, int k, long seed) {
        UniformRandomProvider random = Streams.of(seed, "synthetic-timings", n, k);
        var normal = ZigguratSampler.NormalizedGaussian.of(random);
        List<TimingPoint> points = new ArrayList<>();
        for (int m : ROWS) {
            boolean throttled = random.nextDouble() < throttledShare;
            double centre = truth.us(m) * Math.exp(driftNoise * normal.sample()) * (throttled ? 1.3 : 1);
            double[] us = new double[samples];
            for (int i = 0; i < samples; i++) {
                double outlier = random.nextDouble() < outlierShare ? 2 + random.nextDouble() : 1;
                us[i] = centre * Math.exp(sampleNoise * normal.sample()) * outlier;
            }
            points.add(gemmPoint(m, n, k, us, throttled));
        }
        return points;
    }

    /** The points of {@link #gemm} as a file of the timing tool that says it is synthetic. */
    public KernelTimings file(KnownTruth truth, int n, int k, long seed) {
        return new KernelTimings(
                KernelTimings.SCHEMA,
                "synthetic",
                null,
                null,
                "ok",
                "cuda",
                null,
                true,
                Map.of(),
                List.of(),
                List.of(),
                Map.of(),
                Map.of(),
                Map.of(),
                List.of(),
                null,
                gemm(truth, n, k, seed),
                List.of());
    }

    private static TimingPoint gemmPoint(int m, int n, int k, double[] us, boolean throttled) {
        double[] sorted = us.clone();
        Arrays.sort(sorted);
        int rank = medianIntervalRank(sorted.length);
        long bytes = 2L * ((long) m * k + (long) n * k + (long) m * n);
        double median = Numbers.median(us);
        double[] deviations = Arrays.stream(us).map(x -> Math.abs(x - median)).toArray();
        return new TimingPoint(
                "gemm/synthetic/m=" + m + "/n=" + n + "/k=" + k,
                "gemm",
                "cublaslt",
                "default",
                List.of(0),
                Map.of("m", (long) m, "n", (long) n, "k", (long) k),
                Map.of("a", "bf16", "b", "bf16", "c", "bf16", "acc", "fp32"),
                "graph",
                "cold",
                "burst",
                TimingPoint.UNIT,
                us.length,
                3,
                median,
                Numbers.median(deviations),
                Numbers.quantile(us, 0.05),
                Numbers.quantile(us, 0.95),
                sorted[0],
                sorted[rank - 1],
                sorted[sorted.length - rank],
                null,
                true,
                bytes,
                2L * m * n * k,
                bytes / (median * 1e-6),
                2.0 * m * n * k / (median * 1e-6),
                null,
                null,
                null,
                null,
                null,
                throttled ? List.of("sw_thermal_slowdown") : List.of(),
                throttled,
                new TimingPoint.Check(1e-3, true),
                TimingPoint.OK,
                null,
                null);
    }

    /** The rank of the timing tool's interval: the largest l with 2 P(Bin(n, 1/2) <= l - 1) <= 5 %, at least 1. */
    static int medianIntervalRank(int n) {
        double cumulative = 0;
        double term = Math.pow(0.5, n);
        for (int j = 0; j < n; j++) {
            cumulative += term;
            if (cumulative > 0.025) {
                return Math.max(1, j);
            }
            term *= (double) (n - j) / (j + 1);
        }
        return 1;
    }
}
