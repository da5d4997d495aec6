package dev.foretoken.formats.cases;

import dev.foretoken.formats.io.CsvRows;
import dev.foretoken.formats.io.Skipped;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads foretoken/cases/1. A row whose value is no figure is left out and counted; a repeated case id is refused. */
public final class CasesFile {
    private CasesFile() {}

    /**
     * Cases of a file.
     *
     * @param cases in the order of the file
     * @param skipped rows that were left out
     */
    public record Cases(List<MeasuredCase> cases, Skipped skipped) {
        public Cases {
            cases = List.copyOf(cases);
        }
    }

    /** Reads a file. */
    public static Cases read(Path path) {
        try (CsvRows rows = CsvRows.open(path, MeasuredCase.REQUIRED)) {
            return read(rows);
        }
    }

    /** Reads a stream, such as a resource. */
    public static Cases read(String file, InputStream in) {
        try (CsvRows rows = CsvRows.open(file, in, MeasuredCase.REQUIRED)) {
            return read(rows);
        }
    }

    private static Cases read(CsvRows rows) {
        List<MeasuredCase> cases = new ArrayList<>();
        Map<String, Integer> lines = new HashMap<>();
        Skipped skipped = new Skipped();
        while (rows.hasNext()) {
            CsvRows.Row row = rows.next();
            Integer before = lines.putIfAbsent(row.text("case_id"), row.line());
            if (before != null) {
                throw row.refuse("case_id", "the id " + row.text("case_id") + " occurs twice, first on line " + before);
            }
            Figure value = Figure.parse(row.text("value")).orElse(null);
            if (value == null) {
                skipped.add(rows.file(), row.line(), "value is no figure: \"" + row.text("value") + "\"");
                continue;
            }
            cases.add(new MeasuredCase(
                    row.line(),
                    row.text("case_id"),
                    row.text("source"),
                    row.text("date"),
                    row.text("gpu"),
                    integer(row, "num_gpus"),
                    integer(row, "tp"),
                    row.text("interconnect"),
                    row.text("model"),
                    number(row, "params_total_b"),
                    number(row, "params_active_b"),
                    row.text("weight_dtype"),
                    row.text("kv_dtype"),
                    row.text("engine"),
                    row.text("engine_version"),
                    row.text("method"),
                    row.text("method_params"),
                    row.text("dataset_or_workload"),
                    row.text("isl"),
                    row.text("osl"),
                    number(row, "temperature"),
                    integer(row, "concurrency"),
                    row.text("metric"),
                    value,
                    row.text("unit"),
                    Figure.parse(row.text("accept_len")).orElse(null),
                    Figure.parse(row.text("accept_rate")).orElse(null),
                    row.text("per_pos_accept"),
                    row.text("note"),
                    row.text("source_group"),
                    row.text("pair_id"),
                    row.text("quality")));
        }
        return new Cases(cases, skipped);
    }

    private static Double number(CsvRows.Row row, String column) {
        return Figure.parse(row.text(column))
                .filter(figure -> !figure.isRange())
                .map(Figure::lo)
                .orElse(null);
    }

    private static Integer integer(CsvRows.Row row, String column) {
        Double value = number(row, column);
        return value == null || value != Math.rint(value) || Math.abs(value) > 1e9
                ? null
                : Integer.valueOf(value.intValue());
    }
}
