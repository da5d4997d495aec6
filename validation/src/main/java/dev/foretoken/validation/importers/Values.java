package dev.foretoken.validation.importers;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.foretoken.sim.result.Point;
import dev.foretoken.validation.measure.Summary;
import java.util.ArrayList;
import java.util.List;

/** Values of result files; absent, null, NaN and strings in place of numbers give null. */
final class Values {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private Values() {}

    /** Every JSON object of a file: one document, an array, or JSON Lines. Damaged lines are counted in the last entry. */
    static List<JsonNode> objects(String name, String text) {
        List<JsonNode> list = new ArrayList<>();
        try {
            add(MAPPER.readTree(text), list);
            if (!list.isEmpty()
                    && text.strip().lines().filter(l -> l.startsWith("{")).count() <= 1) {
                return list;
            }
        } catch (JsonProcessingException e) {
            list.clear();
        }
        List<JsonNode> lines = new ArrayList<>();
        for (String line : text.split("\n")) {
            if (line.isBlank()) {
                continue;
            }
            try {
                add(MAPPER.readTree(line), lines);
            } catch (JsonProcessingException e) {
                continue;
            }
        }
        List<JsonNode> found = lines.isEmpty() ? list : lines;
        if (found.isEmpty()) {
            throw new IllegalArgumentException(name + " holds no JSON object (truncated or damaged)");
        }
        return found;
    }

    private static void add(JsonNode n, List<JsonNode> list) {
        if (n == null) {
            return;
        }
        if (n.isArray()) {
            n.forEach(e -> add(e, list));
        } else if (n.isObject()) {
            list.add(n);
        }
    }

    /** A finite number. */
    static Double number(JsonNode n) {
        return n != null && n.isNumber() && Double.isFinite(n.doubleValue()) ? n.doubleValue() : null;
    }

    /** A finite number above 0. */
    static Double positive(JsonNode n) {
        Double v = number(n);
        return v == null || v <= 0 ? null : v;
    }

    static Long count(JsonNode n) {
        Double v = number(n);
        return v == null || v < 0 || v != Math.rint(v) ? null : v.longValue();
    }

    static Integer integer(JsonNode n) {
        Long v = count(n);
        return v == null || v > Integer.MAX_VALUE ? null : v.intValue();
    }

    static String text(JsonNode n) {
        return n != null && n.isTextual() && !n.textValue().isBlank() ? n.textValue() : null;
    }

    /** Mean, median, p95, p99 of named fields, scaled; null when there is neither mean nor median. */
    static Point.Stat stat(JsonNode n, double scale, String mean, String p50, String p95, String p99) {
        return stat(number(n.get(mean)), number(n.get(p50)), number(n.get(p95)), number(n.get(p99)), scale);
    }

    static Point.Stat stat(Double mean, Double p50, Double p95, Double p99, double scale) {
        if (mean == null && p50 == null) {
            return null;
        }
        return new Point.Stat(scaled(mean, scale), scaled(p50, scale), scaled(p95, scale), scaled(p99, scale), null);
    }

    private static Double scaled(Double v, double scale) {
        return v == null ? null : v * scale;
    }

    /** From per-request values. */
    static Point.Stat stat(List<Double> values) {
        Summary s = Summary.of(values);
        return s == null ? null : new Point.Stat(s.mean(), s.p50(), s.p95(), s.p99(), null);
    }

    static double[] numbers(JsonNode n, double scale) {
        if (n == null || !n.isArray()) {
            return null;
        }
        double[] v = new double[n.size()];
        for (int i = 0; i < v.length; i++) {
            Double x = number(n.get(i));
            if (x == null) {
                return null;
            }
            v[i] = x * scale;
        }
        return v;
    }

    /** Mean of whole numbers, null if it is no array of them or empty. */
    static Double mean(JsonNode n) {
        double[] v = numbers(n, 1);
        return v == null || v.length == 0
                ? null
                : java.util.Arrays.stream(v).average().orElseThrow();
    }
}
