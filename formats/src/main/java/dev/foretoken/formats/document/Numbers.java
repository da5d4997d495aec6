package dev.foretoken.formats.document;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Pattern;

/** Reads decimal numbers and says why another spelling is refused. */
final class Numbers {
    private static final int MAX_LENGTH = 400;
    private static final int MAX_INTEGER_DIGITS = 19;
    private static final Pattern DECIMAL = Pattern.compile(
            "[+-]?(?:\\d+(?:_\\d+)*(?:\\.(?:\\d+(?:_\\d+)*)?)?|\\.\\d+(?:_\\d+)*)(?:[eE][+-]?\\d{1,9})?");
    private static final Pattern LEADING_ZERO = Pattern.compile("[+-]?0\\d.*");
    private static final Pattern OTHER_BASE = Pattern.compile("[+-]?0[xXoObB][0-9a-fA-F_]+");

    private Numbers() {}

    /** What is wrong with a number. */
    static final class NotANumber extends Exception {
        private static final long serialVersionUID = 1L;

        NotANumber(String message) {
            super(message);
        }
    }

    static double parseDouble(String raw) throws NotANumber {
        String digits = decimal(raw);
        double value = Double.parseDouble(digits);
        if (Double.isInfinite(value)) {
            throw new NotANumber("is too large for a number");
        }
        if (value == 0 && significandIsNonZero(digits)) {
            throw new NotANumber("is too small for a number other than 0");
        }
        return value;
    }

    static long parseLong(String raw) throws NotANumber {
        BigDecimal value = new BigDecimal(decimal(raw));
        if (value.signum() == 0) {
            return 0;
        }
        if ((long) value.precision() - value.scale() > MAX_INTEGER_DIGITS) {
            throw new NotANumber("is too large for a whole number");
        }
        BigDecimal plain = value.stripTrailingZeros();
        if (plain.scale() > 0) {
            throw new NotANumber("must be a whole number");
        }
        try {
            return plain.longValueExact();
        } catch (ArithmeticException e) {
            throw new NotANumber("is too large for a whole number");
        }
    }

    /** True when the plain text would be read as a number. */
    static boolean looksNumeric(String raw) {
        return DECIMAL.matcher(raw).matches();
    }

    private static String decimal(String raw) throws NotANumber {
        if (raw.length() > MAX_LENGTH) {
            throw new NotANumber("must be a number of at most " + MAX_LENGTH + " characters");
        }
        if (OTHER_BASE.matcher(raw).matches()) {
            throw new NotANumber("must be a decimal number, not hexadecimal, octal or binary");
        }
        if (!DECIMAL.matcher(raw).matches()) {
            String lower = raw.toLowerCase(Locale.ROOT).replaceFirst("^[+-]?\\.?", "");
            if (lower.equals("nan") || lower.equals("inf") || lower.equals("infinity")) {
                throw new NotANumber("must be a finite number");
            }
            throw new NotANumber("must be a number");
        }
        if (LEADING_ZERO.matcher(raw).matches()) {
            throw new NotANumber("must not start with 0, which other readers take for octal");
        }
        return raw.replace("_", "");
    }

    private static boolean significandIsNonZero(String digits) {
        for (int i = 0; i < digits.length(); i++) {
            char c = digits.charAt(i);
            if (c == 'e' || c == 'E') {
                return false;
            }
            if (c >= '1' && c <= '9') {
                return true;
            }
        }
        return false;
    }
}
