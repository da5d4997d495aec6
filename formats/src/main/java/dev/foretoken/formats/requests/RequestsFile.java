package dev.foretoken.formats.requests;

import dev.foretoken.formats.io.AtomicFiles;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;

/** Writes what became of each request: CSV with the columns of a trace and its times. Unknown values are empty. */
public final class RequestsFile {
    /** Columns in order. */
    public static final String[] COLUMNS = {
        "arrival_s", "isl", "osl", "workload", "queue_ms", "ttft_ms", "tpot_ms", "e2e_ms", "rounds", "accepted"
    };

    private RequestsFile() {}

    /** Takes one request after the other. */
    public interface Rows {
        void add(RequestRow row) throws IOException;
    }

    /** Hands out the requests. */
    public interface Content {
        void writeTo(Rows rows) throws IOException;
    }

    /** Writes a file as a stream. */
    public static void write(Path path, Content content) throws IOException {
        AtomicFiles.write(path, out -> {
            CSVFormat format = CSVFormat.DEFAULT
                    .builder()
                    .setRecordSeparator("\n")
                    .setHeader(COLUMNS)
                    .get();
            try (CSVPrinter printer =
                    new CSVPrinter(new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8)), format)) {
                content.writeTo(row -> printer.printRecord(
                        row.arrivalS(),
                        row.isl(),
                        row.osl(),
                        row.workload(),
                        row.queueMs(),
                        row.ttftMs(),
                        row.tpotMs(),
                        row.e2eMs(),
                        row.rounds(),
                        row.accepted()));
            }
        });
    }
}
