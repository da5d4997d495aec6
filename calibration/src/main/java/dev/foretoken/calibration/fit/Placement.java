package dev.foretoken.calibration.fit;

import dev.foretoken.sim.profile.Shape;

/**
 * Where a point lies among the curves of a profile.
 *
 * @param series the curve
 * @param at position along its axis
 */
record Placement(Series series, double at) {
    /**
     * A curve by name.
     *
     * @param op one of {@link dev.foretoken.sim.profile.Op}
     * @param dtype of the operands
     * @param kernel who ran it
     * @param axis what positions count
     * @param shape the other dimensions
     */
    record Series(String op, String dtype, String kernel, String axis, Shape shape) {
        /** Stairs at tile edges are to be expected where positions count rows. */
        boolean tiles() {
            return axis.equals("rows");
        }

        @Override
        public String toString() {
            return op + " " + dtype + " " + kernel + " " + shape;
        }
    }
}
