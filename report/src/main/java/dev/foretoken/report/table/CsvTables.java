package dev.foretoken.report.table;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;

/**
 * Tables as comma-separated values (RFC 4180: CRLF line ends, quotes doubled) for programs: the names of result files as
 * headings, every digit of a figure, an empty field for an absent one. Columns keep their order from run to run; only axes,
 * method parameters and terms that a result has or lacks come and go.
 */
public final class CsvTables {
    private CsvTables() {}

    /** Writes one table with its headings. */
    public static <T> void write(Block.Table<T> table, Appendable out) throws IOException {
        List<Column<T>> columns = table.columns().stream()
                .filter(c -> c.use() != Column.Use.PEOPLE)
                .toList();
        CSVPrinter printer = new CSVPrinter(out, CSVFormat.RFC4180);
        printer.printRecord(columns.stream().map(Column::name).toList());
        List<String> cells = new ArrayList<>(columns.size());
        for (T row : table.rows()) {
            cells.clear();
            for (Column<T> c : columns) {
                cells.add(NumberStyle.exact(c.value().apply(row)));
            }
            printer.printRecord(cells);
        }
        printer.flush();
    }
}
