package dev.foretoken.report.document;

import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.json.JsonFile;
import dev.foretoken.report.chart.Plot;
import dev.foretoken.report.chart.PlotData;
import dev.foretoken.report.document.Report.Chapter;
import dev.foretoken.report.document.Report.Data;
import dev.foretoken.report.document.Report.Drawing;
import dev.foretoken.report.document.Report.Part;
import dev.foretoken.report.document.Report.Section;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.Column;
import dev.foretoken.report.table.NumberStyle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a command with tables, sentences and charts leaves in its folder for reports: {@value #FILE} ({@value #SCHEMA}).
 *
 * @param schema format and major version
 * @param version of the program
 * @param title of the chapter
 * @param headline what was done, one line
 * @param blocks tables and sentences in their order
 * @param charts charts in their order
 */
public record SavedChapter(
        String schema,
        String version,
        String title,
        String headline,
        List<SavedBlock> blocks,
        List<SavedChart> charts) {
    public static final String FILE = "chapter.json";
    public static final String SCHEMA = "foretoken/chapter/1";

    public SavedChapter {
        blocks = blocks == null ? List.of() : List.copyOf(blocks);
        charts = charts == null ? List.of() : List.copyOf(charts);
    }

    /**
     * A table (columns, rows, notes) or sentences (items).
     *
     * @param rows cells in the order of columns: text, numbers, true or false, lists of them; null when absent
     */
    public record SavedBlock(
            String title, List<SavedColumn> columns, List<List<Object>> rows, List<String> notes, List<String> items) {}

    /** A column; style is one of {@link NumberStyle} in lower case. */
    public record SavedColumn(String name, String unit, String header, String style, int keep) {}

    /** A chart and the stem of its file name. */
    public record SavedChart(String name, PlotData plot) {}

    /** What people see of a command's output. */
    public static SavedChapter of(
            String version, String title, String headline, List<Block> blocks, Map<String, Plot> charts) {
        List<SavedChart> drawn = new ArrayList<>();
        charts.forEach((name, plot) -> drawn.add(new SavedChart(name, PlotData.of(plot))));
        return new SavedChapter(
                SCHEMA,
                version,
                title,
                headline,
                blocks.stream().map(SavedChapter::saved).toList(),
                drawn);
    }

    private static SavedBlock saved(Block block) {
        if (block instanceof Block.Sentences s) {
            return new SavedBlock(s.title(), null, null, null, s.items());
        }
        return table((Block.Table<?>) block);
    }

    private static <T> SavedBlock table(Block.Table<T> table) {
        List<Column<T>> columns = table.peopleColumns();
        List<List<Object>> rows = new ArrayList<>();
        for (T row : table.rows()) {
            List<Object> cells = new ArrayList<>();
            for (Column<T> c : columns) {
                cells.add(plain(c.value().apply(row)));
            }
            rows.add(cells);
        }
        return new SavedBlock(
                table.title(),
                columns.stream()
                        .map(c -> new SavedColumn(
                                c.name(), c.unit(), c.header(), c.style().name().toLowerCase(Locale.ROOT), c.keep()))
                        .toList(),
                rows,
                table.notes(),
                null);
    }

    private static Object plain(Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(SavedChapter::plain).toList();
        }
        return value == null || value instanceof Number || value instanceof Boolean ? value : value.toString();
    }

    /** Writes {@value #FILE}. */
    public void write(Path folder) throws IOException {
        JsonFile.write(folder.resolve(FILE), this);
    }

    /**
     * Reads the file.
     *
     * @throws DocumentError when it cannot be used
     */
    public static SavedChapter read(Path file) {
        return JsonFile.read(file, SavedChapter.class, SCHEMA);
    }

    /**
     * The chapter of a report.
     *
     * @param file where it was read, for error messages
     */
    public Chapter chapter(Path file) {
        try {
            List<Part> data = new ArrayList<>();
            for (SavedBlock b : blocks) {
                data.add(new Data(block(b)));
            }
            List<Section> sections = new ArrayList<>();
            sections.add(new Section("In short", headline == null ? List.of() : List.of(headline + "."), List.of()));
            List<Part> drawings = new ArrayList<>();
            for (SavedChart c : charts) {
                drawings.add(new Drawing(List.of(c.name()), c.plot().plot()));
            }
            if (!drawings.isEmpty()) {
                sections.add(new Section("Charts", List.of(), drawings));
            }
            if (!data.isEmpty()) {
                sections.add(new Section("Findings", List.of(), data));
            }
            return new Chapter(title == null ? "Unnamed run" : title, sections);
        } catch (IllegalArgumentException | NullPointerException | IndexOutOfBoundsException e) {
            throw new DocumentError(file.toString(), 0, "", "is no chapter that can be shown: " + e.getMessage());
        }
    }

    private static Block block(SavedBlock b) {
        if (b.items() != null) {
            return new Block.Sentences(b.title(), b.items());
        }
        List<Column<List<Object>>> columns = new ArrayList<>();
        for (int i = 0; i < b.columns().size(); i++) {
            int at = i;
            SavedColumn c = b.columns().get(i);
            columns.add(Column.of(
                    c.name(),
                    c.unit(),
                    c.header(),
                    NumberStyle.valueOf(c.style().toUpperCase(Locale.ROOT)),
                    c.keep(),
                    row -> row.get(at)));
        }
        for (List<Object> row : b.rows()) {
            if (row.size() != columns.size()) {
                throw new IllegalArgumentException("table " + b.title() + " has rows of " + row.size() + " cells for "
                        + columns.size() + " columns");
            }
        }
        return new Block.Table<>(b.title(), columns, b.rows(), b.notes() == null ? List.of() : b.notes());
    }
}
