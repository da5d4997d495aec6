package dev.foretoken.report.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class MarkdownProperties {
    @Property(seed = "1")
    void neverEndsACellOrStartsMarkup(@ForAll String text) {
        String escaped = MarkdownTables.escape(text).replaceAll("\\\\[\\\\|`*\\[\\]~$@#!_:.]", "");
        assertFalse(escaped.matches("(?s).*[|`*\\[\\]<>\\n\\r].*"), escaped);
    }

    @Example
    void leavesPlainTextReadable() {
        assertEquals("a_b c.d 1:2", MarkdownTables.escape("a_b c.d 1:2"));
        assertEquals("http\\://x www\\.y", MarkdownTables.escape("http://x www.y"));
        assertEquals("&lt;b&gt; \\| \\_x", MarkdownTables.escape("<b> | _x"));
    }
}
