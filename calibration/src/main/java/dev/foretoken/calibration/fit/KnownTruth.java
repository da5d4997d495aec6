package dev.foretoken.calibration.fit;

import java.util.Arrays;
import java.util.List;

/**
 * A kernel whose time is known: a floor of streamed weights, a rise past a knee, and stairs that multiply the time. Timings made
 * from it show what the fit recovers.
 *
 * @param floorUs time of the floor, microseconds
 * @param kneeRows rows at which the rise begins
 * @param slopeUsPerRow rise above the knee
 * @param stairs rows after which a stair lies, ascending
 * @param stairFactors factor of each stair; below 1 for a drop
 */
public record KnownTruth(
        double floorUs, double kneeRows, double slopeUsPerRow, double[] stairs, double[] stairFactors) {
    public KnownTruth {
        if (!(floorUs > 0) || !(slopeUsPerRow >= 0) || !(kneeRows >= 0)) {
            throw new IllegalArgumentException("floor must be positive, knee and slope not negative: " + floorUs + ", "
                    + kneeRows + ", " + slopeUsPerRow);
        }
        if (stairs.length != stairFactors.length) {
            throw new IllegalArgumentException(stairs.length + " stairs, " + stairFactors.length + " factors");
        }
        stairs = stairs.clone();
        stairFactors = stairFactors.clone();
    }

    /** A weight-bound product with stairs at 8/9, 16/17 and 64/65 and its knee past 256 rows. */
    public static KnownTruth verifyGemm() {
        return new KnownTruth(120, 256, 0.32, new double[] {8, 16, 64}, new double[] {1.06, 1.05, 1.10});
    }

    /** Floors, hinges and stairs of several sizes, a drop, and a rise from the first row. */
    public static List<KnownTruth> all() {
        double never = 4096;
        return List.of(
                verifyGemm(),
                new KnownTruth(60, 96, 0.4, new double[] {8, 16, 64}, new double[] {1.5, 1.04, 1.08}),
                new KnownTruth(120, never, 0, new double[] {8, 16, 64}, new double[] {1.04, 1.04, 1.04}),
                new KnownTruth(52, never, 0, new double[] {16, 64}, new double[] {0.55, 1.9}),
                new KnownTruth(30, 0, 0.5, new double[] {8, 16, 64}, new double[] {1.1, 1.1, 1.1}));
    }

    /** Time at so many rows, microseconds. */
    public double us(double rows) {
        double t = floorUs + slopeUsPerRow * Math.max(0, rows - kneeRows);
        for (int i = 0; i < stairs.length; i++) {
            if (rows > stairs[i]) {
                t *= stairFactors[i];
            }
        }
        return t;
    }

    @Override
    public String toString() {
        return "floor " + floorUs + " us, knee " + kneeRows + ", slope " + slopeUsPerRow + ", stairs "
                + Arrays.toString(stairs) + " x " + Arrays.toString(stairFactors);
    }
}
