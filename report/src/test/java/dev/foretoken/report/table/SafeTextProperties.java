package dev.foretoken.report.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class SafeTextProperties {
    @Property(seed = "1")
    void nothingHiddenIsLeft(@ForAll String text) {
        String visible = SafeText.visible(text);
        assertTrue(visible.codePoints()
                .noneMatch(c -> Character.isISOControl(c)
                        || Character.getType(c) == Character.FORMAT
                        || Character.getType(c) == Character.SURROGATE
                        || c == 0x2028
                        || c == 0x2029));
        assertEquals(visible, SafeText.visible(visible));
    }

    @Property(seed = "1")
    void cutsToTheWidth(@ForAll String text, @ForAll @IntRange(min = 1, max = 40) int width) {
        String visible = SafeText.visible(text);
        String cut = SafeText.cut(visible, width);
        assertTrue(SafeText.width(cut) <= width);
        assertTrue(cut.equals(visible) || cut.endsWith("…"));
    }

    @Example
    void escapesWhatMovesTheCursorOrTurnsTheText() {
        assertEquals("a\\u001B[31mb", SafeText.visible("a\u001b[31mb"));
        assertEquals("x\\u202Ey", SafeText.visible("x\u202ey"));
        assertEquals("line\\u000Aline", SafeText.visible("line\nline"));
        assertEquals("שלום", SafeText.visible("שלום"));
        assertEquals(4, SafeText.width("漢字"));
        assertEquals(1, SafeText.width("e\u0301"));
    }
}
