package dev.foretoken.calibration.acceptance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PublishedCurveTest {

    @Test
    void aSteadyRateGoesOn() {
        PublishedCurve curve = new PublishedCurve(1.8, 2.44, 2.952);
        // .8, .64, .512: every rate is .8
        assertEquals(0, curve.fallPerPosition());
        assertEquals(2.952, curve.acceptLength(3), 1e-12);
        assertEquals(2.952 + 0.4096, curve.acceptLength(4), 1e-12);
    }

    @Test
    void aFallThatNoiseDoesNotExplainGoesOnToo() {
        // rates .9, .6, .3: both falls of .3 exceed their errors by far
        PublishedCurve curve = new PublishedCurve(0.001, new double[] {1.9, 2.44, 2.602});
        assertTrue(curve.fallPerPosition() > 0.28 && curve.fallPerPosition() < 0.3);
        double[] s = curve.survival(6);
        assertTrue(s[3] < 0.01 * s[2] + 0.02 * s[2]);
        assertEquals(0, s[5], 1e-12);
    }

    @Test
    void risingRatesArePooled() {
        // rates .8, .6, .8 (noise): the last rate is between .6 and .8
        PublishedCurve curve = new PublishedCurve(1.8, 2.28, 2.664);
        double rate = curve.survival(4)[3] / curve.survival(4)[2];
        assertTrue(rate > 0.62 && rate < 0.78, "rate " + rate);
    }

    @Test
    void insideTheCurveTheFiguresStand() {
        assertArrayEquals(new double[] {0.8, 0.64}, new PublishedCurve(1.8, 2.44, 2.952).survival(2), 1e-12);
        assertThrows(IllegalArgumentException.class, () -> new PublishedCurve(1.8));
        assertThrows(IllegalArgumentException.class, () -> new PublishedCurve(1.8, 1.7));
        assertThrows(IllegalArgumentException.class, () -> new PublishedCurve(2.2, 2.5));
        assertThrows(IllegalArgumentException.class, () -> new PublishedCurve(1.8, Double.NaN));
    }

    /** Golden accept lengths by k (SemiAnalysisAI/InferenceX@843c625): known up to k = 3, predicted at 5 and 8. */
    @Test
    void shortCurvesPredictLongerDrafts() throws IOException {
        Map<String, TreeMap<Integer, Double>> curves = new LinkedHashMap<>();
        for (Map<String, String> row : SharedData.rows("golden_acceptance_inferencex.csv")) {
            curves.computeIfAbsent(row.get("file") + " " + row.get("mode"), k -> new TreeMap<>())
                    .put(Integer.parseInt(row.get("num_speculative_tokens")), Double.parseDouble(row.get("golden_al")));
        }
        assertEquals(14, curves.size());
        List<double[]> all = new ArrayList<>();
        List<double[]> rising = new ArrayList<>();
        for (TreeMap<Integer, Double> c : curves.values()) {
            PublishedCurve curve = new PublishedCurve(c.get(1), c.get(2), c.get(3));
            double[] errors = {
                Math.abs(curve.acceptLength(5) / c.get(5) - 1), Math.abs(curve.acceptLength(8) / c.get(8) - 1)
            };
            all.add(errors);
            boolean falls = false;
            for (int k = 2; k <= 8; k++) {
                falls |= c.get(k) < c.get(k - 1);
            }
            if (!falls) {
                rising.add(errors);
            }
        }
        assertEquals(7, rising.size());
        assertFalse(mean(all, 0) > 0.018, "k = 5: " + mean(all, 0));
        assertFalse(mean(all, 1) > 0.06, "k = 8: " + mean(all, 1));
        assertFalse(mean(rising, 0) > 0.013, "k = 5, never falling: " + mean(rising, 0));
        assertFalse(mean(rising, 1) > 0.035, "k = 8, never falling: " + mean(rising, 1));
    }

    private static double mean(List<double[]> errors, int i) {
        return errors.stream().mapToDouble(e -> e[i]).average().orElseThrow();
    }
}
