package dev.foretoken.report.table;

/** Text from scenarios and files made safe to print: it cannot move the cursor, reorder what surrounds it or break a line. */
public final class SafeText {
    private SafeText() {}

    /**
     * Controls, invisible format characters (direction overrides among them), line separators, private use and lone surrogates
     * as visible escapes; everything else unchanged.
     */
    public static String visible(String text) {
        if (text.chars().allMatch(c -> c >= 0x20 && c < 0x7f)) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (hidden(c)) {
                out.append(c > 0xffff ? String.format("\\u{%X}", c) : String.format("\\u%04X", c));
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.toString();
    }

    private static boolean hidden(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> true;
            default -> false;
        };
    }

    /** Columns of a terminal that a text takes: combining marks none, East Asian wide characters and emoji two. */
    public static int width(String text) {
        int width = 0;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            width += width(c);
            i += Character.charCount(c);
        }
        return width;
    }

    private static int width(int c) {
        if (c < 0x300) {
            return 1;
        }
        int type = Character.getType(c);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
            return 0;
        }
        boolean wide = (c >= 0x1100 && c <= 0x115f)
                || (c >= 0x2e80 && c <= 0xa4cf)
                || (c >= 0xac00 && c <= 0xd7a3)
                || (c >= 0xf900 && c <= 0xfaff)
                || (c >= 0xfe30 && c <= 0xfe6f)
                || (c >= 0xff00 && c <= 0xff60)
                || (c >= 0xffe0 && c <= 0xffe6)
                || (c >= 0x1f300 && c <= 0x1faff)
                || (c >= 0x20000 && c <= 0x3fffd);
        return wide ? 2 : 1;
    }

    /** The text cut to a width, with an ellipsis where something is left out. */
    public static String cut(String text, int width) {
        if (width(text) <= width) {
            return text;
        }
        StringBuilder out = new StringBuilder();
        int used = 0;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            if (used + width(c) > width - 1) {
                break;
            }
            out.appendCodePoint(c);
            used += width(c);
            i += Character.charCount(c);
        }
        return out.append('…').toString();
    }
}
