package dev.foretoken.formats.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class JsonTest {
    record Figures(Double outputTokS, Double outputTokSPerGpu, Integer p95Ms, List<Double> values) {}

    @Test
    void spellsEveryWordAndLeavesOutTheUnknown() {
        assertEquals(
                "{\"output_tok_s\":1.5,\"output_tok_s_per_gpu\":2.0,\"values\":[0.1]}",
                Json.canonical(new Figures(1.5, 2.0, null, List.of(0.1))));
    }

    @Test
    void refusesNumbersThatAreNone() {
        for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
            assertTrue(assertThrows(Exception.class, () -> Json.pretty(new Figures(bad, null, null, null)))
                    .getMessage()
                    .contains("is not finite"));
            assertThrows(Exception.class, () -> Json.pretty(new Figures(null, null, null, List.of(bad))));
            assertThrows(Exception.class, () -> Json.canonical(Map.of("x", bad)));
            assertThrows(Exception.class, () -> YamlText.of(new Figures(bad, null, null, null)));
        }
    }

    @Test
    void canonicalTextDoesNotDependOnTheOrderOfKeys() {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("b", 1);
        one.put("a", Map.of("y", 2, "x", 3));
        Map<String, Object> other = new LinkedHashMap<>();
        other.put("a", Map.of("x", 3, "y", 2));
        other.put("b", 1);
        assertEquals("{\"a\":{\"x\":3,\"y\":2},\"b\":1}", Json.canonical(one));
        assertEquals(Json.hash(one), Json.hash(other));
        assertEquals(
                "d3626ac30a87e6f7a6428233b3c68299976865fa5508e4267c5415c76af7a772",
                Json.hash(Map.of("b", 1, "a", 2)),
                "SHA-256 of {\"a\":2,\"b\":1}");
    }

    @Property(tries = 500, seed = "5")
    void numbersRoundTrip(@ForAll double value) throws IOException {
        String text = Json.canonical(List.of(value));
        assertEquals(value, Json.mapper().readTree(text).get(0).doubleValue());
    }
}
