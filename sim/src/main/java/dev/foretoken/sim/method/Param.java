package dev.foretoken.sim.method;

/**
 * One parameter that a method of a scenario may carry. Readers check values against it and defaults are reported with it.
 *
 * @param name key in the scenario, unit in the name
 * @param type value type
 * @param required no default: absence is an error
 * @param min smallest value of numbers (inclusive), null = no bound
 * @param max largest value of numbers (inclusive), null = no bound
 * @param defaultValue value when absent and not required; null = absent stays absent
 * @param meaning one phrase for listings
 */
public record Param(
        String name, Type type, boolean required, Double min, Double max, Object defaultValue, String meaning) {
    /** Value types of parameters. */
    public enum Type {
        INT,
        REAL,
        BOOL,
        TEXT
    }

    static Param requiredInt(String name, int min, int max, String meaning) {
        return new Param(name, Type.INT, true, (double) min, (double) max, null, meaning);
    }

    static Param optionalInt(String name, int min, int max, Integer defaultValue, String meaning) {
        return new Param(name, Type.INT, false, (double) min, (double) max, defaultValue, meaning);
    }

    static Param requiredReal(String name, double min, double max, String meaning) {
        return new Param(name, Type.REAL, true, min, max, null, meaning);
    }

    static Param optionalBool(String name, boolean defaultValue, String meaning) {
        return new Param(name, Type.BOOL, false, null, null, defaultValue, meaning);
    }

    static Param optionalText(String name, String meaning) {
        return new Param(name, Type.TEXT, false, null, null, null, meaning);
    }

    /**
     * The value as this parameter's type.
     *
     * @throws IllegalArgumentException with the value, when it is of another type or out of bounds
     */
    public Object check(Object value) {
        switch (type) {
            case INT -> {
                if (value instanceof Number n && n.doubleValue() == Math.rint(n.doubleValue())) {
                    bounds(n.doubleValue());
                    return n.intValue();
                }
                throw new IllegalArgumentException(name + " must be a whole number: " + value);
            }
            case REAL -> {
                if (value instanceof Number n && Double.isFinite(n.doubleValue())) {
                    bounds(n.doubleValue());
                    return n.doubleValue();
                }
                throw new IllegalArgumentException(name + " must be a finite number: " + value);
            }
            case BOOL -> {
                if (value instanceof Boolean) {
                    return value;
                }
                throw new IllegalArgumentException(name + " must be true or false: " + value);
            }
            case TEXT -> {
                if (value instanceof String s && !s.isBlank()) {
                    return s;
                }
                throw new IllegalArgumentException(name + " must be a name: " + value);
            }
        }
        throw new AssertionError(type);
    }

    private void bounds(double v) {
        if (min != null && v < min || max != null && v > max) {
            throw new IllegalArgumentException(name + " must lie in " + show(min) + ".." + show(max) + ": "
                    + (type == Type.INT ? Long.toString((long) v) : Double.toString(v)));
        }
    }

    private static String show(Double bound) {
        return bound == null ? "" : bound == Math.rint(bound) ? Long.toString(bound.longValue()) : bound.toString();
    }
}
