package dev.foretoken.calibration.fit;

/**
 * How an engine's kernel compares with the card's own curve: time of the engine's kernel over time of the timing tool's, at the
 * points both have. Kept apart from the curves, so that a curve of the card serves every engine.
 *
 * @param op one of {@link dev.foretoken.sim.profile.Op}
 * @param dtype of the operands
 * @param engineKernel the engine's kernel
 * @param ownKernel the timing tool's
 * @param factor median ratio; above 1 where the engine is slower
 * @param low 5 % quantile of the ratios
 * @param high 95 % quantile
 * @param points compared
 */
public record Efficiency(
        String op,
        String dtype,
        String engineKernel,
        String ownKernel,
        double factor,
        double low,
        double high,
        int points) {
    public Efficiency {
        if (!(factor > 0) || Double.isInfinite(factor) || points < 1) {
            throw new IllegalArgumentException(op + " " + dtype
                    + ": factor must be finite and positive over at least one point: " + factor + ", " + points);
        }
    }
}
