package dev.foretoken.calibration.host;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** How far repeats of the same run lie apart. */
final class RunNoise {
    /** Median of |x - y| over the standard deviation of normal x and y. */
    private static final double MEDIAN_DIFFERENCE = 0.6744898 * Math.sqrt(2);

    /** Relative standard deviation below which no machine is. */
    private static final double SMALLEST = 0.002;

    private RunNoise() {}

    /**
     * Relative standard deviation of one run: the median log ratio of repeats next to each other, so that a single disturbed
     * run does not count for all.
     *
     * @param repeats values of the same run, in the order in which they were measured
     * @throws IllegalArgumentException when nothing was repeated
     */
    static double of(Collection<List<Double>> repeats) {
        List<Double> differences = new ArrayList<>();
        for (List<Double> v : repeats) {
            for (int i = 1; i < v.size(); i++) {
                differences.add(Math.abs(Math.log(v.get(i) / v.get(i - 1))));
            }
        }
        if (differences.isEmpty()) {
            throw new IllegalArgumentException("nothing was repeated, so that noise is unknown");
        }
        return Math.max(SMALLEST, median(differences) / MEDIAN_DIFFERENCE);
    }

    static double median(List<Double> values) {
        double[] v = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(v);
        int n = v.length;
        return n % 2 == 1 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
    }
}
