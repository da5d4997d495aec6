package dev.foretoken.sim.profile;

import dev.foretoken.sim.random.Streams;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;

/**
 * Draws of a profile from the 5-95 % intervals that its curves carry: every curve is moved as a whole by one normal deviate of
 * its own, since knots of one fit err together and curves of different kernels do not. Curves without intervals stay.
 */
public final class ProfileDraws {
    /** Normal deviate at the 95 % quantile. */
    public static final double Z95 = 1.6448536;

    private ProfileDraws() {}

    /**
     * A draw of one half of the intervals, taken as if the other half were its mirror image: so each end of a band comes from
     * its own halves alone. Indices 2 i and 2 i + 1 move every curve by as much in opposite directions.
     *
     * @param upper true for the halves above the medians, false for those below
     * @param index from 0
     */
    public static Profile draw(Profile profile, long seed, boolean upper, int index) {
        return profile.with(profile.families().stream()
                .map(f -> new CurveFamily(
                        f.op(),
                        f.dtype(),
                        f.kernel(),
                        f.axis(),
                        f.tile(),
                        () -> f.curves().stream()
                                .map(c -> moved(c, upper, deviate(f, c, seed, index)))
                                .toList()))
                .toList());
    }

    private static double deviate(CurveFamily f, Curve c, long seed, int index) {
        double z = ZigguratSampler.NormalizedGaussian.of(
                        Streams.of(seed, "profile-draw " + f + " " + c.shape(), index / 2, 0))
                .sample();
        return index % 2 == 0 ? z : -z;
    }

    /** A curve without intervals, its knots moved by as many half-widths on a log scale. */
    static Curve moved(Curve c, boolean upper, double z) {
        if (!c.hasIntervals()) {
            return c;
        }
        double[] at = new double[c.size()];
        double[] us = new double[c.size()];
        for (int i = 0; i < at.length; i++) {
            at[i] = c.at(i);
            double slower = upper ? c.highUs(i) / c.medianUs(i) : c.medianUs(i) / c.lowUs(i);
            us[i] = c.medianUs(i) * Math.pow(slower, z / Z95);
        }
        return Curve.of(c.shape(), at, us, c.stairs());
    }
}
