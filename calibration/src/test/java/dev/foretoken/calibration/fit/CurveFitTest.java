package dev.foretoken.calibration.fit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class CurveFitTest {
    private static final Shape SHAPE = Shape.gemm(16384, 5120);

    private static List<Knot> knots(double sd, double... pairs) {
        List<Knot> knots = new ArrayList<>();
        for (int i = 0; i < pairs.length; i += 2) {
            knots.add(new Knot(pairs[i], pairs[i + 1], sd, 30));
        }
        return knots;
    }

    @Test
    void oneKnotIsAConstant() {
        Curve c = new CurveFit(true, 1).fit(knots(0.01, 8, 100)).curve(SHAPE);
        assertEquals(100, c.us(1), 1e-9);
        assertEquals(100, c.us(8), 1e-9);
    }

    @Test
    void fewKnotsArePlainlyJoined() {
        Curve c =
                new CurveFit(false, 1).fit(knots(1e-4, 1, 100, 2, 150, 3, 200)).curve(SHAPE);
        assertEquals(125, c.us(1.5), 0.5);
        assertEquals(200, c.us(3), 0.5);
    }

    @Test
    void noKnotIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new CurveFit(true, 1).fit(List.of()));
    }

    @Test
    void noiseOnAFloorIsAveraged() {
        // +-1 % around 100 with intervals of 1 %: a floor
        double[] pairs = new double[32];
        for (int i = 0; i < 16; i++) {
            pairs[2 * i] = i + 1;
            pairs[2 * i + 1] = 100 * (i % 2 == 0 ? 1.01 : 0.99);
        }
        FittedCurve f = new CurveFit(true, 1).fit(knots(0.01, pairs));
        assertEquals(0, f.stairs().length, () -> Arrays.toString(f.stairs()));
        for (double us : f.us()) {
            assertEquals(100, us, 0.5);
        }
    }

    @Test
    void aDropThatIntervalsShowStays() {
        // 52 us up to 16 rows, 28 us to 64, 53 us above: as one published fp4 curve goes
        List<Knot> knots = new ArrayList<>();
        for (int m : SyntheticTimings.ROWS) {
            knots.add(new Knot(m, m <= 16 ? 52 : m <= 64 ? 28 : 53, 0.004, 30));
        }
        FittedCurve f = new CurveFit(true, 1).fit(knots);
        assertArrayEquals(new double[] {16, 64}, f.stairs());
        Curve c = f.curve(SHAPE);
        assertEquals(52, c.us(16), 0.1);
        assertEquals(28, c.us(17), 0.1);
        assertEquals(28, c.us(50), 0.1);
        assertEquals(53, c.us(65), 0.1);
    }

    @Test
    void aDropWithinTheIntervalsIsLevelled() {
        // falls by half a percent with intervals of two: not a stair, and never a falling curve
        double[] pairs = new double[24];
        for (int i = 0; i < 12; i++) {
            pairs[2 * i] = i + 1;
            pairs[2 * i + 1] = 100 - 0.05 * i;
        }
        FittedCurve f = new CurveFit(true, 1).fit(knots(0.02, pairs));
        for (int i = 1; i < f.us().length; i++) {
            assertTrue(f.us()[i] >= f.us()[i - 1]);
        }
    }

    @Test
    void anIsolatedHighKnotIsSetAside() {
        List<Knot> knots = new ArrayList<>();
        for (int m = 1; m <= 24; m++) {
            knots.add(new Knot(m, m == 13 ? 140 : 100, 0.003, 30));
        }
        FittedCurve f = new CurveFit(true, 1).fit(knots);
        assertEquals(1, f.outliers().size());
        assertEquals(13, f.outliers().get(0).at());
        assertEquals(100, f.curve(SHAPE).us(13), 0.3);
    }

    @Test
    void aLowKnotIsKept() {
        // nothing makes a kernel faster than it is
        List<Knot> knots = new ArrayList<>();
        for (int m = 1; m <= 24; m++) {
            knots.add(new Knot(m, m == 13 ? 70 : 100, 0.003, 30));
        }
        FittedCurve f = new CurveFit(true, 1).fit(knots);
        assertTrue(f.outliers().isEmpty());
        assertEquals(70, f.curve(SHAPE).us(13), 1.0);
        assertEquals(100, f.curve(SHAPE).us(12), 1.0);
        assertEquals(100, f.curve(SHAPE).us(14), 1.0);
    }

    @Test
    void aStairBetweenDistantKnotsLiesAtATileEdgeAndSlopesGoOn() {
        // rises of 0.5 us a row, a step of 30 us somewhere in 96..112: the tile edge 96 is the likeliest place
        List<Knot> knots = new ArrayList<>();
        for (int m = 16; m <= 256; m += 16) {
            knots.add(new Knot(m, 100 + 0.5 * m + (m > 96 ? 30 : 0), 0.001, 30));
        }
        FittedCurve f = new CurveFit(true, 1).fit(knots);
        assertArrayEquals(new double[] {96}, f.stairs());
        Curve c = f.curve(SHAPE);
        assertEquals(148, c.us(96), 0.2);
        assertEquals(178.5, c.us(97), 0.3);
        assertEquals(182, c.us(104), 0.3);
    }

    @Test
    void knotsHoldTheCurve() {
        // a bend that is neither constant, line nor hinge: no knot is left by more than its own deviation allows
        List<Knot> knots = new ArrayList<>();
        for (int m = 1; m <= 64; m++) {
            knots.add(new Knot(m, 50 + 5 * Math.sqrt(m), 0.001, 30));
        }
        FittedCurve f = new CurveFit(false, 1).fit(knots);
        assertTrue(f.worstResidual() < 0.01, () -> "worst " + f.worstResidual());
    }

    @Test
    void theSameSeedGivesTheSameDraws() {
        List<Knot> knots = knots(0.01, 1, 100, 2, 101, 4, 99, 8, 100, 16, 120, 32, 121);
        FittedCurve a = new CurveFit(true, 5).fit(knots);
        FittedCurve b = new CurveFit(true, 5).fit(knots);
        assertArrayEquals(a.drawsUs()[7], b.drawsUs()[7]);
        assertEquals(CurveFit.DRAWS, a.drawsUs().length);
    }
}
