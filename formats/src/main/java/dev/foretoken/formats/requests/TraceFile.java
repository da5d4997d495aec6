package dev.foretoken.formats.requests;

import dev.foretoken.formats.io.AtomicFiles;
import dev.foretoken.formats.io.CsvRows;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;

/**
 * Traces of requests: CSV with the columns arrival_s, isl, osl and, if known, workload and cached_tokens. Arrivals do not
 * fall. Reading streams.
 */
public final class TraceFile {
    private static final String ARRIVAL = "arrival_s";
    private static final String ISL = "isl";
    private static final String OSL = "osl";
    private static final String WORKLOAD = "workload";
    private static final String CACHED = "cached_tokens";
    private static final int MAX_TOKENS = 100_000_000;
    private static final double MAX_SECONDS = 1e9;

    private TraceFile() {}

    /** Rows of a trace, to be closed. */
    public interface Rows extends Iterator<TraceRow>, Closeable {
        @Override
        void close();
    }

    /**
     * Opens a trace.
     *
     * @param workloads ids that the column workload may hold; empty for any
     */
    public static Rows open(Path path, Set<String> workloads) {
        CsvRows rows = CsvRows.open(path, List.of(ARRIVAL, ISL, OSL));
        return new Rows() {
            private double before;

            @Override
            public boolean hasNext() {
                return rows.hasNext();
            }

            @Override
            public TraceRow next() {
                CsvRows.Row row = rows.next();
                double arrival = row.number(ARRIVAL, 0, MAX_SECONDS);
                if (arrival < before) {
                    throw row.refuse(ARRIVAL, "must not fall: " + arrival + " after " + before);
                }
                before = arrival;
                String workload = row.text(WORKLOAD);
                if (!workload.isEmpty() && !workloads.isEmpty() && !workloads.contains(workload)) {
                    throw row.refuse(
                            WORKLOAD,
                            "must be one of " + String.join(", ", workloads) + ", found \"" + workload + "\"");
                }
                int isl = row.integer(ISL, 1, MAX_TOKENS);
                return new TraceRow(
                        arrival,
                        isl,
                        row.integer(OSL, 1, MAX_TOKENS),
                        workload.isEmpty() ? null : workload,
                        row.text(CACHED).isEmpty() ? null : Integer.valueOf(row.integer(CACHED, 0, isl)));
            }

            @Override
            public void close() {
                rows.close();
            }
        };
    }

    /** Writes a trace. */
    public static void write(Path path, Iterable<TraceRow> rows) throws IOException {
        AtomicFiles.write(path, out -> {
            CSVFormat format = CSVFormat.DEFAULT
                    .builder()
                    .setRecordSeparator("\n")
                    .setHeader(ARRIVAL, ISL, OSL, WORKLOAD, CACHED)
                    .get();
            try (CSVPrinter printer =
                    new CSVPrinter(new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8)), format)) {
                for (TraceRow row : rows) {
                    printer.printRecord(row.arrivalS(), row.isl(), row.osl(), row.workload(), row.cachedTokens());
                }
            }
        });
    }
}
