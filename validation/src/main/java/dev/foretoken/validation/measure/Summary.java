package dev.foretoken.validation.measure;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;

/**
 * Mean and quantiles of a sample (linear interpolation between order statistics).
 *
 * @param count sample size, at least 1
 * @param mean arithmetic mean
 * @param p50 median
 * @param p95 95 % quantile
 * @param p99 99 % quantile
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Summary(int count, double mean, double p50, double p95, double p99) {
    public Summary {
        if (count < 1 || !Double.isFinite(mean)) {
            throw new IllegalArgumentException("a summary needs finite values: count " + count + ", mean " + mean);
        }
    }

    /** Summary of the values that are there; null when there is none. */
    public static Summary of(Collection<Double> values) {
        double[] v = values.stream()
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .toArray();
        return v.length == 0 ? null : of(v);
    }

    /** Summary of an array with at least one value; the array is sorted. */
    public static Summary of(double[] values) {
        Arrays.sort(values);
        return new Summary(
                values.length,
                Arrays.stream(values).average().orElseThrow(),
                quantile(values, 0.5),
                quantile(values, 0.95),
                quantile(values, 0.99));
    }

    /** Quantile of sorted values, q in [0, 1]. */
    public static double quantile(double[] sorted, double q) {
        double at = q * (sorted.length - 1);
        int lo = (int) Math.floor(at);
        int hi = Math.min(sorted.length - 1, lo + 1);
        return sorted[lo] + (at - lo) * (sorted[hi] - sorted[lo]);
    }
}
