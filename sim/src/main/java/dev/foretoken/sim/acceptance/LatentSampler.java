package dev.foretoken.sim.acceptance;

import java.util.function.DoubleFunction;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * Sampler of rounds whose difficulty z has a part that stays with the request and a stationary AR(1) part: z = sqrt(s)
 * z_request + sqrt(1 - s) e_t, e_t = phi e_(t-1) + sqrt(1 - phi^2) w_t, all standard normal. The survival by depth is tabled
 * on a fine grid of z and linear between its knots (constant beyond |z| = 6), tokens follow by inversion of one uniform
 * number: for nested trees they are ordered path by path.
 */
final class LatentSampler implements RoundSampler {
    private static final double EDGE = 6;
    private static final double STEP = 0.05;
    private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);
    /** Probability beyond which quantiles are computed, not looked up. */
    private static final double BODY = 1.0 / 64;

    private static final int QUANTILES = 8192;
    private static final double[] QUANTILE = quantiles();

    private final double[][] survival;
    private final int depth;
    private final double phi;
    private final double innovation;
    private final double requestWeight;
    private final double roundWeight;

    LatentSampler(DoubleFunction<double[]> survivalAt, int depth, double autocorrelation, double requestShare) {
        int knots = (int) Math.round(2 * EDGE / STEP) + 1;
        survival = new double[knots][];
        for (int i = 0; i < knots; i++) {
            survival[i] = survivalAt.apply(-EDGE + i * STEP);
        }
        this.depth = depth;
        this.phi = autocorrelation;
        this.innovation = Math.sqrt(1 - autocorrelation * autocorrelation);
        this.requestWeight = Math.sqrt(requestShare);
        this.roundWeight = Math.sqrt(1 - requestShare);
    }

    /** By inversion; in the body from a table, linear between its knots (error below 3e-6). */
    private static double normal(UniformRandomProvider rng) {
        double u = ((rng.nextLong() >>> 12) + 0.5) * 0x1.0p-52;
        if (u < BODY || u > 1 - BODY) {
            return NORMAL.inverseCumulativeProbability(u);
        }
        double at = u * QUANTILES;
        int i = (int) at;
        return QUANTILE[i] + (at - i) * (QUANTILE[i + 1] - QUANTILE[i]);
    }

    private static double[] quantiles() {
        double[] q = new double[QUANTILES + 1];
        for (int i = 1; i < QUANTILES; i++) {
            q[i] = NORMAL.inverseCumulativeProbability((double) i / QUANTILES);
        }
        return q;
    }

    @Override
    public double newRequest(UniformRandomProvider rng) {
        return normal(rng);
    }

    @Override
    public double firstState(double requestShare, UniformRandomProvider rng) {
        return normal(rng);
    }

    @Override
    public double nextState(double requestShare, double state, UniformRandomProvider rng) {
        return phi * state + innovation * normal(rng);
    }

    @Override
    public int tokens(double requestShare, double state, double u) {
        double z = requestWeight * requestShare + roundWeight * state;
        double at = (Math.max(-EDGE, Math.min(EDGE, z)) + EDGE) / STEP;
        int i = Math.min((int) at, survival.length - 2);
        double t = at - i;
        double[] below = survival[i];
        double[] above = survival[i + 1];
        // u < 1 - S_d stops before depth d, as the inverse distribution function does
        for (int d = 0; d < depth; d++) {
            if (u < 1 - (below[d] + t * (above[d] - below[d]))) {
                return d + 1;
            }
        }
        return depth + 1;
    }
}
