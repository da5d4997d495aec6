package dev.foretoken.validation.server;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.prometheus.Scrape;
import java.util.OptionalDouble;

/** Values from pages, null where they are absent. */
final class Pages {
    private Pages() {}

    static Double sum(Scrape scrape, String name) {
        OptionalDouble v = scrape.sum(name);
        return v.isPresent() ? v.getAsDouble() : null;
    }

    static String text(JsonNode n) {
        return n.isTextual() && !n.textValue().isBlank() ? n.textValue() : null;
    }

    static Integer integer(JsonNode n) {
        return n.isIntegralNumber() && n.canConvertToInt() ? n.intValue() : null;
    }

    /** Largest of an array of whole numbers, null if it is none. */
    static Integer largest(JsonNode array) {
        Integer max = null;
        for (JsonNode n : array) {
            Integer v = integer(n);
            if (v != null && (max == null || v > max)) {
                max = v;
            }
        }
        return max;
    }
}
