package dev.foretoken.formats.acceptance.readers;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Predicate;

/**
 * JSON objects of a source, one after another, whatever the layout: JSON Lines, lines of a saved event stream ({@code
 * data: {...}}), log lines that end in an object, one array, or one pretty-printed document.
 */
final class JsonRecords {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();
    private static final int MAX_DEPTH = 6;

    private JsonRecords() {}

    /** Takes one object. */
    @FunctionalInterface
    interface Visitor {
        void visit(JsonNode object, long line);
    }

    /** Visits every top-level object; the elements of a top-level array count as such. */
    static void forEach(LineReader lines, AcceptanceSink sink, Visitor visitor) throws IOException {
        boolean any = false;
        for (String line = lines.next(); line != null; line = lines.next()) {
            String text = payload(line);
            if (text.isEmpty()) {
                continue;
            }
            if (lines.cut()) {
                sink.skip(lines.number(), "line longer than " + LineReader.MAX_LINE + " characters");
                continue;
            }
            JsonNode node;
            try {
                node = MAPPER.readTree(text);
            } catch (JsonProcessingException e) {
                if (!any && opensDocument(text)) {
                    document(line, lines, sink, visitor);
                    return;
                }
                sink.skip(lines.number(), "not valid JSON (truncated or damaged)");
                continue;
            }
            any = true;
            deliver(node, lines.number(), sink, visitor);
        }
    }

    private static boolean opensDocument(String text) {
        return text.equals("{") || text.equals("[") || text.endsWith("{") || text.endsWith("[") || text.endsWith(",");
    }

    private static String payload(String line) {
        String text = line.strip();
        if (text.startsWith("data:")) {
            text = text.substring("data:".length()).strip();
        }
        if (text.isEmpty() || text.equals("[DONE]") || text.startsWith(":") || text.startsWith("event:")) {
            return "";
        }
        return text;
    }

    private static void deliver(JsonNode node, long line, AcceptanceSink sink, Visitor visitor) {
        if (node.isArray()) {
            node.forEach(element -> deliver(element, line, sink, visitor));
        } else if (node.isObject()) {
            visitor.visit(node, line);
        } else {
            sink.skip(line, "not a JSON object");
        }
    }

    private static void document(String first, LineReader lines, AcceptanceSink sink, Visitor visitor)
            throws IOException {
        try (JsonParser parser = MAPPER.createParser(new RestReader(first, lines))) {
            parser.setCodec(MAPPER);
            JsonToken token = parser.nextToken();
            while (token != null) {
                if (token == JsonToken.START_OBJECT) {
                    long line = lines.number();
                    JsonNode node = parser.readValueAsTree();
                    deliver(node, line, sink, visitor);
                }
                token = parser.nextToken();
            }
        } catch (JsonProcessingException e) {
            sink.skip(lines.number(), "not valid JSON (truncated or damaged)");
        }
    }

    /** First object, in breadth-first order, that satisfies the test; null if none. */
    static JsonNode find(JsonNode root, Predicate<JsonNode> test) {
        Deque<JsonNode> level = new ArrayDeque<>();
        level.add(root);
        for (int depth = 0; depth <= MAX_DEPTH && !level.isEmpty(); depth++) {
            Deque<JsonNode> next = new ArrayDeque<>();
            for (JsonNode node : level) {
                if (node.isObject() && test.test(node)) {
                    return node;
                }
                node.forEach(child -> {
                    if (child.isContainerNode()) {
                        next.add(child);
                    }
                });
            }
            level = next;
        }
        return null;
    }

    /**
     * A count: a finite integral number, at least 0.
     *
     * @return null where the field is absent or null
     * @throws IllegalArgumentException where it is something else
     */
    static Long count(JsonNode object, String field) {
        JsonNode v = object.get(field);
        if (v == null || v.isNull()) {
            return null;
        }
        double d = v.isNumber() ? v.doubleValue() : Double.NaN;
        if (!(d >= 0) || d != Math.rint(d) || d > 9e15) {
            throw new IllegalArgumentException(field + " is not a count: " + v);
        }
        return v.isIntegralNumber() ? v.longValue() : (long) d;
    }

    /** A finite number; null where absent or null; refuses anything else. */
    static Double number(JsonNode object, String field) {
        JsonNode v = object.get(field);
        if (v == null || v.isNull()) {
            return null;
        }
        if (!v.isNumber() || !Double.isFinite(v.doubleValue())) {
            throw new IllegalArgumentException(field + " is not a finite number: " + v);
        }
        return v.doubleValue();
    }

    /** The first of several names of one count. */
    static Long count(JsonNode object, String field, String... olderNames) {
        Long value = count(object, field);
        for (int i = 0; value == null && i < olderNames.length; i++) {
            value = count(object, olderNames[i]);
        }
        return value;
    }

    /** A required count. */
    static long requiredCount(JsonNode object, String field) {
        Long value = count(object, field);
        if (value == null) {
            throw new IllegalArgumentException(field + " is missing");
        }
        return value;
    }

    /** A text, null where absent. */
    static String text(JsonNode object, String... names) {
        for (String name : names) {
            JsonNode v = object.get(name);
            if (v != null && v.isValueNode() && !v.isNull() && !v.asText().isBlank()) {
                return v.asText();
            }
        }
        return null;
    }

    /**
     * A histogram of accepted drafts per round, as an array or as an object {@code {"0": n0, "1": n1}}; null where absent.
     */
    static long[] histogram(JsonNode v, String field) {
        if (v == null || v.isNull()) {
            return null;
        }
        if (v.isArray()) {
            long[] h = new long[v.size()];
            for (int i = 0; i < h.length; i++) {
                h[i] = entry(v.get(i), field);
            }
            return h;
        }
        if (v.isObject()) {
            long[] h = new long[0];
            for (var e : v.properties()) {
                int j;
                try {
                    j = Integer.parseInt(e.getKey());
                } catch (NumberFormatException x) {
                    throw new IllegalArgumentException(field + " has the key " + e.getKey(), x);
                }
                if (j < 0 || j > 100_000) {
                    throw new IllegalArgumentException(field + " has the key " + j);
                }
                h = j < h.length ? h : java.util.Arrays.copyOf(h, j + 1);
                h[j] = entry(e.getValue(), field);
            }
            return h;
        }
        throw new IllegalArgumentException(field + " is neither array nor object: " + v);
    }

    private static long entry(JsonNode v, String field) {
        double d = v != null && v.isNumber() ? v.doubleValue() : Double.NaN;
        if (!(d >= 0) || d != Math.rint(d) || d > 9e15) {
            throw new IllegalArgumentException(field + " has an entry that is not a count: " + v);
        }
        return (long) d;
    }

    /** Small non-negative integers, null where absent. */
    static int[] steps(JsonNode object, String field) {
        JsonNode v = object.get(field);
        if (v == null || v.isNull()) {
            return null;
        }
        if (!v.isArray()) {
            throw new IllegalArgumentException(field + " is not an array");
        }
        int[] s = new int[v.size()];
        for (int i = 0; i < s.length; i++) {
            long n = entry(v.get(i), field);
            if (n > 100_000) {
                throw new IllegalArgumentException(field + " has an entry " + n);
            }
            s[i] = (int) n;
        }
        return s;
    }

    /** The rest of the lines as characters, the given line first. */
    private static final class RestReader extends Reader {
        private final LineReader lines;
        private String current;
        private int position;

        RestReader(String first, LineReader lines) {
            this.lines = lines;
            this.current = first + "\n";
        }

        @Override
        public int read(char[] target, int offset, int length) throws IOException {
            if (current != null && position == current.length()) {
                String line = lines.next();
                current = line == null ? null : line + "\n";
                position = 0;
            }
            if (current == null) {
                return -1;
            }
            int n = Math.min(length, current.length() - position);
            current.getChars(position, position + n, target, offset);
            position += n;
            return n;
        }

        @Override
        public void close() {
            current = null;
        }
    }
}
