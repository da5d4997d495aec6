package dev.foretoken.report.table;

import java.util.List;
import java.util.function.Function;

/**
 * One figure of a row, declared once for every renderer.
 *
 * @param name as in result files, flattened with underscores
 * @param unit of the value, "" for none
 * @param header short heading for people, without the unit
 * @param style how the value is shown to people
 * @param use which renderers carry it
 * @param keep in tables of limited width the column with the lowest value goes first; 10 stays always
 * @param value of a row, null when absent; a list of two numbers is a range
 * @param <T> what a row is
 */
public record Column<T>(
        String name, String unit, String header, NumberStyle style, Use use, int keep, Function<? super T, ?> value) {

    /** Stays in a table whatever its width. */
    public static final int ALWAYS = 10;

    /** Which renderers carry a column. */
    public enum Use {
        /** Files for programs only. */
        FLAT,
        /** Tables for people only: a composite of flat columns. */
        PEOPLE,
        /** Everywhere. */
        BOTH
    }

    public Column {
        if (name.isBlank() || header.isBlank()) {
            throw new IllegalArgumentException("a column needs a name and a header: '" + name + "', '" + header + "'");
        }
        if (keep < 0 || keep > ALWAYS) {
            throw new IllegalArgumentException("keep of column " + name + " must be 0 to 10, is " + keep);
        }
    }

    /** A column of both kinds of renderers. */
    public static <T> Column<T> of(
            String name, String unit, String header, NumberStyle style, int keep, Function<? super T, ?> value) {
        return new Column<>(name, unit, header, style, Use.BOTH, keep, value);
    }

    /** A column that only files for programs carry. */
    public static <T> Column<T> flat(String name, String unit, NumberStyle style, Function<? super T, ?> value) {
        return new Column<>(name, unit, name, style, Use.FLAT, 0, value);
    }

    /** A column that only tables for people carry. */
    public static <T> Column<T> people(
            String name, String unit, String header, NumberStyle style, int keep, Function<? super T, ?> value) {
        return new Column<>(name, unit, header, style, Use.PEOPLE, keep, value);
    }

    /** The value of a row as people read it. */
    public String show(T row) {
        return style.show(value.apply(row));
    }

    /** Heading with its unit. */
    public String title() {
        return unit.isEmpty() ? header : header + " (" + unit + ")";
    }

    /** True when some row has a value. */
    public boolean present(List<? extends T> rows) {
        for (T row : rows) {
            if (value.apply(row) != null) {
                return true;
            }
        }
        return false;
    }
}
