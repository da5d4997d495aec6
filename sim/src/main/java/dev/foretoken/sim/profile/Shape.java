package dev.foretoken.sim.profile;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Dimensions of a kernel, by name, in a fixed order; two shapes are equal when names and values are.
 *
 * @param dims dimension by name, each at least 0
 */
public record Shape(Map<String, Integer> dims) {
    /** No dimensions, for curves of a whole server. */
    public static final Shape NONE = new Shape(Map.of());

    public Shape {
        dims = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(dims));
        for (Map.Entry<String, Integer> e : dims.entrySet()) {
            if (e.getValue() < 0) {
                throw new IllegalArgumentException(
                        "dimension " + e.getKey() + " must not be negative: " + e.getValue());
            }
        }
    }

    /** A shape of one dimension. */
    public static Shape of(String a, int x) {
        return NONE.and(a, x);
    }

    /** Weights of a matrix product: n outputs from k inputs. */
    public static Shape gemm(int n, int k) {
        return of("n", n).and("k", k);
    }

    /** This shape with one dimension more. */
    public Shape and(String name, int value) {
        Map<String, Integer> copy = new LinkedHashMap<>(dims);
        if (copy.put(name, value) != null) {
            throw new IllegalArgumentException("dimension " + name + " is given twice");
        }
        return new Shape(copy);
    }

    /**
     * A dimension.
     *
     * @throws IllegalArgumentException when the shape has no such dimension
     */
    public int get(String name) {
        Integer v = dims.get(name);
        if (v == null) {
            throw new IllegalArgumentException("no dimension " + name + " in " + this);
        }
        return v;
    }

    /** This shape without one of its dimensions. */
    public Shape without(String name) {
        Map<String, Integer> copy = new LinkedHashMap<>(dims);
        copy.remove(name);
        return new Shape(copy);
    }

    @Override
    public String toString() {
        return dims.toString();
    }
}
