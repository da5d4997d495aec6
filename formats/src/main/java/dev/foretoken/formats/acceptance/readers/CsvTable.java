package dev.foretoken.formats.acceptance.readers;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;

/** Rows of a CSV by column name, line by line, so that a damaged row costs only itself (no quoted line ends). */
final class CsvTable {
    private CsvTable() {}

    /** Visits every row that has as many fields as the header. */
    static void forEach(LineReader lines, AcceptanceSink sink, BiConsumer<Map<String, String>, Long> visitor)
            throws IOException {
        List<String> header = null;
        for (String line = lines.next(); line != null; line = lines.next()) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            List<String> fields = fields(line);
            if (fields == null) {
                sink.skip(lines.number(), "not a CSV row");
            } else if (header == null) {
                header = fields.stream()
                        .map(f -> f.replace("\uFEFF", "").strip().toLowerCase(Locale.ROOT))
                        .toList();
            } else if (fields.size() != header.size()) {
                sink.skip(lines.number(), "row has " + fields.size() + " fields, the header " + header.size());
            } else {
                Map<String, String> row = new HashMap<>();
                for (int i = 0; i < fields.size(); i++) {
                    row.put(header.get(i), fields.get(i).strip());
                }
                visitor.accept(row, lines.number());
            }
        }
    }

    private static List<String> fields(String line) {
        try (CSVParser parser = CSVParser.parse(line, CSVFormat.DEFAULT)) {
            var records = parser.getRecords();
            return records.size() == 1 ? records.get(0).toList() : null;
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }
}
