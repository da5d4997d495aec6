package dev.foretoken.calibration.fit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class CurveFitProperties {
    @Property(tries = 60, seed = "7")
    void anyTimesGiveACurveThatStaysNearItsKnots(
            @ForAll @LongRange(min = 1, max = 1_000_000) long seed,
            @ForAll @IntRange(min = 1, max = 40) int count,
            @ForAll boolean tiles) {
        Random random = new Random(seed);
        List<Knot> knots = new ArrayList<>();
        int at = 0;
        for (int i = 0; i < count; i++) {
            at += 1 + random.nextInt(20);
            knots.add(new Knot(at, Math.exp(3 + 2 * random.nextGaussian()), 0.001 + 0.02 * random.nextDouble(), 30));
        }
        FittedCurve f = new CurveFit(tiles, seed).fit(knots);
        Curve c = f.curve(Shape.gemm(8, 8));
        assertEquals(count, f.knots().size() + f.outliers().size());
        for (int x = (int) c.first(); x <= c.last(); x++) {
            assertTrue(c.us(x) > 0 && Double.isFinite(c.us(x)));
        }
        for (int i = 0; i < c.size(); i++) {
            assertTrue(c.lowUs(i) <= c.medianUs(i) && c.medianUs(i) <= c.highUs(i));
        }
    }

    @Property(tries = 40, seed = "9")
    void timesScaleWithTheUnit(@ForAll @LongRange(min = 1, max = 1_000_000) long seed) {
        Random random = new Random(seed);
        List<Knot> knots = new ArrayList<>();
        List<Knot> doubled = new ArrayList<>();
        for (int m : SyntheticTimings.ROWS) {
            double us = KnownTruth.verifyGemm().us(m) * Math.exp(0.01 * random.nextGaussian());
            knots.add(new Knot(m, us, 0.008, 30));
            doubled.add(new Knot(m, 2 * us, 0.008, 30));
        }
        FittedCurve a = new CurveFit(true, 1).fit(knots);
        FittedCurve b = new CurveFit(true, 1).fit(doubled);
        assertEquals(a.stairs().length, b.stairs().length);
        for (int i = 0; i < a.us().length; i++) {
            assertEquals(2 * a.us()[i], b.us()[i], 1e-6 * a.us()[i]);
        }
    }
}
