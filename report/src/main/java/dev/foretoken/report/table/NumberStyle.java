package dev.foretoken.report.table;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;

/** How figures of one kind are shown to people. Files for programs carry {@link #exact} instead. */
public enum NumberStyle {
    /** Words and ids. */
    TEXT(0, 1, ""),
    /** Integers. */
    COUNT(0, 1, ""),
    /** Tokens or requests per second, rows, requests: one decimal. */
    RATE(1, 1, ""),
    /** Milliseconds, tokens per round: two decimals. */
    FINE(2, 1, ""),
    /** Ratio to a baseline: two decimals and a multiplication sign. */
    RATIO(2, 1, "×"),
    /** Share of one, shown in percent. */
    PERCENT(1, 100, " %"),
    /** true or false as yes or no. */
    YES_NO(0, 1, "");

    private static final double LARGEST_FIXED = 1e12;

    private final int decimals;
    private final int scale;
    private final String suffix;

    NumberStyle(int decimals, int scale, String suffix) {
        this.decimals = decimals;
        this.scale = scale;
        this.suffix = suffix;
    }

    /** True for what is aligned to the right. */
    public boolean numeric() {
        return this != TEXT && this != YES_NO;
    }

    /** A value for people; "" when absent. A list of two is a range. */
    public String show(Object value) {
        if (value == null) {
            return "";
        }
        if (value instanceof List<?> range) {
            return range.size() == 2 && numeric()
                    ? range(range.get(0), range.get(1))
                    : String.join("; ", range.stream().map(this::show).toList());
        }
        if (value instanceof Boolean b) {
            return b ? "yes" : "no";
        }
        if (value instanceof Double x) {
            if (!Double.isFinite(x)) {
                throw new IllegalArgumentException("a result has no figure " + x + ": absent figures are null");
            }
            return fixed(x * scale) + suffix;
        }
        return value.toString();
    }

    private String range(Object low, Object high) {
        return low.equals(high) ? show(low) : show(low) + "–" + show(high);
    }

    /** Fixed decimals; three significant digits where those would show fewer than two. */
    private String fixed(double x) {
        double unit = decimals == 0 ? 1 : decimals == 1 ? 0.1 : 0.01;
        boolean small = this != PERCENT && x != Math.rint(x) && Math.abs(x) < 10 * unit;
        if (small || Math.abs(x) >= LARGEST_FIXED) {
            return new BigDecimal(x)
                    .round(new MathContext(3))
                    .stripTrailingZeros()
                    .toString();
        }
        long scaled = Math.round(Math.abs(x) / unit);
        String digits = Long.toString(scaled);
        if (decimals > 0) {
            digits = "0".repeat(Math.max(0, decimals + 1 - digits.length())) + digits;
            digits = digits.substring(0, digits.length() - decimals) + "."
                    + digits.substring(digits.length() - decimals);
        }
        return x < 0 && scaled != 0 ? "-" + digits : digits;
    }

    /** A value for programs: every digit of a double, so that it reads back to the same number; "" when absent. */
    public static String exact(Object value) {
        if (value == null) {
            return "";
        }
        if (value instanceof List<?> list) {
            return String.join("; ", list.stream().map(NumberStyle::exact).toList());
        }
        if (value instanceof Double x) {
            if (!Double.isFinite(x)) {
                throw new IllegalArgumentException("a result has no figure " + x + ": absent figures are null");
            }
            return x == Math.rint(x) && Math.abs(x) < 1e15 ? Long.toString(x.longValue()) : Double.toString(x);
        }
        return value.toString();
    }
}
