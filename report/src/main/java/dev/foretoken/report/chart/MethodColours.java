package dev.foretoken.report.chart;

import dev.foretoken.sim.result.Point;
import java.awt.Color;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One colour and marker per method, the same in every chart of a result; plain decoding is grey. */
final class MethodColours {
    private final Map<String, Integer> index = new LinkedHashMap<>();

    MethodColours(List<Point> points) {
        for (Point p : points) {
            if (!plain(p)) {
                index.putIfAbsent(p.method(), index.size());
            }
        }
    }

    static boolean plain(Point p) {
        return p.kind().equals("autoregressive");
    }

    /** Colour of a method; the baseline's when it does not speculate. */
    Color colour(String method) {
        Integer i = index.get(method);
        return i == null ? Theme.BASELINE : Theme.kind(i);
    }

    /** Index of the method's marker. */
    int marker(String method) {
        return index.getOrDefault(method, 0);
    }

    boolean speculates(String method) {
        return index.containsKey(method);
    }
}
