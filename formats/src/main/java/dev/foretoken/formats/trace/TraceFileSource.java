package dev.foretoken.formats.trace;

import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.sim.serving.TraceRequest;
import dev.foretoken.sim.serving.TraceSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;

/**
 * A trace file as the simulator reads it: requests by ascending arrival from 0, one pass after the other, a bounded number of
 * rows in memory.
 *
 * <p>Rows out of order are sorted as long as none comes more than {@value #WINDOW} rows late; a later one is refused. Rows
 * that cannot be used are left out; both are counted and told by {@link #warnings} after a pass.
 */
public final class TraceFileSource implements TraceSource {
    /** Rows that are held back to sort small disorder. */
    public static final int WINDOW = 4096;

    /** Longest trace, seconds (about 30 years). */
    private static final double MAX_SECONDS = 1e9;

    private final Path path;
    private final TraceFormat format;
    private List<String> warnings = List.of();

    public TraceFileSource(Path path, TraceFormat format) {
        this.path = path;
        this.format = format;
    }

    /** A file whose format its first line tells. */
    public static TraceFileSource of(Path path) {
        return new TraceFileSource(path, TraceFormats.detect(path));
    }

    /** The file's format. */
    public TraceFormat format() {
        return format;
    }

    @Override
    public String name() {
        return path.toString();
    }

    /** What the last complete pass left out or sorted, each a sentence. */
    public List<String> warnings() {
        return warnings;
    }

    @Override
    public Iterator<TraceRequest> open() {
        return new Pass();
    }

    private final class Pass implements Iterator<TraceRequest>, AutoCloseable {
        private final TraceReader reader = format.open(path);
        private final PriorityQueue<TraceReader.Row> window = new PriorityQueue<>(
                Comparator.comparingDouble(TraceReader.Row::arrivalS).thenComparingLong(TraceReader.Row::line));
        private boolean ended;
        private long outOfOrder;
        private double lastRead = Double.NEGATIVE_INFINITY;
        private double lastGiven = Double.NEGATIVE_INFINITY;
        private double originS = Double.NaN;

        Pass() {
            fill();
            if (window.isEmpty()) {
                reader.close();
                String why = reader.skipped().count() == 0
                        ? ""
                        : "; left out " + reader.skipped().count() + ", first "
                                + reader.skipped().examples().get(0);
                throw new DocumentError(name(), 0, "", "has no usable requests" + why);
            }
        }

        private void fill() {
            while (!ended && window.size() < WINDOW) {
                TraceReader.Row row = reader.next();
                if (row == null) {
                    ended = true;
                    tell();
                    return;
                }
                if (row.arrivalS() < lastRead) {
                    outOfOrder++;
                }
                lastRead = Math.max(lastRead, row.arrivalS());
                window.add(row);
            }
        }

        private void tell() {
            List<String> told = new ArrayList<>();
            if (outOfOrder > 0) {
                told.add(name() + ": " + outOfOrder + " requests were out of order and have been sorted");
            }
            if (reader.skipped().count() > 0) {
                told.add(name() + ": " + reader.skipped().count() + " rows were left out, for example "
                        + reader.skipped().examples().get(0));
            }
            warnings = List.copyOf(told);
        }

        @Override
        public boolean hasNext() {
            return !window.isEmpty();
        }

        @Override
        public TraceRequest next() {
            TraceReader.Row row = window.poll();
            if (row == null) {
                throw new NoSuchElementException();
            }
            if (Double.isNaN(originS)) {
                originS = row.arrivalS();
            }
            if (row.arrivalS() < lastGiven) {
                throw refuse(
                        row,
                        "arrives before a request that stands more than " + WINDOW
                                + " rows above it; the file must be sorted by arrival");
            }
            double seconds = row.arrivalS() - originS;
            if (seconds > MAX_SECONDS) {
                throw refuse(row, "arrives " + seconds + " s after the first request, more than " + MAX_SECONDS);
            }
            lastGiven = row.arrivalS();
            fill();
            int cached = row.cachedTokens() == null ? TraceRequest.UNKNOWN : row.cachedTokens();
            return new TraceRequest(Math.round(seconds * 1e9), row.isl(), row.osl(), row.workload(), cached);
        }

        private DocumentError refuse(TraceReader.Row row, String message) {
            return new DocumentError(name(), (int) Math.min(Integer.MAX_VALUE, row.line()), "", message);
        }

        @Override
        public void close() {
            reader.close();
        }
    }
}
