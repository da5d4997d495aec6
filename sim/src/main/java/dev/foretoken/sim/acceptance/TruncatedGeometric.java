package dev.foretoken.sim.acceptance;

/**
 * Independent acceptance with one probability alpha at every position of a chain (Leviathan et al., arXiv 2211.17192):
 * survival alpha^i, i = 1..length.
 */
public final class TruncatedGeometric {
    private TruncatedGeometric() {}

    public static double[] survival(double alpha, int length) {
        Survival.probability(alpha, "alpha");
        if (length < 0) {
            throw new IllegalArgumentException("chain length must be at least 0: " + length);
        }
        double[] survival = new double[length];
        double s = 1;
        for (int i = 0; i < length; i++) {
            s *= alpha;
            survival[i] = s;
        }
        return survival;
    }

    /** Accept length 1 + alpha + ... + alpha^length = (1 - alpha^(length+1))/(1 - alpha). */
    public static double acceptLength(double alpha, int length) {
        return Survival.acceptLength(survival(alpha, length));
    }

    /** Accept length of a chain without end: 1/(1 - alpha), alpha below 1. */
    public static double unlimitedAcceptLength(double alpha) {
        Survival.probability(alpha, "alpha");
        if (alpha == 1) {
            throw new IllegalArgumentException(
                    "an unlimited chain that accepts everything has no finite accept length");
        }
        return 1 / (1 - alpha);
    }

    /**
     * The alpha whose accept length over a chain is the given one, to the last bit or two (bisection).
     *
     * @param acceptLength within [1, length + 1]
     */
    public static double alphaFor(double acceptLength, int length) {
        if (length < 0 || !(acceptLength >= 1 && acceptLength <= length + 1.0)) {
            throw new IllegalArgumentException("accept length " + acceptLength + " is outside [1, " + (length + 1L)
                    + "] for " + length + " drafted positions");
        }
        if (acceptLength == 1) {
            return 0;
        }
        if (acceptLength == length + 1.0) {
            return 1;
        }
        double target = acceptLength - 1;
        double lo = 0;
        double hi = 1;
        while (true) {
            double mid = (lo + hi) / 2;
            if (mid <= lo || mid >= hi) {
                return mid;
            }
            double sum = 0;
            for (int i = 0; i < length; i++) {
                sum = mid * (1 + sum);
            }
            if (sum < target) {
                lo = mid;
            } else {
                hi = mid;
            }
        }
    }
}
