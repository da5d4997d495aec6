package dev.foretoken.sim.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CurveTest {
    private static final Shape SHAPE = Shape.gemm(5120, 17408);
    private static final double[] NO_STAIRS = {};

    private static Curve curve(double[] at, double[] us, double... stairs) {
        return Curve.of(SHAPE, at, us, stairs);
    }

    @Test
    void exactAtKnotsAndLinearBetween() {
        Curve c = curve(new double[] {1, 16, 32}, new double[] {100, 130, 120});
        assertEquals(100, c.us(1));
        assertEquals(130, c.us(16));
        assertEquals(120, c.us(32));
        assertEquals(110, c.us(6)); // 100 + 5/15 x 30
        assertEquals(125, c.us(24)); // a falling knot is kept
    }

    @Test
    void neverInterpolatesAcrossAStair() {
        Curve c = curve(new double[] {8, 16, 32}, new double[] {10, 12, 20}, 20);
        assertEquals(11, c.us(12));
        assertEquals(12, c.us(17));
        assertEquals(12, c.us(20)); // up to and including the stair
        assertEquals(20, c.us(20.5));
        assertEquals(20, c.us(31));
    }

    @Test
    void stairAtAKnotHoldsTheKnot() {
        Curve c = curve(new double[] {16, 32}, new double[] {12, 20}, 16);
        assertEquals(12, c.us(16));
        assertEquals(20, c.us(17));
    }

    @Test
    void outsideIsFlaggedAndLinearAbove() {
        Curve c = curve(new double[] {2, 4}, new double[] {10, 14});
        assertTrue(c.outside(1));
        assertEquals(10, c.us(1));
        assertTrue(c.outside(5));
        assertEquals(16, c.us(5));
        assertFalse(c.outside(2));
        assertFalse(c.outside(4));
    }

    @Test
    void aFallingEndStaysPositiveAbove() {
        Curve c = curve(new double[] {2, 4}, new double[] {14, 10});
        assertEquals(10, c.us(1000));
    }

    @Test
    void oneKnotIsAConstant() {
        Curve c = curve(new double[] {4}, new double[] {7});
        assertEquals(7, c.us(1));
        assertEquals(7, c.us(4));
        assertEquals(7, c.us(9));
        assertTrue(c.outside(9));
    }

    @Test
    void refusesNonsenseAndPrintsIt() {
        assertMessage("must ascend: 4.0 after 8.0", new double[] {8, 4}, new double[] {1, 1});
        assertMessage("-3.0 us", new double[] {1}, new double[] {-3});
        assertMessage("0.0 us", new double[] {1}, new double[] {0});
        assertMessage("NaN us", new double[] {1}, new double[] {Double.NaN});
        assertMessage("at least one knot", new double[] {}, new double[] {});
        assertMessage("2 knots but 1 values", new double[] {1, 2}, new double[] {1});
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> Curve.of(
                        SHAPE,
                        new double[] {1},
                        new double[] {5},
                        new double[] {6},
                        new double[] {7},
                        null,
                        NO_STAIRS));
        assertTrue(e.getMessage().contains("must hold its median"), e.getMessage());
    }

    private static void assertMessage(String part, double[] at, double[] us) {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> Curve.of(SHAPE, at, us, NO_STAIRS));
        assertTrue(e.getMessage().contains(part), e.getMessage());
        assertTrue(e.getMessage().contains("n=5120"), e.getMessage());
    }

    @Test
    void wavesCountWholeTiles() {
        // 512 rows = 4 tiles; 5120 outputs = 40 tiles: 160 of 188; 6144 outputs = 48 tiles: 192 of 188
        Tile tile = new Tile(128, 128, 188, 512);
        assertEquals(1, tile.waves(512, 5120));
        assertEquals(2, tile.waves(512, 6144));
    }
}
