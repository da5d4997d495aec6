package dev.foretoken.calibration.fit;

import java.util.Arrays;

/** Order statistics of small arrays. */
final class Numbers {
    private Numbers() {}

    static double median(double[] values) {
        return quantile(values, 0.5);
    }

    /** Linear interpolation between order statistics (type 7). */
    static double quantile(double[] values, double q) {
        double[] v = values.clone();
        Arrays.sort(v);
        double position = q * (v.length - 1);
        int low = (int) position;
        int high = Math.min(low + 1, v.length - 1);
        return v[low] + (position - low) * (v[high] - v[low]);
    }
}
