package dev.foretoken.report.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;

class NumberStyleProperties {
    @Property(seed = "1")
    void exactReadsBackToTheSameNumber(@ForAll double x) {
        if (Double.isFinite(x)) {
            assertEquals(x == 0 ? 0.0 : x, Double.parseDouble(NumberStyle.exact(x)));
        }
    }

    @Property(seed = "1")
    void fixedDecimalsAgreeWithDecimalArithmetic(@ForAll @DoubleRange(min = 0.2, max = 1e9) double x) {
        String expected =
                BigDecimal.valueOf(x).setScale(2, RoundingMode.HALF_UP).toPlainString();
        double shown = Double.parseDouble(NumberStyle.FINE.show(x));
        assertEquals(Double.parseDouble(expected), shown, 0.01000001);
        assertEquals(x, shown, 0.00501);
    }

    @Example
    void showsWhatPeopleExpect() {
        assertEquals("1234.5", NumberStyle.RATE.show(1234.5));
        assertEquals("0.0971", NumberStyle.FINE.show(0.09707));
        assertEquals("0.00", NumberStyle.FINE.show(0.0));
        assertEquals("2.00×", NumberStyle.RATIO.show(2.0));
        assertEquals("12.5 %", NumberStyle.PERCENT.show(0.125));
        assertEquals("-3.1 %", NumberStyle.PERCENT.show(-0.031));
        assertEquals("8–32", NumberStyle.COUNT.show(List.of(8, 32)));
        assertEquals("16", NumberStyle.COUNT.show(List.of(16, 16)));
        assertEquals("yes", NumberStyle.YES_NO.show(true));
        assertEquals("1.23E+14", NumberStyle.RATE.show(1.2345e14));
        assertEquals("", NumberStyle.RATE.show(null));
    }

    @Example
    void refusesWhatIsNoFigure() {
        assertThrows(IllegalArgumentException.class, () -> NumberStyle.RATE.show(Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> NumberStyle.exact(Double.POSITIVE_INFINITY));
    }
}
