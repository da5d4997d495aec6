package dev.foretoken.formats.cases;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A published figure: a number, or a range such as {@code 28-40}.
 *
 * @param lo lower end
 * @param hi upper end; equal to lo for a number
 */
public record Figure(double lo, double hi) {
    private static final String NUMBER = "[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?";
    private static final Pattern SINGLE = Pattern.compile("[~<>]?\\s*(" + NUMBER + ")");
    private static final Pattern RANGE =
            Pattern.compile("[~]?\\s*(" + NUMBER + ")\\s*(?:-|\u2013|\\.\\.|to|/)\\s*(" + NUMBER + ")");

    public Figure {
        if (!Double.isFinite(lo) || !Double.isFinite(hi) || lo > hi) {
            throw new IllegalArgumentException("a figure must be finite and its ends in order: " + lo + " to " + hi);
        }
    }

    /** Reads a figure; empty when the text holds none. Two figures given with a slash are read as a range. */
    public static Optional<Figure> parse(String text) {
        String trimmed = text.strip();
        Matcher single = SINGLE.matcher(trimmed);
        if (single.matches()) {
            return of(single.group(1), single.group(1));
        }
        Matcher range = RANGE.matcher(trimmed);
        return range.matches() ? of(range.group(1), range.group(2)) : Optional.empty();
    }

    private static Optional<Figure> of(String a, String b) {
        double first = Double.parseDouble(a);
        double second = Double.parseDouble(b);
        if (!Double.isFinite(first) || !Double.isFinite(second)) {
            return Optional.empty();
        }
        return Optional.of(new Figure(Math.min(first, second), Math.max(first, second)));
    }

    /** The number, or the middle of the range. */
    public double middle() {
        return lo + (hi - lo) / 2;
    }

    public boolean isRange() {
        return lo < hi;
    }
}
