package dev.foretoken.sim.serving;

import java.util.Arrays;

/**
 * One value per completed request, in order of completion, thinned evenly when there are more than {@value #CAPACITY}: then
 * every second value is dropped and from there on every second (fourth, ...) one is kept.
 */
final class SampleSeries {
    static final int CAPACITY = 1 << 20;

    private double[] values = new double[1024];
    private int size;
    private long count;
    private int stride = 1;

    void add(double value) {
        if (count++ % stride != 0) {
            return;
        }
        if (size == CAPACITY) {
            size = CAPACITY / 2;
            for (int i = 0; i < size; i++) {
                values[i] = values[2 * i];
            }
            stride *= 2;
            if ((count - 1) % stride != 0) {
                return;
            }
        } else if (size == values.length) {
            values = Arrays.copyOf(values, size * 2);
        }
        values[size++] = value;
    }

    /** Values added. */
    long count() {
        return count;
    }

    /** Requests per kept value: 1 until values are dropped. */
    int stride() {
        return stride;
    }

    /** Kept values of the requests from..to-1 (by number of completion), in order. */
    double[] range(long from, long to) {
        int lo = (int) Math.min(size, (from + stride - 1) / stride);
        int hi = (int) Math.min(size, (to + stride - 1) / stride);
        return Arrays.copyOfRange(values, lo, Math.max(lo, hi));
    }
}
