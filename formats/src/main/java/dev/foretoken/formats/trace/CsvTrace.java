package dev.foretoken.formats.trace;

import dev.foretoken.formats.io.CsvRows;
import dev.foretoken.formats.io.Skipped;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/** Published traces in CSV with one column each for time, prompt and output tokens. */
final class CsvTrace implements TraceReader {
    private final CsvRows rows;
    private final String timeColumn;
    private final String islColumn;
    private final String oslColumn;
    private final Function<String, Double> seconds;
    private final Skipped skipped = new Skipped();

    /** @param seconds time of a row from its text, seconds since any origin; NaN when it cannot be read */
    CsvTrace(Path path, String timeColumn, String islColumn, String oslColumn, Function<String, Double> seconds) {
        rows = CsvRows.open(path, List.of(timeColumn, islColumn, oslColumn));
        this.timeColumn = timeColumn;
        this.islColumn = islColumn;
        this.oslColumn = oslColumn;
        this.seconds = seconds;
    }

    static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    @Override
    public Row next() {
        while (rows.hasNext()) {
            CsvRows.Row row = rows.next();
            double arrival = seconds.apply(row.text(timeColumn));
            double isl = number(row.text(islColumn));
            double osl = number(row.text(oslColumn));
            String problem = Row.problem(arrival, isl, osl);
            if (problem == null) {
                return new Row(row.line(), arrival, (int) isl, (int) osl, null, null);
            }
            skipped.add(rows.file(), row.line(), problem);
        }
        return null;
    }

    @Override
    public Skipped skipped() {
        return skipped;
    }

    @Override
    public void close() {
        rows.close();
    }
}
