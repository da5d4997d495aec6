package dev.foretoken.sim.hardware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.hardware.LinkCurve.Knot;
import dev.foretoken.sim.hardware.LinkCurve.Operation;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LinkCurveTest {
    private static LinkCurve curve(Knot... knots) {
        return new LinkCurve(Operation.ALL_REDUCE, 8, "nccl", List.of(knots), "a test");
    }

    /** Knots (1000, 10), (2000, 30), (4000, 20): a protocol switch makes the time fall. */
    private static final LinkCurve CURVE = curve(new Knot(1000, 10), new Knot(2000, 30), new Knot(4000, 20));

    @Test
    void isExactAtKnotsAndLinearBetween() {
        assertEquals(10, CURVE.us(1000));
        assertEquals(30, CURVE.us(2000));
        assertEquals(20, CURVE.us(4000));
        assertEquals(20, CURVE.us(1500), 1e-12);
        assertEquals(25, CURVE.us(3000), 1e-12);
    }

    @Test
    void keepsTheFirstTimeBelowAndNeverFallsAbove() {
        assertEquals(10, CURVE.us(1));
        assertEquals(20, CURVE.us(8000), "a falling end is not carried on");
        assertEquals(50, curve(new Knot(1000, 10), new Knot(2000, 20)).us(5000), 1e-12);
        assertEquals(7, curve(new Knot(1000, 7)).us(1e9));
        assertTrue(CURVE.extrapolates(4001));
        assertTrue(CURVE.extrapolates(999));
        assertFalse(CURVE.extrapolates(2500));
    }

    @Test
    void refusesNonsense() {
        assertThrows(IllegalArgumentException.class, () -> curve(new Knot(2, 1), new Knot(2, 3)));
        assertThrows(IllegalArgumentException.class, () -> new Knot(1, Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> new Knot(0, 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> new LinkProfile("x", "X", List.of(CURVE, CURVE), List.of(), List.of()));
    }

    @Test
    void findsCurves() {
        LinkProfile link = new LinkProfile("x", "X", List.of(CURVE), List.of(), List.of());
        assertEquals(CURVE, link.curve(Operation.ALL_REDUCE, 8, "nccl").orElseThrow());
        assertTrue(link.curve(Operation.ALL_REDUCE, 4, "nccl").isEmpty());
        assertEquals(Set.of(8), link.ranks(Operation.ALL_REDUCE));
    }
}
