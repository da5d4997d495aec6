package dev.foretoken.report.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.report.Hostile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class LatexTextProperties {
    /** Everything the escaper may produce: its own commands and characters without a meaning. */
    private static final Pattern SAFE =
            Pattern.compile("\\\\(textbackslash|textasciicircum|textasciitilde|textless|textgreater"
                    + "|textbar|textquotedbl|textquotesingle|textasciigrave|textperiodcentered|texttimes|textendash|textellipsis"
                    + "|allowbreak)\\{}|\\\\[{}$&#%_]|\\{[\\[\\]]}|-\\{}|\\{\\\\scriptsize\\\\texttt\\{U\\+[0-9A-F]{4,6}}}"
                    + "|[ !()*+,./0-9:;=?@A-Za-z\u00c0-\u00ff]");

    @Property(seed = "1")
    void nothingButKnownCommandsAndPlainCharacters(@ForAll String text) {
        assertSafe(LatexText.escape(text));
    }

    @Example
    void hostileNamesToo() {
        assertSafe(LatexText.escape(Hostile.NAME));
    }

    private static void assertSafe(String latex) {
        Matcher m = SAFE.matcher(latex);
        int at = 0;
        while (at < latex.length() && m.find(at) && m.start() == at) {
            at = m.end();
        }
        assertEquals(
                latex.length(),
                at,
                () -> "at " + latex.substring(Math.min(latex.length(), Math.max(0, latex.length() - 40))));
    }

    @Example
    void plainTextStaysReadable() {
        assertEquals("c=8 ddtree 2.5 tok/s", LatexText.escape("c=8 ddtree 2.5 tok/s"));
        assertEquals("a\\_b 5 \\% \\textbackslash{}input\\{x\\}", LatexText.escape("a_b 5 % \\input{x}"));
        assertEquals("Zürich -{}-{}flag", LatexText.escape("Zürich --flag"));
        assertTrue(LatexText.escape("漢").contains("U+6F22"));
    }
}
