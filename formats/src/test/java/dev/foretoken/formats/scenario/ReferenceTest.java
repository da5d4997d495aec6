package dev.foretoken.formats.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.sim.explore.Explorer;
import dev.foretoken.sim.explore.LaunchFlags;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.scenario.Scenario;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The two reference scenarios, worked out by hand: every point and field to 1e-9 relative. */
class ReferenceTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    static List<Arguments> points() throws Exception {
        List<Arguments> out = new ArrayList<>();
        for (String prefix : List.of("", "loaded_")) {
            Result result = explore(prefix + "scenario.json");
            JsonNode expected = JSON.readTree(resource(prefix + "expected.json"));
            for (JsonNode point : expected.get("points")) {
                out.add(Arguments.of(
                        prefix + point.get("method").asText() + " "
                                + (point.has("budget") ? "B=" + point.get("budget") : "") + " "
                                + point.get("load").get("concurrency"),
                        point,
                        result,
                        expected.get("tolerance_rel").asDouble()));
            }
        }
        return out;
    }

    private static byte[] resource(String name) throws Exception {
        try (InputStream in = ReferenceTest.class.getResourceAsStream("/reference/" + name)) {
            return in.readAllBytes();
        }
    }

    private static Result explore(String name) throws Exception {
        ScenarioResources resources = ScenarioResources.of(Catalogue.bundled(), path -> {
            throw new IllegalStateException("no trace expected: " + path);
        });
        ScenarioFile file = new ScenarioReader(resources).read(name, resource(name), Path.of("."));
        Scenario scenario = file.variants().get(0);
        BlackBoxTimes times =
                new BlackBoxTimes(scenario.calibration(), scenario.tpSizes(), BlackBoxTimes.MemoryLimit.NONE);
        return new Explorer(scenario, times, LaunchFlags.NONE).explore("test", "hash", n -> {});
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("points")
    void matches(String label, JsonNode expected, Result result, double tolerance) {
        List<Point> found = result.points().stream()
                .filter(p -> p.method().equals(expected.get("method").asText())
                        && p.load().concurrency()
                                == expected.get("load").get("concurrency").asInt()
                        && (!expected.has("budget")
                                || p.budget() == expected.get("budget").asInt()))
                .toList();
        assertEquals(1, found.size(), label);
        JsonNode actual = JSON.valueToTree(found.get(0));
        expected.fields()
                .forEachRemaining(field -> compare(label, field.getKey(), field.getValue(), actual, tolerance));
    }

    private static void compare(String label, String key, JsonNode expected, JsonNode actual, double tolerance) {
        JsonNode value = actual.get(camel(key));
        assertTrue(value != null && !value.isNull(), label + " lacks " + key);
        if (expected.isObject()) {
            expected.fields().forEachRemaining(f -> compare(label, f.getKey(), f.getValue(), value, tolerance));
        } else if (expected.isNumber()) {
            assertEquals(
                    expected.asDouble(),
                    value.asDouble(),
                    tolerance * Math.abs(expected.asDouble()),
                    label + " " + key);
        } else {
            assertEquals(expected, value, label + " " + key);
        }
    }

    private static String camel(String key) {
        StringBuilder out = new StringBuilder();
        boolean up = false;
        for (char c : key.toCharArray()) {
            if (c == '_') {
                up = true;
            } else {
                out.append(up ? Character.toUpperCase(c) : c);
                up = false;
            }
        }
        return out.toString();
    }
}
