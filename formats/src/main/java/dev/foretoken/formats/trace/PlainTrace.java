package dev.foretoken.formats.trace;

import dev.foretoken.formats.io.Skipped;
import dev.foretoken.formats.requests.TraceFile;
import dev.foretoken.formats.requests.TraceRow;
import java.nio.file.Path;
import java.util.Set;

/** This project's own CSV: arrival_s, isl, osl, optional workload and cached_tokens. Read strictly. */
final class PlainTrace implements TraceFormat {
    @Override
    public String name() {
        return "csv";
    }

    @Override
    public String summary() {
        return "CSV with the columns arrival_s, isl, osl and optionally workload, cached_tokens";
    }

    @Override
    public boolean recognises(String firstLine) {
        return firstLine.contains("arrival_s");
    }

    @Override
    public TraceReader open(Path path) {
        TraceFile.Rows rows = TraceFile.open(path, Set.of());
        return new TraceReader() {
            private final Skipped skipped = new Skipped();
            private long line = 1;

            @Override
            public Row next() {
                if (!rows.hasNext()) {
                    return null;
                }
                TraceRow row = rows.next();
                return new Row(++line, row.arrivalS(), row.isl(), row.osl(), row.workload(), row.cachedTokens());
            }

            @Override
            public Skipped skipped() {
                return skipped;
            }

            @Override
            public void close() {
                rows.close();
            }
        };
    }
}
