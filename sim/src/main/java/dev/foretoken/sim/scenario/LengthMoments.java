package dev.foretoken.sim.scenario;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Moments of a length distribution, worked out once: a grid asks for the same ones at every point, and a lognormal has tens of
 * thousands of lengths.
 *
 * @param mean tokens
 * @param secondMoment tokens squared
 */
record LengthMoments(double mean, double secondMoment) {
    private static final int MOST_KEPT = 1000;
    private static final Map<LengthDistribution, LengthMoments> KNOWN = new ConcurrentHashMap<>();

    static LengthMoments of(LengthDistribution law) {
        if (law instanceof LengthDistribution.Fixed fixed) {
            return new LengthMoments(fixed.tokens(), (double) fixed.tokens() * fixed.tokens());
        }
        if (KNOWN.size() > MOST_KEPT) {
            KNOWN.clear();
        }
        return KNOWN.computeIfAbsent(law, LengthMoments::compute);
    }

    private static LengthMoments compute(LengthDistribution law) {
        double[] p = law.pmf();
        int min = law.min();
        double mean = 0;
        double second = 0;
        for (int i = 0; i < p.length; i++) {
            double l = (double) min + i;
            mean += p[i] * l;
            second += p[i] * l * l;
        }
        return new LengthMoments(mean, second);
    }
}
