package dev.foretoken.calibration.fit;

import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.Shape;
import java.util.Arrays;
import java.util.List;

/**
 * A fitted curve with what it rests on.
 *
 * @param knots the knots that count, ascending
 * @param outliers knots left out as isolated high values
 * @param at positions of the curve: the knots, and the two sides of stairs that no knot touches
 * @param counts samples behind each position
 * @param us fitted time at each position, microseconds
 * @param lowUs 5 % quantile of the draws at each position
 * @param highUs 95 % quantile
 * @param stairs each lies after this position
 * @param drawsUs draws of the times, [draw][position]
 * @param noiseScale how much wider the knots scatter than their intervals say; 1 = as they say
 * @param heldOutError median relative error at knots left out of the fit; NaN with fewer than five knots
 */
public record FittedCurve(
        List<Knot> knots,
        List<Knot> outliers,
        double[] at,
        int[] counts,
        double[] us,
        double[] lowUs,
        double[] highUs,
        double[] stairs,
        double[][] drawsUs,
        double noiseScale,
        double heldOutError) {

    /** The curve for a profile; intervals are the 5-95 % band. */
    public Curve curve(Shape shape) {
        return curve(shape, us, true);
    }

    /** One draw of the posterior as a curve without intervals. */
    public Curve draw(Shape shape, int index) {
        return curve(shape, drawsUs[index % drawsUs.length], false);
    }

    private Curve curve(Shape shape, double[] times, boolean intervals) {
        return intervals
                ? Curve.of(shape, at, times, lowUs, highUs, counts, stairs)
                : Curve.of(shape, at, times, stairs);
    }

    /** Largest relative difference between fit and measured median over the knots. */
    public double worstResidual() {
        return Arrays.stream(residuals()).max().orElseThrow();
    }

    /** Median relative difference between fit and measured median over the knots. */
    public double medianResidual() {
        return Numbers.median(residuals());
    }

    private double[] residuals() {
        return knots.stream()
                .mapToDouble(k -> Math.abs(us[Arrays.binarySearch(at, k.at())] / k.us() - 1))
                .toArray();
    }
}
