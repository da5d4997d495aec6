package dev.foretoken.report.table;

import java.io.IOException;
import java.util.List;

/** Blocks as GitHub-flavoured Markdown. Text from scenarios is escaped: it cannot end a cell, start markup or become a link. */
public final class MarkdownTables {
    private MarkdownTables() {}

    /** Writes the blocks as sections of the second level. */
    public static void write(List<Block> blocks, Appendable out) throws IOException {
        boolean first = true;
        for (Block block : blocks) {
            out.append(first ? "" : "\n")
                    .append("## ")
                    .append(escape(block.title()))
                    .append("\n\n");
            first = false;
            if (block instanceof Block.Table<?> table) {
                table(table, out);
            } else if (block instanceof Block.Sentences sentences) {
                for (String item : sentences.items()) {
                    out.append("- ").append(escape(item)).append('\n');
                }
            }
        }
    }

    private static <T> void table(Block.Table<T> table, Appendable out) throws IOException {
        List<Column<T>> columns = table.peopleColumns();
        out.append('|');
        for (Column<T> c : columns) {
            out.append(' ').append(escape(c.title())).append(" |");
        }
        out.append("\n|");
        for (Column<T> c : columns) {
            out.append(c.style().numeric() ? "---:|" : "---|");
        }
        out.append('\n');
        for (T row : table.rows()) {
            out.append('|');
            for (Column<T> c : columns) {
                String cell = c.show(row);
                out.append(' ')
                        .append(c.style().numeric() ? cell : escape(cell))
                        .append(" |");
            }
            out.append('\n');
        }
        for (String note : table.notes()) {
            out.append('\n').append(escape(note)).append('\n');
        }
    }

    /** Text that renders as itself within a table cell, a list item or a heading. */
    public static String escape(String text) {
        String visible = SafeText.visible(text);
        StringBuilder out = new StringBuilder(visible.length() + 8);
        for (int i = 0; i < visible.length(); i++) {
            char c = visible.charAt(i);
            boolean inWord = i > 0
                    && i + 1 < visible.length()
                    && Character.isLetterOrDigit(visible.charAt(i - 1))
                    && Character.isLetterOrDigit(visible.charAt(i + 1));
            switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '\\', '|', '`', '*', '[', ']', '~', '$', '@', '#', '!' ->
                    out.append('\\').append(c);
                case '_' -> out.append(inWord ? "_" : "\\_");
                case ':' -> out.append(visible.startsWith("//", i + 1) ? "\\:" : ":");
                case '.' -> out.append(i >= 3 && visible.regionMatches(true, i - 3, "www", 0, 3) ? "\\." : ".");
                default -> out.append(c);
            }
        }
        return out.toString();
    }
}
