package dev.foretoken.calibration.fit;

/**
 * A stretch between stairs: floor + slope * max(0, x - knee). A constant has slope 0; a line has its knee at the first knot and
 * goes on below it.
 *
 * @param from index of its first knot
 * @param to index after its last knot
 * @param floorUs time up to the knee, microseconds
 * @param slopeUs rise per unit above it, not negative
 * @param knee where the rise begins
 * @param parameters free parameters: 1 constant, 2 line, 3 hinge
 * @param loss weighted sum of squared residuals, in units of the knots' variances
 */
record Segment(int from, int to, double floorUs, double slopeUs, double knee, int parameters, double loss) {
    double at(double x) {
        double rise = parameters == 2 ? x - knee : Math.max(0, x - knee);
        return floorUs + slopeUs * rise;
    }

    int size() {
        return to - from;
    }
}
