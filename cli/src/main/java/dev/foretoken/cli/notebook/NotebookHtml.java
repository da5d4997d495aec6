package dev.foretoken.cli.notebook;

import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.Column;
import dev.foretoken.report.table.NumberStyle;
import dev.foretoken.report.table.SafeText;
import dev.foretoken.report.table.TextTables;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import tech.tablesaw.api.Table;

/** Blocks as fragments of HTML for the output of a cell. Text from scenarios and servers appears as itself, never as markup. */
final class NotebookHtml {
    /** Rows of a Tablesaw table that are shown. */
    private static final int MOST_ROWS = 50;

    private final XMLStreamWriter out;

    private NotebookHtml(XMLStreamWriter out) {
        this.out = out;
    }

    /** What a fragment says. */
    private interface Content {
        void write(NotebookHtml html) throws XMLStreamException;
    }

    static String of(List<? extends Block> blocks) {
        return fragment(html -> {
            for (Block block : blocks) {
                if (block instanceof Block.Table<?> table) {
                    html.table(table);
                } else if (block instanceof Block.Sentences sentences) {
                    html.sentences(sentences);
                }
            }
        });
    }

    /** A Tablesaw table, its first rows. */
    static String of(Table table) {
        int rows = Math.min(MOST_ROWS, table.rowCount());
        List<Column<Integer>> columns = new ArrayList<>();
        for (tech.tablesaw.columns.Column<?> c : table.columns()) {
            columns.add(Column.of(
                    c.name(),
                    "",
                    c.name(),
                    NumberStyle.TEXT,
                    Column.ALWAYS,
                    (Integer row) -> c.isMissing(row) ? null : c.getString(row)));
        }
        List<Integer> shown = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            shown.add(row);
        }
        return of(List.of(new Block.Table<>(
                table.name() == null ? "table" : table.name(),
                columns,
                shown,
                rows == table.rowCount() ? List.of() : List.of(rows + " of " + table.rowCount() + " rows"))));
    }

    static String text(List<Block> blocks) {
        StringBuilder text = new StringBuilder();
        try {
            new TextTables(TextTables.DEFAULT_WIDTH, false).write(blocks, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static String fragment(Content content) {
        StringWriter text = new StringWriter();
        try {
            XMLStreamWriter out = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
            content.write(new NotebookHtml(out));
            out.close();
        } catch (XMLStreamException e) {
            throw new IllegalStateException("a table could not be written as HTML", e);
        }
        return text.toString();
    }

    private <T> void table(Block.Table<T> table) throws XMLStreamException {
        List<Column<T>> columns = table.peopleColumns();
        out.writeStartElement("table");
        element("caption", "text-align: left; font-weight: bold", table.title());
        out.writeStartElement("thead");
        out.writeStartElement("tr");
        for (Column<T> c : columns) {
            element("th", align(c), c.title());
        }
        out.writeEndElement();
        out.writeEndElement();
        out.writeStartElement("tbody");
        for (T row : table.rows()) {
            out.writeStartElement("tr");
            for (Column<T> c : columns) {
                element("td", align(c), c.show(row));
            }
            out.writeEndElement();
        }
        out.writeEndElement();
        out.writeEndElement();
        for (String note : table.notes()) {
            element("p", "margin: 0.2em 0; font-size: smaller", note);
        }
    }

    private void sentences(Block.Sentences sentences) throws XMLStreamException {
        element("p", "margin: 0.5em 0 0; font-weight: bold", sentences.title());
        out.writeStartElement("ul");
        for (String item : sentences.items()) {
            element("li", "", item);
        }
        out.writeEndElement();
    }

    private static String align(Column<?> column) {
        return column.style().numeric() ? "text-align: right" : "text-align: left";
    }

    private void element(String name, String style, String text) throws XMLStreamException {
        out.writeStartElement(name);
        if (!style.isEmpty()) {
            out.writeAttribute("style", style);
        }
        out.writeCharacters(SafeText.visible(text));
        out.writeEndElement();
    }
}
