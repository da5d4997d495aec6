package dev.foretoken.report.document;

import dev.foretoken.report.document.Report.Chapter;
import dev.foretoken.report.document.Report.Data;
import dev.foretoken.report.document.Report.Drawing;
import dev.foretoken.report.document.Report.Part;
import dev.foretoken.report.document.Report.Section;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.Column;
import dev.foretoken.report.table.NumberStyle;
import dev.foretoken.report.table.SafeText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * A report as one HTML page that needs nothing else: charts inline, tables sortable by script of its own, a policy that forbids
 * every request. Text passes through an XML writer, so that a name stays text whatever it holds.
 */
public final class HtmlReport {
    private static final int LONGEST_LINK = 80;

    private final Writer raw;
    private final XMLStreamWriter out;
    private int ids;

    private HtmlReport(Writer raw) throws XMLStreamException {
        this.raw = raw;
        this.out = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(raw);
    }

    /** Writes the page. */
    public static void write(Report report, Writer raw) throws IOException {
        try {
            HtmlReport page = new HtmlReport(raw);
            page.page(report);
            page.out.flush();
        } catch (XMLStreamException e) {
            throw new IOException("cannot write the report", e);
        }
        raw.flush();
    }

    private void page(Report report) throws XMLStreamException, IOException {
        String script = resource("report.js");
        String style = resource("report.css");
        out.writeDTD("<!DOCTYPE html>\n");
        open("html", "lang", "en");
        open("head");
        empty("meta", "charset", "utf-8");
        empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
        empty(
                "meta",
                "http-equiv",
                "Content-Security-Policy",
                "content",
                "default-src 'none'; style-src 'unsafe-inline'; script-src '" + sha256(script)
                        + "'; base-uri 'none'; form-action" + " 'none'");
        empty("meta", "name", "color-scheme", "content", "light dark");
        element("title", report.title());
        open("style");
        verbatim(style);
        close();
        close();
        open("body");
        open("a", "class", "skip", "href", "#main");
        text("Skip to the content");
        close();
        open("header");
        element("h1", report.title());
        open("p");
        text("Foretoken " + report.version() + ". Click a heading of a table to sort by it.");
        close();
        close();
        contents(report);
        open("main", "id", "main");
        for (int c = 0; c < report.chapters().size(); c++) {
            chapter(report.chapters().get(c), "run" + (c + 1));
        }
        close();
        open("script");
        verbatim(script);
        close();
        close();
        close();
    }

    private void contents(Report report) throws XMLStreamException {
        open("nav", "aria-label", "Contents");
        for (int c = 0; c < report.chapters().size(); c++) {
            Chapter chapter = report.chapters().get(c);
            open("p");
            open("a", "href", "#run" + (c + 1));
            name(SafeText.cut(SafeText.visible(chapter.title()), LONGEST_LINK));
            close();
            close();
            open("ul");
            for (int s = 0; s < chapter.sections().size(); s++) {
                open("li");
                open("a", "href", "#run" + (c + 1) + "-" + (s + 1));
                text(chapter.sections().get(s).title());
                close();
                close();
            }
            close();
        }
        close();
    }

    private void chapter(Chapter chapter, String id) throws XMLStreamException, IOException {
        open("article", "id", id);
        open("h2");
        name(chapter.title());
        close();
        for (int s = 0; s < chapter.sections().size(); s++) {
            section(chapter.sections().get(s), id + "-" + (s + 1));
        }
        close();
    }

    private void section(Section section, String id) throws XMLStreamException, IOException {
        open("section", "id", id, "aria-labelledby", id + "-title");
        open("h3", "id", id + "-title");
        text(section.title());
        close();
        for (String sentence : section.lead()) {
            element("p", sentence);
        }
        for (Part part : section.parts()) {
            if (part instanceof Drawing d) {
                open("figure");
                out.writeCharacters("");
                verbatim(d.plot().svg("chart" + ++ids));
                close();
            } else if (part instanceof Data d && d.block() instanceof Block.Table<?> t) {
                table(t);
            } else if (part instanceof Data d && d.block() instanceof Block.Sentences s) {
                sentences(s);
            }
        }
        close();
    }

    private void sentences(Block.Sentences block) throws XMLStreamException {
        if (!block.title().isEmpty()) {
            element("h4", block.title());
        }
        open("ul");
        for (String item : block.items()) {
            element("li", item);
        }
        close();
    }

    private <T> void table(Block.Table<T> table) throws XMLStreamException {
        List<Column<T>> columns = table.peopleColumns();
        String id = "table" + ++ids;
        open("div", "class", "scroll", "role", "region", "aria-labelledby", id, "tabindex", "0");
        open("table");
        open("caption", "id", id);
        text(table.title());
        close();
        open("thead");
        open("tr");
        for (Column<T> c : columns) {
            open("th", "scope", "col", "class", c.style().numeric() ? "n" : "t");
            open("button", "type", "button");
            text(c.header());
            if (!c.unit().isEmpty()) {
                text(" ");
                element("small", c.unit());
            }
            close();
            close();
        }
        close();
        close();
        open("tbody");
        for (T row : table.rows()) {
            open("tr");
            for (Column<T> c : columns) {
                cell(c, row);
            }
            close();
        }
        close();
        close();
        close();
        for (String note : table.notes()) {
            open("p", "class", "note");
            text(note);
            close();
        }
    }

    private <T> void cell(Column<T> c, T row) throws XMLStreamException {
        Object value = c.value().apply(row);
        if (c.style().numeric()) {
            Object key = value instanceof List<?> range ? range.get(0) : value;
            open("td", "class", "n", "data-v", NumberStyle.exact(key));
            text(c.style().show(value));
        } else {
            open("td");
            name(c.style().show(value));
        }
        close();
    }

    // ---- markup ----

    private void open(String tag, String... attributes) throws XMLStreamException {
        out.writeStartElement(tag);
        attributes(attributes);
    }

    private void empty(String tag, String... attributes) throws XMLStreamException {
        out.writeEmptyElement(tag);
        attributes(attributes);
    }

    private void attributes(String... attributes) throws XMLStreamException {
        for (int i = 0; i < attributes.length; i += 2) {
            out.writeAttribute(attributes[i], SafeText.visible(attributes[i + 1]));
        }
    }

    private void close() throws XMLStreamException {
        out.writeEndElement();
    }

    private void text(String text) throws XMLStreamException {
        out.writeCharacters(SafeText.visible(text));
    }

    private void element(String tag, String text) throws XMLStreamException {
        open(tag);
        text(text);
        close();
    }

    /** Text from elsewhere, kept apart from the direction of what surrounds it. */
    private void name(String text) throws XMLStreamException {
        boolean plain = text.chars().allMatch(ch -> ch < 0x590);
        if (plain) {
            text(text);
        } else {
            element("bdi", text);
        }
    }

    /** Markup of our own, unescaped. */
    private void verbatim(String markup) throws XMLStreamException, IOException {
        out.writeCharacters("");
        out.flush();
        raw.write(markup);
    }

    private static String resource(String name) {
        try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha256(String script) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
