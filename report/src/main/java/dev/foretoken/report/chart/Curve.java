package dev.foretoken.report.chart;

import java.awt.Color;
import java.util.List;

/**
 * A line through points, with an optional band.
 *
 * @param name shown beside its end; "" for none
 * @param x ascending unless {@code path}
 * @param y same length
 * @param low lower ends of the band, empty for none; where absent the point's own value
 * @param high upper ends
 * @param colour of line, markers and band
 * @param marker index of the marker shape, negative for none
 * @param line whether points are joined
 * @param dashed a dashed line, for baselines and fits
 */
public record Curve(
        String name,
        List<Double> x,
        List<Double> y,
        List<Double> low,
        List<Double> high,
        Color colour,
        int marker,
        boolean line,
        boolean dashed) {
    public Curve {
        x = List.copyOf(x);
        y = List.copyOf(y);
        low = List.copyOf(low);
        high = List.copyOf(high);
        if (x.isEmpty() || x.size() != y.size()) {
            throw new IllegalArgumentException(
                    "curve '" + name + "' needs as many x as y and at least one, got " + x.size() + " and " + y.size());
        }
        if (low.size() != high.size() || (!low.isEmpty() && low.size() != x.size())) {
            throw new IllegalArgumentException("the band of curve '" + name + "' needs an end for each point");
        }
    }

    /** A line with markers. */
    public static Curve line(String name, List<Double> x, List<Double> y, Color colour, int marker) {
        return new Curve(name, x, y, List.of(), List.of(), colour, marker, true, false);
    }

    /** Points that are not joined. */
    public static Curve points(String name, List<Double> x, List<Double> y, Color colour, int marker) {
        return new Curve(name, x, y, List.of(), List.of(), colour, marker, false, false);
    }

    /** A dashed line without markers. */
    public static Curve reference(String name, List<Double> x, List<Double> y) {
        return new Curve(name, x, y, List.of(), List.of(), Theme.BASELINE, -1, true, true);
    }

    /** The same curve within a band. */
    public Curve within(List<Double> low, List<Double> high) {
        return new Curve(name, x, y, low, high, colour, marker, line, dashed);
    }
}
