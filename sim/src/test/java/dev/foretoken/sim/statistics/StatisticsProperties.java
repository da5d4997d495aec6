package dev.foretoken.sim.statistics;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class StatisticsProperties {

    private static double[] random(long seed, int most) {
        Random r = new Random(seed);
        return r.doubles(1 + r.nextInt(most))
                .map(x -> r.nextBoolean() ? x : Math.rint(4 * x))
                .toArray();
    }

    @Property(seed = "1", tries = 300)
    void isotonicFitRisesKeepsTheMeanAndIsIdempotent(@ForAll long seed) {
        double[] y = random(seed, 30);
        double[] fit = Isotonic.fit(y);
        for (int i = 1; i < fit.length; i++) {
            assertTrue(fit[i] >= fit[i - 1]);
        }
        assertEquals(Arrays.stream(y).sum(), Arrays.stream(fit).sum(), 1e-9);
        assertArrayEquals(fit, Isotonic.fit(fit), 1e-12);
    }

    @Property(seed = "2", tries = 300)
    void paretoPointsAreUndominatedAndTheOthersAreNot(@ForAll long seed) {
        Random r = new Random(seed);
        int n = 1 + r.nextInt(25);
        double[] gain = r.ints(n, 0, 8).asDoubleStream().toArray();
        double[] cost = r.ints(n, 0, 8).asDoubleStream().toArray();
        List<Integer> front = Pareto.front(gain, cost);
        for (int i = 0; i < n; i++) {
            boolean beaten = false;
            for (int j : front) {
                beaten |= gain[j] >= gain[i] && cost[j] <= cost[i] && (gain[j] > gain[i] || cost[j] < cost[i]);
            }
            assertEquals(!beaten, front.contains(i), "point " + i);
        }
    }

    @Example
    void nonsenseIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Isotonic.fit(new double[] {1, Double.NaN}));
        assertThrows(IllegalArgumentException.class, () -> MeanInterval.of(new double[] {1}, 0.95));
        assertThrows(IllegalArgumentException.class, () -> MeanInterval.of(new double[] {1, 2}, 1));
        assertThrows(IllegalArgumentException.class, () -> Variances.ar1Factor(1));
        assertThrows(IllegalArgumentException.class, () -> new PredictionErrors(new double[] {1}, new double[] {0}));
        assertThrows(IllegalArgumentException.class, () -> Mser5.of(new double[] {1, 2}));
        assertThrows(
                IllegalArgumentException.class,
                () -> new Bilinear(new double[] {2, 1}, new double[] {0}, new double[][] {{1}, {2}}));
    }

    @Example
    void aRunThatNeverSettlesIsFlagged() {
        double[] rising = new double[100];
        for (int i = 0; i < rising.length; i++) {
            rising[i] = i;
        }
        assertTrue(Mser5.of(rising).atLimit());
        double[] flat = new Random(1).doubles(400).toArray();
        assertFalse(Mser5.of(flat).atLimit());
    }

    @Example
    void bilinearIsExactAtKnotsAndClampedOutside() {
        Bilinear grid = new Bilinear(new double[] {1, 4}, new double[] {0, 10}, new double[][] {{1, 2}, {3, 5}});
        assertEquals(2, grid.at(1, 10), 1e-15);
        assertEquals(5, grid.at(64, 99), 1e-15);
        assertEquals((1 + 3) / 2.0, grid.at(2, 0), 1e-15);
    }

    @Example
    void runsWithoutSpreadAreEquivalentOrNotByTheirMean() {
        assertTrue(Tost.of(new double[] {0.01, 0.01, 0.01}, 0.05).equivalent(0.05));
        assertFalse(Tost.of(new double[] {0.06, 0.06, 0.06}, 0.05).equivalent(0.05));
    }

    @Example
    void rankingsOfTiesHaveNoAgreement() {
        assertTrue(PredictionErrors.kendallTauB(new double[] {1, 1}, new double[] {1, 2})
                .isEmpty());
    }
}
