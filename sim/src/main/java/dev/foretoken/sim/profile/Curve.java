package dev.foretoken.sim.profile;

import java.util.Arrays;

/**
 * Time of one kernel shape along one axis: exact at knots, linear between neighbours, never across a marked stair, linear
 * above the last knot. Immutable; {@link #us} allocates nothing and costs one binary search.
 *
 * <p>A stair at s lies after s: up to and including s the time is that of the knot on its left, above s that of the knot on
 * its right. Where measured knots sit on both sides (16 and 17) the stair is exact. Below the first knot the time is the
 * first knot's; above the last it goes on with the slope of the last two knots, or stays where they fall. Both are outside
 * ({@link #outside}) and whoever uses such a value says so.
 */
public final class Curve {
    private static final double[] NONE = {};

    private final Shape shape;
    private final double[] at;
    private final double[] medianUs;
    private final double[] lowUs;
    private final double[] highUs;
    private final int[] counts;
    private final double[] stairs;

    private Curve(
            Shape shape,
            double[] at,
            double[] medianUs,
            double[] lowUs,
            double[] highUs,
            int[] counts,
            double[] stairs) {
        this.shape = shape;
        this.at = at;
        this.medianUs = medianUs;
        this.lowUs = lowUs;
        this.highUs = highUs;
        this.counts = counts;
        this.stairs = stairs;
    }

    /**
     * A curve of medians.
     *
     * @param at knots, strictly ascending, finite, not negative
     * @param medianUs time at each knot, microseconds, finite and positive
     * @param stairs positions of stairs, strictly ascending; empty for none
     * @throws IllegalArgumentException printing the first value that is none of that
     */
    public static Curve of(Shape shape, double[] at, double[] medianUs, double[] stairs) {
        return of(shape, at, medianUs, null, null, null, stairs);
    }

    /**
     * A curve with intervals.
     *
     * @param lowUs lower end of each knot's interval, microseconds; null when unknown
     * @param highUs upper end; null when unknown
     * @param counts samples behind each knot; null when unknown
     */
    public static Curve of(
            Shape shape,
            double[] at,
            double[] medianUs,
            double[] lowUs,
            double[] highUs,
            int[] counts,
            double[] stairs) {
        if (at.length == 0) {
            throw new IllegalArgumentException(shape + ": a curve needs at least one knot");
        }
        sameLength(shape, "median", at.length, medianUs.length);
        ascending(shape, "knots", at);
        ascending(shape, "stairs", stairs);
        if (!(at[0] >= 0)) {
            throw new IllegalArgumentException(shape + ": knots must not be negative: " + at[0]);
        }
        for (int i = 0; i < at.length; i++) {
            if (!(medianUs[i] > 0) || Double.isInfinite(medianUs[i])) {
                throw new IllegalArgumentException(
                        shape + ": time at " + at[i] + " must be finite and positive: " + medianUs[i] + " us");
            }
        }
        if ((lowUs == null) != (highUs == null)) {
            throw new IllegalArgumentException(shape + ": an interval has both ends or none");
        }
        if (lowUs != null) {
            sameLength(shape, "low", at.length, lowUs.length);
            sameLength(shape, "high", at.length, highUs.length);
            for (int i = 0; i < at.length; i++) {
                if (!(lowUs[i] > 0 && lowUs[i] <= medianUs[i] && medianUs[i] <= highUs[i])
                        || Double.isInfinite(highUs[i])) {
                    throw new IllegalArgumentException(shape + ": interval at " + at[i] + " must hold its median: "
                            + lowUs[i] + " " + medianUs[i] + " " + highUs[i] + " us");
                }
            }
        }
        if (counts != null) {
            sameLength(shape, "count", at.length, counts.length);
            for (int c : counts) {
                if (c < 1) {
                    throw new IllegalArgumentException(shape + ": a knot needs at least one sample: " + c);
                }
            }
        }
        return new Curve(
                shape,
                at.clone(),
                medianUs.clone(),
                lowUs == null ? null : lowUs.clone(),
                highUs == null ? null : highUs.clone(),
                counts == null ? null : counts.clone(),
                stairs.length == 0 ? NONE : stairs.clone());
    }

    private static void sameLength(Shape shape, String what, int knots, int values) {
        if (knots != values) {
            throw new IllegalArgumentException(shape + ": " + knots + " knots but " + values + " values of " + what);
        }
    }

    private static void ascending(Shape shape, String what, double[] x) {
        for (int i = 0; i < x.length; i++) {
            if (!Double.isFinite(x[i])) {
                throw new IllegalArgumentException(shape + ": " + what + " must be finite: " + x[i]);
            }
            if (i > 0 && !(x[i] > x[i - 1])) {
                throw new IllegalArgumentException(
                        shape + ": " + what + " must ascend: " + x[i] + " after " + x[i - 1]);
            }
        }
    }

    /** What was timed. */
    public Shape shape() {
        return shape;
    }

    /** Number of knots. */
    public int size() {
        return at.length;
    }

    /** Position of a knot. */
    public double at(int knot) {
        return at[knot];
    }

    /** Median at a knot, microseconds. */
    public double medianUs(int knot) {
        return medianUs[knot];
    }

    /** True when the knots carry intervals. */
    public boolean hasIntervals() {
        return lowUs != null;
    }

    /** Lower end of a knot's interval, microseconds; the median where intervals are unknown. */
    public double lowUs(int knot) {
        return lowUs == null ? medianUs[knot] : lowUs[knot];
    }

    /** Upper end of a knot's interval, microseconds; the median where intervals are unknown. */
    public double highUs(int knot) {
        return highUs == null ? medianUs[knot] : highUs[knot];
    }

    /** True when the knots carry sample counts. */
    public boolean hasCounts() {
        return counts != null;
    }

    /** Samples behind a knot. */
    public int count(int knot) {
        if (counts == null) {
            throw new IllegalStateException(shape + ": sample counts are unknown");
        }
        return counts[knot];
    }

    /** Stairs, ascending; a fresh array. */
    public double[] stairs() {
        return stairs.clone();
    }

    /** First knot. */
    public double first() {
        return at[0];
    }

    /** Last knot. */
    public double last() {
        return at[at.length - 1];
    }

    /** True outside the knots, where {@link #us} extrapolates. */
    public boolean outside(double x) {
        return x < at[0] || x > at[at.length - 1];
    }

    /** Time at x, microseconds, finite and positive. */
    public double us(double x) {
        int n = at.length;
        if (x <= at[0]) {
            return medianUs[0];
        }
        if (x >= at[n - 1]) {
            if (n == 1 || x == at[n - 1]) {
                return medianUs[n - 1];
            }
            double slope = (medianUs[n - 1] - medianUs[n - 2]) / (at[n - 1] - at[n - 2]);
            return medianUs[n - 1] + Math.max(0, slope) * (x - at[n - 1]);
        }
        int i = Arrays.binarySearch(at, x);
        if (i >= 0) {
            return medianUs[i];
        }
        int hi = -i - 1;
        int lo = hi - 1;
        if (stairs.length > 0) {
            int s = Arrays.binarySearch(stairs, at[lo]);
            s = s >= 0 ? s : -s - 1;
            if (s < stairs.length && stairs[s] < at[hi]) {
                return x <= stairs[s] ? medianUs[lo] : medianUs[hi];
            }
        }
        double w = (x - at[lo]) / (at[hi] - at[lo]);
        return medianUs[lo] + w * (medianUs[hi] - medianUs[lo]);
    }

    @Override
    public String toString() {
        return shape + " " + at.length + " knots " + at[0] + ".." + at[at.length - 1];
    }
}
