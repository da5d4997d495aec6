package dev.foretoken.validation.backtest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.json.Json;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/**
 * Reader of {@code foretoken/cases/1}: CSV with at least the columns of {@link #REQUIRED}. Ranges such as {@code 28-40} or
 * {@code 63/78} give their middle and are marked. A row that cannot be used is left out and named.
 */
public final class CasesFile {
    /** Columns that a file must have. */
    public static final List<String> REQUIRED = List.of(
            "case_id",
            "source_group",
            "gpu",
            "tp",
            "model",
            "weight_dtype",
            "engine",
            "method",
            "concurrency",
            "metric",
            "value");

    private static final Pattern RANGE = Pattern.compile("(-?[0-9.]+) *[-/–] *(-?[0-9.]+)");

    private CasesFile() {}

    /**
     * Rows and what was left out.
     *
     * @param rows usable rows
     * @param left reasons, each with the line
     */
    public record Content(List<CaseRow> rows, List<String> left) {}

    /**
     * Reads rows.
     *
     * @param name shown in messages
     * @throws IllegalArgumentException when a required column is missing or the file is no CSV
     */
    public static Content read(String name, Reader in) throws IOException {
        List<CaseRow> rows = new ArrayList<>();
        List<String> left = new ArrayList<>();
        CSVFormat format = CSVFormat.DEFAULT
                .builder()
                .setHeader()
                .setSkipHeaderRecord(true)
                .setIgnoreEmptyLines(true)
                .get();
        try (CSVParser parser = CSVParser.parse(in, format)) {
            for (String column : REQUIRED) {
                if (!parser.getHeaderNames().contains(column)) {
                    throw new IllegalArgumentException(name + ": column " + column + " is missing; a cases file has "
                            + String.join(", ", REQUIRED));
                }
            }
            for (CSVRecord r : parser) {
                long line = parser.getCurrentLineNumber();
                try {
                    rows.add(row(r, line));
                } catch (IllegalArgumentException e) {
                    left.add(name + ":" + line + ": " + e.getMessage());
                }
            }
        } catch (java.io.UncheckedIOException e) {
            throw new IllegalArgumentException(name + " is not a CSV: " + e.getMessage(), e);
        }
        return new Content(List.copyOf(rows), List.copyOf(left));
    }

    private static CaseRow row(CSVRecord r, long line) {
        Map<String, String> m = r.toMap();
        if (!r.isConsistent()) {
            throw new IllegalArgumentException("row has " + r.size() + " fields");
        }
        String text = get(m, "value");
        double[] value = number("value", text);
        String c = get(m, "concurrency");
        Integer concurrency = null;
        if (!c.isEmpty()) {
            if (!c.matches("[0-9]{1,7}") || Integer.parseInt(c) < 1) {
                throw new IllegalArgumentException("concurrency is not a count: " + c);
            }
            concurrency = Integer.valueOf(c);
        }
        if (!(value[0] > 0)) {
            throw new IllegalArgumentException("value must be positive: " + text);
        }
        String accept = get(m, "accept_len");
        Double acceptLength = accept.isEmpty() ? null : number("accept_len", accept)[0];
        if (acceptLength != null && acceptLength < 1) {
            throw new IllegalArgumentException("accept_len is below 1: " + accept);
        }
        return new CaseRow(
                line,
                get(m, "case_id"),
                get(m, "source_group"),
                get(m, "source"),
                get(m, "gpu"),
                get(m, "tp"),
                get(m, "model"),
                get(m, "weight_dtype"),
                get(m, "engine"),
                get(m, "engine_version"),
                get(m, "method"),
                params(get(m, "method_params")),
                get(m, "dataset_or_workload"),
                get(m, "isl"),
                concurrency,
                get(m, "metric"),
                value[0],
                value[1] > 0,
                acceptLength,
                get(m, "note"));
    }

    private static String get(Map<String, String> m, String column) {
        String v = m.get(column);
        return v == null ? "" : v.strip();
    }

    /** Value, and 1 when it was a range. */
    private static double[] number(String column, String text) {
        Matcher range = RANGE.matcher(text);
        try {
            if (range.matches()) {
                double lo = Double.parseDouble(range.group(1));
                double hi = Double.parseDouble(range.group(2));
                return new double[] {(lo + hi) / 2, 1};
            }
            double v = Double.parseDouble(text);
            if (Double.isFinite(v)) {
                return new double[] {v, 0};
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(column + " is not a number: " + text, e);
        }
        throw new IllegalArgumentException(column + " is not a finite number: " + text);
    }

    private static JsonNode params(String text) {
        if (text.isEmpty()) {
            return Json.mapper().createObjectNode();
        }
        try {
            JsonNode n = Json.mapper().readTree(text);
            if (n != null && n.isObject()) {
                return n;
            }
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("method_params is not a JSON object: " + text, e);
        }
        throw new IllegalArgumentException("method_params is not a JSON object: " + text);
    }
}
