package dev.foretoken.sim.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Inputs of an oracle row, by name; a missing key is an error that names it. */
record Inputs(JsonNode json) {

    private JsonNode get(String key) {
        JsonNode node = json.get(key);
        if (node == null) {
            throw new IllegalArgumentException("input '" + key + "' is missing: " + json);
        }
        return node;
    }

    /** True when the key is present and not null. */
    boolean has(String key) {
        return json.hasNonNull(key);
    }

    /** The one key with this beginning. */
    String keyStarting(String prefix) {
        for (Iterator<String> names = json.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (name.startsWith(prefix)) {
                return name;
            }
        }
        throw new IllegalArgumentException("no input starts with '" + prefix + "': " + json);
    }

    double number(String key) {
        JsonNode node = get(key);
        if (!node.isNumber()) {
            throw new IllegalArgumentException("input '" + key + "' must be a number: " + json);
        }
        return node.asDouble();
    }

    double number(String key, double otherwise) {
        return has(key) ? number(key) : otherwise;
    }

    int integer(String key) {
        double v = number(key);
        if (v != Math.rint(v)) {
            throw new IllegalArgumentException("input '" + key + "' must be whole: " + v);
        }
        return Math.toIntExact((long) v);
    }

    int integer(String key, int otherwise) {
        return has(key) ? integer(key) : otherwise;
    }

    boolean isText(String key) {
        return get(key).isTextual();
    }

    String text(String key) {
        return get(key).asText();
    }

    double[] numbers(String key) {
        return doubles(get(key));
    }

    int[] integers(String key) {
        double[] values = numbers(key);
        int[] out = new int[values.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = Math.toIntExact((long) values[i]);
        }
        return out;
    }

    double[][] matrix(String key) {
        return matrix(get(key));
    }

    List<double[][]> matrices(String key) {
        List<double[][]> out = new ArrayList<>();
        for (JsonNode n : get(key)) {
            out.add(matrix(n));
        }
        return out;
    }

    Inputs inner(String key) {
        return new Inputs(get(key));
    }

    private static double[][] matrix(JsonNode node) {
        double[][] out = new double[node.size()][];
        for (int i = 0; i < out.length; i++) {
            out[i] = doubles(node.get(i));
        }
        return out;
    }

    static double[] doubles(JsonNode list) {
        double[] out = new double[list.size()];
        for (int i = 0; i < out.length; i++) {
            JsonNode n = list.get(i);
            out[i] = n.isBoolean() ? (n.asBoolean() ? 1 : 0) : n.asDouble();
        }
        return out;
    }
}
