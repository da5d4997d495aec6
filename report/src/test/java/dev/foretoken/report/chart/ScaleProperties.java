package dev.foretoken.report.chart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

class ScaleProperties {
    @Property(seed = "1")
    void linearTicksAreFewInsideAndAscending(
            @ForAll @DoubleRange(min = -1e6, max = 1e6) double min,
            @ForAll @DoubleRange(min = -6, max = 9) double decade,
            @ForAll @IntRange(min = 2, max = 30) int most) {
        double span = Math.pow(10, decade);
        if (min + span > min && span > Math.abs(min) * 1e-6) {
            check(new Scale.Linear(min, min + span), most, most + 1);
        }
    }

    @Property(seed = "1")
    void logTicksAreFewInsideAndAscending(
            @ForAll @DoubleRange(min = -6, max = 6) double decade,
            @ForAll @DoubleRange(min = 1, max = 1e9) double ratio,
            @ForAll @IntRange(min = 2, max = 30) int most) {
        double low = Math.pow(10, decade);
        check(Scale.Log.around(low, low * ratio), most, most + 1);
    }

    private static void check(Scale scale, int most, int limit) {
        List<Scale.Tick> ticks = scale.ticks(most);
        assertTrue(ticks.size() <= limit, ticks.size() + " ticks");
        for (int i = 0; i < ticks.size(); i++) {
            assertTrue(scale.shows(ticks.get(i).value()));
            assertTrue(i == 0 || ticks.get(i).value() > ticks.get(i - 1).value());
        }
    }

    @Example
    void zeroHasItsPlaceOnALogarithmicGridAxis() {
        Scale scale = Scale.Log.over(List.of(0.0, 8.0, 16.0, 64.0));
        assertEquals(
                List.of("0", "8", "16", "64"),
                scale.ticks(20).stream().map(Scale.Tick::label).toList());
        assertTrue(scale.unit(0) >= 0 && scale.unit(0) < scale.unit(8));
    }

    @Example
    void labelsAreShort() {
        assertEquals("0.05", Scale.label(0.05));
        assertEquals("2000", Scale.label(2000));
        assertEquals("12.5k", Scale.label(12500));
        assertEquals("3M", Scale.label(3e6));
    }
}
