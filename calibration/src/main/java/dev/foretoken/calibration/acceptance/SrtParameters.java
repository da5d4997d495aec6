package dev.foretoken.calibration.acceptance;

import dev.foretoken.sim.acceptance.AcceptanceForm;

/** The six parameters of the family on a scale without bounds: a, b, c1, ln sigma, logit rho, logit kappa. */
final class SrtParameters {
    static final int COUNT = 6;
    static final int A = 0;
    static final int B = 1;
    static final int C1 = 2;
    static final int SIGMA = 3;
    static final int RHO = 4;
    static final int KAPPA = 5;
    static final String[] NAMES = {"a", "b", "c1", "sigma", "rho", "kappa"};

    /** Steps of numerical derivatives: large enough to average over changes of the tree's shape. */
    static final double[] STEP = {0.02, 0.003, 0.03, 0.02, 0.03, 0.03};
    /** Logit beyond which rho and kappa are taken as at a bound, where the standard error of a logit means nothing. */
    static final double AT_BOUND = 4;
    /** Bounds of the free scale. */
    private static final double[] LOWEST = {-15, -3, -15, -6, -8, -8};

    private static final double[] HIGHEST = {15, 3, 15, 2.5, 8, 8};

    /** What is taken for the ranks and branches of a block drafter that was never seen with branches. */
    static final double TYPICAL_RHO = 0.32;

    static final double TYPICAL_KAPPA = 0.64;

    private SrtParameters() {}

    static double clamp(int k, double free) {
        return Math.max(LOWEST[k], Math.min(HIGHEST[k], free));
    }

    static double lowest(int k) {
        return LOWEST[k];
    }

    static double highest(int k) {
        return HIGHEST[k];
    }

    /** Value of a parameter on its own scale. */
    static double natural(int k, double free) {
        double x = clamp(k, free);
        return switch (k) {
            case SIGMA -> Math.exp(x);
            case RHO, KAPPA -> 1 / (1 + Math.exp(-x));
            default -> x;
        };
    }

    static double free(int k, double natural) {
        return switch (k) {
            case SIGMA -> clamp(k, Math.log(natural));
            case RHO, KAPPA -> clamp(k, Math.log(natural / (1 - natural)));
            default -> clamp(k, natural);
        };
    }

    static AcceptanceForm.Srt form(double[] free, int depth, int ranks) {
        return AcceptanceForm.Srt.of(
                natural(A, free[A]),
                natural(B, free[B]),
                natural(C1, free[C1]),
                natural(SIGMA, free[SIGMA]),
                natural(RHO, free[RHO]),
                natural(KAPPA, free[KAPPA]),
                depth,
                ranks);
    }
}
