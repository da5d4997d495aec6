package dev.foretoken.formats.schema;

import dev.foretoken.formats.document.Node;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The {@code schema} key of every file: {@code foretoken/NAME/MAJOR}. A newer major version is refused. */
public final class SchemaVersion {
    private static final Pattern FORM = Pattern.compile("foretoken/([a-z-]+)/(\\d{1,6})");

    private SchemaVersion() {}

    /**
     * The schema a file says it follows, which must be the expected one.
     *
     * @param node value of the key
     * @param expected such as {@code foretoken/scenario/1}
     */
    public static String require(Node node, String expected) {
        String found = node.text();
        String problem = problem(found, expected);
        if (problem != null) {
            throw node.refuse(problem);
        }
        return found;
    }

    /** What is wrong with a schema, null when it is the expected one: for readers that do not use nodes. */
    public static String problem(String found, String expected) {
        if (found == null) {
            return "required key is missing; it must be " + expected;
        }
        if (found.equals(expected)) {
            return null;
        }
        Matcher written = FORM.matcher(found);
        Matcher known = FORM.matcher(expected);
        if (!known.matches()) {
            throw new IllegalArgumentException("not a schema: " + expected);
        }
        if (written.matches() && written.group(1).equals(known.group(1))) {
            int version = Integer.parseInt(written.group(2));
            int supported = Integer.parseInt(known.group(2));
            return version > supported
                    ? "is of a newer major version, " + found + "; this version of foretoken reads " + expected
                    : "must be " + expected + ", found " + found;
        }
        return "must be " + expected + ", found \"" + found + "\"";
    }
}
