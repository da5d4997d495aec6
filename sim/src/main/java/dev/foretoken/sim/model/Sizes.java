package dev.foretoken.sim.model;

/** Sharding arithmetic. */
final class Sizes {
    private Sizes() {}

    /** What one rank of tp holds of a dimension, padded to whole values. */
    static int perRank(int size, int tp) {
        return (size + tp - 1) / tp;
    }

    static int positive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be positive: " + value);
        }
        return value;
    }

    static int notNegative(String name, int value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " must not be negative: " + value);
        }
        return value;
    }
}
