package dev.foretoken.calibration.fit;

/**
 * One line of the residual table.
 *
 * @param curve what was fitted
 * @param from first position of the curve: below it the curve is extrapolated
 * @param to last position: beyond it the curve is extrapolated
 * @param knots that count
 * @param outliers knots set aside
 * @param stairs where the curve steps, ascending
 * @param medianResidual median relative difference of fit and medians, in-sample
 * @param worstResidual largest
 * @param heldOutError median relative error at knots left out of the fit, out-of-sample; NaN with fewer than five knots
 * @param noiseScale how much wider the knots scatter than their intervals say
 */
public record Residual(
        String curve,
        double from,
        double to,
        int knots,
        int outliers,
        double[] stairs,
        double medianResidual,
        double worstResidual,
        double heldOutError,
        double noiseScale) {}
