package dev.foretoken.formats.prometheus;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Reader of one line of the Prometheus text exposition format (version 0.0.4 and the OpenMetrics superset that servers
 * print): {@code name{label="value",...} value [timestamp]}. Comments and blank lines give an empty result; a damaged line
 * throws {@link IllegalArgumentException} with the reason, so that the caller can count and name it.
 */
public final class PrometheusText {
    private PrometheusText() {}

    /**
     * One sample.
     *
     * @param name metric name as printed
     * @param labels sorted by label name
     * @param value as printed; may be NaN or infinite, callers decide what that means
     */
    public record Sample(String name, Map<String, String> labels, double value) {
        public Sample {
            labels = java.util.Collections.unmodifiableMap(new TreeMap<>(labels));
        }

        /** Name and labels: the identity of a time series. */
        public String series() {
            return name + labels;
        }
    }

    /** Parses one line; empty for blank lines and comments. */
    public static Optional<Sample> parseLine(String line) {
        String text = line.strip();
        if (text.isEmpty() || text.charAt(0) == '#') {
            return Optional.empty();
        }
        int i = 0;
        while (i < text.length() && isNameChar(text.charAt(i))) {
            i++;
        }
        if (i == 0) {
            throw new IllegalArgumentException("no metric name");
        }
        String name = text.substring(0, i);
        Map<String, String> labels = new LinkedHashMap<>();
        if (i < text.length() && text.charAt(i) == '{') {
            i = parseLabels(text, i + 1, labels);
        }
        String[] rest = text.substring(i).strip().split("\\s+");
        if (rest[0].isEmpty()) {
            throw new IllegalArgumentException("no value after " + name);
        }
        return Optional.of(new Sample(name, labels, number(rest[0], name)));
    }

    private static double number(String token, String name) {
        switch (token) {
            case "+Inf", "Inf":
                return Double.POSITIVE_INFINITY;
            case "-Inf":
                return Double.NEGATIVE_INFINITY;
            case "NaN":
                return Double.NaN;
            default:
                try {
                    return Double.parseDouble(token);
                } catch (NumberFormatException e) {
                    throw new IllegalArgumentException("value of " + name + " is not a number: " + token, e);
                }
        }
    }

    private static int parseLabels(String text, int start, Map<String, String> labels) {
        int i = start;
        while (true) {
            while (i < text.length() && (text.charAt(i) == ',' || text.charAt(i) == ' ')) {
                i++;
            }
            if (i >= text.length()) {
                throw new IllegalArgumentException("labels are not closed");
            }
            if (text.charAt(i) == '}') {
                return i + 1;
            }
            int equals = text.indexOf('=', i);
            if (equals < 0 || equals + 1 >= text.length() || text.charAt(equals + 1) != '"') {
                throw new IllegalArgumentException("label without a quoted value");
            }
            String label = text.substring(i, equals).strip();
            StringBuilder value = new StringBuilder();
            i = equals + 2;
            while (i < text.length() && text.charAt(i) != '"') {
                char c = text.charAt(i);
                if (c == '\\' && i + 1 < text.length()) {
                    i++;
                    c = text.charAt(i) == 'n' ? '\n' : text.charAt(i);
                }
                value.append(c);
                i++;
            }
            if (i >= text.length()) {
                throw new IllegalArgumentException("label value is not closed");
            }
            labels.put(label, value.toString());
            i++;
        }
    }

    private static boolean isNameChar(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
    }
}
