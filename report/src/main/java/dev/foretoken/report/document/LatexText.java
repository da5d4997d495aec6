package dev.foretoken.report.document;

import dev.foretoken.report.table.SafeText;

/** Text as LaTeX that prints it: no character of it can start a command, end an argument or break the build. */
final class LatexText {
    /** Longest run without a place to break a line. */
    private static final int LONGEST_WORD = 24;

    private LatexText() {}

    /**
     * Every special character as the command that prints it. Characters beyond Latin-1 that stock fonts lack are printed as
     * their code point.
     */
    static String escape(String text) {
        StringBuilder out = new StringBuilder(text.length() + 16);
        int run = 0;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            run = c == ' ' || c == '-' ? 0 : run + 1;
            if (run > LONGEST_WORD) {
                out.append("\\allowbreak{}");
                run = 0;
            }
            out.append(one(c));
        }
        return out.toString();
    }

    private static String one(int c) {
        return switch (c) {
            case '\\' -> "\\textbackslash{}";
            case '{' -> "\\{";
            case '}' -> "\\}";
            case '$' -> "\\$";
            case '&' -> "\\&";
            case '#' -> "\\#";
            case '%' -> "\\%";
            case '_' -> "\\_";
            case '^' -> "\\textasciicircum{}";
            case '~' -> "\\textasciitilde{}";
            case '<' -> "\\textless{}";
            case '>' -> "\\textgreater{}";
            case '|' -> "\\textbar{}";
            case '"' -> "\\textquotedbl{}";
            case '\'' -> "\\textquotesingle{}";
            case '`' -> "\\textasciigrave{}";
            case '-' -> "-{}";
            case '[' -> "{[}";
            case ']' -> "{]}";
            case '·' -> "\\textperiodcentered{}";
            case '×' -> "\\texttimes{}";
            case '–' -> "\\textendash{}";
            case '…' -> "\\textellipsis{}";
            default -> other(c);
        };
    }

    private static String other(int c) {
        if ((c >= 0x20 && c < 0x7f) || (c >= 0xc0 && c <= 0xff)) {
            return Character.toString(c);
        }
        String visible = SafeText.visible(Character.toString(c));
        if (visible.startsWith("\\u")) {
            return "\\textbackslash{}"
                    + visible.substring(1).replace("{", "\\{").replace("}", "\\}");
        }
        return String.format("{\\scriptsize\\texttt{U+%04X}}", c);
    }
}
