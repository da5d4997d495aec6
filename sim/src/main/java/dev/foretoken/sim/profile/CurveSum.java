package dev.foretoken.sim.profile;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.DoubleUnaryOperator;

/**
 * A sum of curves as one curve. The sum has a knot wherever a part has one, so that linear between knots stays exact at whole
 * axis values; stairs become a knot on each side. Costs its parts once, not at each evaluation.
 */
public final class CurveSum {
    private record Part(DoubleUnaryOperator us, double scale) {}

    private final List<Part> parts = new ArrayList<>();
    private final TreeSet<Double> knots = new TreeSet<>();
    private double last = Double.NEGATIVE_INFINITY;

    /** Adds scale times a curve. */
    public CurveSum add(Curve c, double scale) {
        return add(c, scale, 1);
    }

    /**
     * Adds scale times a curve whose axis counts {@code perUnit} for each unit of the sum's axis, such as bytes per row.
     */
    public CurveSum add(Curve c, double scale, double perUnit) {
        parts.add(new Part(x -> c.us(x * perUnit), scale));
        for (int i = 0; i < c.size(); i++) {
            knots.add(c.at(i) / perUnit);
        }
        for (double s : c.stairs()) {
            double left = Math.floor(s / perUnit);
            knots.add(left);
            knots.add(left + 1);
        }
        last = Math.max(last, c.last() / perUnit);
        return this;
    }

    /** Adds a function that is linear between its kinks. */
    public CurveSum add(DoubleUnaryOperator us, double... kinks) {
        parts.add(new Part(us, 1));
        for (double k : kinks) {
            knots.add(k);
        }
        return this;
    }

    /** True when nothing was added. */
    public boolean isEmpty() {
        return parts.isEmpty();
    }

    /** Sum at x, microseconds. */
    public double us(double x) {
        double sum = 0;
        for (Part p : parts) {
            sum += p.scale * p.us.applyAsDouble(x);
        }
        return sum;
    }

    /**
     * The sum as a curve from the first axis value on, with one knot beyond the last so that it goes on as its parts do.
     *
     * @param from first knot, at least 0
     */
    public Curve curve(Shape shape, double from) {
        TreeSet<Double> all = new TreeSet<>();
        all.add(from);
        knots.stream().filter(k -> k > from).forEach(all::add);
        double end = all.last();
        all.add(end * 2 + 1);
        double[] at = all.stream().mapToDouble(v -> v).toArray();
        double[] us = new double[at.length];
        for (int i = 0; i < at.length; i++) {
            us[i] = us(at[i]);
        }
        return Curve.of(shape, at, us, new double[0]);
    }

    /** Largest knot of the curves added, in the units of the sum. */
    public double lastKnot() {
        return last;
    }
}
