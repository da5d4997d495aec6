package dev.foretoken.report.table;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Blocks as text for a terminal: aligned columns within a width, headings bold where colour is on. */
public final class TextTables {
    /** Width to use where the terminal's is unknown. */
    public static final int DEFAULT_WIDTH = 120;

    private static final String GAP = "  ";

    private final int width;
    private final boolean colour;

    /**
     * @param width columns of the terminal
     * @param colour headings in bold; false off a terminal and under NO_COLOR
     */
    public TextTables(int width, boolean colour) {
        if (width < 40) {
            throw new IllegalArgumentException("a text table needs a width of at least 40, not " + width);
        }
        this.width = width;
        this.colour = colour;
    }

    /** Writes the blocks, an empty line between them. */
    public void write(List<Block> blocks, Appendable out) throws IOException {
        boolean first = true;
        for (Block block : blocks) {
            if (!first) {
                out.append('\n');
            }
            first = false;
            out.append(bold(SafeText.visible(block.title()))).append('\n');
            if (block instanceof Block.Table<?> table) {
                table(table, out);
            } else if (block instanceof Block.Sentences sentences) {
                sentences(sentences.items(), out);
            }
        }
    }

    private String bold(String text) {
        return colour ? "\u001b[1m" + text + "\u001b[0m" : text;
    }

    private void sentences(List<String> items, Appendable out) throws IOException {
        for (String item : items) {
            paragraph("- ", "  ", item, out);
        }
    }

    /** Text within the width, later lines indented. */
    private void paragraph(String first, String indent, String text, Appendable out) throws IOException {
        StringBuilder line = new StringBuilder(first);
        int start = first.length();
        for (String word : SafeText.visible(text).split(" ")) {
            if (line.length() > start && SafeText.width(line.toString()) + SafeText.width(word) >= width) {
                out.append(line.toString().stripTrailing()).append('\n');
                line.setLength(0);
                line.append(indent);
                start = indent.length();
            }
            line.append(word).append(' ');
        }
        out.append(line.toString().stripTrailing()).append('\n');
    }

    private <T> void table(Block.Table<T> table, Appendable out) throws IOException {
        FittedTable fitted = FittedTable.fit(table, width, GAP.length());
        line(fitted.columns(), -2, out);
        line(fitted.columns(), -1, out);
        for (int row = 0; row < table.rows().size(); row++) {
            line(fitted.columns(), row, out);
        }
        List<String> notes = new ArrayList<>(table.notes());
        if (fitted.dropped() > 0) {
            notes.add(fitted.dropped() + (fitted.dropped() == 1 ? " column does" : " columns do")
                    + " not fit this width: --format csv, md or json has every figure");
        }
        for (String note : notes) {
            paragraph("(", " ", note + ")", out);
        }
    }

    /** Row -2 is the headings, -1 the units. */
    private void line(List<FittedTable.Cells> columns, int row, Appendable out) throws IOException {
        if (row == -1 && columns.stream().allMatch(c -> c.unit().isEmpty())) {
            return;
        }
        StringBuilder line = new StringBuilder();
        for (FittedTable.Cells c : columns) {
            String cell =
                    row == -2 ? c.header() : row == -1 ? c.unit() : c.cells().get(row);
            String space = " ".repeat(Math.max(0, c.width() - SafeText.width(cell)));
            line.append(line.length() == 0 ? "" : GAP);
            if (c.right()) {
                line.append(space).append(cell);
            } else {
                line.append(cell).append(space);
            }
        }
        String text = line.toString().stripTrailing();
        out.append(row == -2 ? bold(text) : text).append('\n');
    }
}
