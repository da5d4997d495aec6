package dev.foretoken.sim.statistics;

/**
 * Roofline as a hinge: max(floor, intercept + slope * m).
 *
 * @param floor value while the flat part rules
 * @param intercept value of the rising line at m = 0
 * @param slope rise per unit of m, positive
 */
public record Hinge(double floor, double intercept, double slope) {
    public Hinge {
        if (!Double.isFinite(floor) || !Double.isFinite(intercept) || !(slope > 0) || Double.isInfinite(slope)) {
            throw new IllegalArgumentException("a hinge needs finite values and a rising line: floor " + floor
                    + ", intercept " + intercept + ", slope " + slope);
        }
    }

    public double at(double m) {
        return Math.max(floor, intercept + slope * m);
    }

    /** The m at which the line leaves the floor: (floor - intercept)/slope. */
    public double breakpoint() {
        return (floor - intercept) / slope;
    }
}
