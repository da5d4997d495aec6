package dev.foretoken.validation.compare;

import dev.foretoken.sim.random.Streams;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * Percentile bootstrap over clusters: timing is resampled by run, acceptance by prompt. Deterministic for a seed.
 */
public final class Bootstrap {
    private static final int RESAMPLES = 2000;

    private Bootstrap() {}

    /**
     * Interval of a statistic.
     *
     * @param clusters at least 2
     * @param statistic of a resample
     * @param level such as 0.9
     * @return lower and upper end
     */
    public static <T> double[] interval(
            List<T> clusters, ToDoubleFunction<List<T>> statistic, double level, long seed) {
        if (clusters.size() < 2) {
            throw new IllegalArgumentException("a bootstrap needs at least 2 clusters: " + clusters.size());
        }
        UniformRandomProvider rng = Streams.of(seed, "bootstrap", 0, 0);
        double[] values = new double[RESAMPLES];
        for (int b = 0; b < RESAMPLES; b++) {
            Object[] sample = new Object[clusters.size()];
            for (int i = 0; i < sample.length; i++) {
                sample[i] = clusters.get(rng.nextInt(clusters.size()));
            }
            @SuppressWarnings("unchecked")
            List<T> list = (List<T>) Arrays.asList(sample);
            values[b] = statistic.applyAsDouble(list);
        }
        Arrays.sort(values);
        double tail = (1 - level) / 2;
        return new double[] {
            dev.foretoken.validation.measure.Summary.quantile(values, tail),
            dev.foretoken.validation.measure.Summary.quantile(values, 1 - tail)
        };
    }

    /** Interval of a mean. */
    public static double[] mean(double[] clusters, double level, long seed) {
        List<Double> list = Arrays.stream(clusters).boxed().toList();
        return interval(
                list, s -> s.stream().mapToDouble(Double::doubleValue).average().orElseThrow(), level, seed);
    }
}
