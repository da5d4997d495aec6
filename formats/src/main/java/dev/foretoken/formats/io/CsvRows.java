package dev.foretoken.formats.io;

import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.document.Nearest;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.commons.csv.CSVException;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/**
 * Streams the rows of a CSV file with a header line (RFC 4180, UTF-8, a byte order mark is skipped), one row in memory at a
 * time. Columns that nobody asks for are ignored; lines that are empty are skipped.
 */
public final class CsvRows implements Closeable, Iterator<CsvRows.Row> {
    private static final int MAX_ROW = 1 << 20;

    private final String file;
    private final BoundedReader reader;
    private final CSVParser parser;
    private final Iterator<CSVRecord> records;
    private final Map<String, Integer> columns;

    private CsvRows(String file, InputStream in, List<String> required) throws IOException {
        this.file = file;
        this.reader = new BoundedReader(new InputStreamReader(withoutByteOrderMark(in), StandardCharsets.UTF_8));
        try {
            this.parser = CSVFormat.DEFAULT
                    .builder()
                    .setHeader()
                    .setSkipHeaderRecord(true)
                    .setTrim(true)
                    .setIgnoreEmptyLines(true)
                    .get()
                    .parse(reader);
        } catch (IllegalArgumentException e) {
            throw new DocumentError(file, 1, "", "has a header that cannot be used: " + e.getMessage());
        } catch (CSVException e) {
            throw new DocumentError(file, 1, "", "is not CSV: " + e.getMessage());
        }
        this.columns = parser.getHeaderMap();
        this.records = parser.iterator();
        if (columns == null || columns.isEmpty()) {
            throw new DocumentError(file, 0, "", "is empty: a CSV file begins with the names of its columns");
        }
        for (String column : required) {
            if (!columns.containsKey(column)) {
                throw new DocumentError(
                        file,
                        1,
                        column,
                        "required column is missing; the file has " + String.join(", ", columns.keySet())
                                + nearest(column));
            }
        }
    }

    /**
     * Opens a file.
     *
     * @param required columns that must be there
     */
    public static CsvRows open(Path path, List<String> required) {
        try {
            if (Files.isDirectory(path)) {
                throw new DocumentError(path.toString(), 0, "", "is a directory, not a file");
            }
            return new CsvRows(path.toString(), Files.newInputStream(path), required);
        } catch (NoSuchFileException e) {
            throw new DocumentError(path.toString(), 0, "", "no such file");
        } catch (IOException e) {
            throw new DocumentError(path.toString(), 0, "", "cannot be read: " + e.getMessage());
        }
    }

    /** Rows of a stream, such as a resource. */
    public static CsvRows open(String file, InputStream in, List<String> required) {
        try {
            return new CsvRows(file, in, required);
        } catch (IOException e) {
            throw new DocumentError(file, 0, "", "cannot be read: " + e.getMessage());
        }
    }

    /** True when the header has the column. */
    public boolean has(String column) {
        return columns.containsKey(column);
    }

    /** The file as errors name it. */
    public String file() {
        return file;
    }

    @Override
    public boolean hasNext() {
        reader.restart();
        try {
            return records.hasNext();
        } catch (UncheckedIOException e) {
            throw new DocumentError(
                    file, line(), "", "is not CSV: " + e.getCause().getMessage());
        } catch (IllegalStateException e) {
            throw new DocumentError(file, line(), "", "is not CSV: " + e.getMessage());
        }
    }

    @Override
    public Row next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        CSVRecord next = records.next();
        if (!next.isConsistent() && next.size() < columns.size()) {
            throw new DocumentError(
                    file, line(), "", "has " + next.size() + " values for " + columns.size() + " columns");
        }
        return new Row(next, line());
    }

    private int line() {
        return (int) Math.min(Integer.MAX_VALUE, parser.getCurrentLineNumber());
    }

    private String nearest(String column) {
        return Nearest.of(column, columns.keySet())
                .filter(Nearest.Suggestion::close)
                .map(s -> "; is " + s.word() + " meant?")
                .orElse("");
    }

    @Override
    public void close() {
        try {
            parser.close();
        } catch (IOException e) {
            throw new DocumentError(file, 0, "", "cannot be closed: " + e.getMessage());
        }
    }

    /** One row: values by column, checked as they are read. */
    public final class Row {
        private final CSVRecord values;
        private final int line;

        private Row(CSVRecord values, int line) {
            this.values = values;
            this.line = line;
        }

        /** Line on which the row ends. */
        public int line() {
            return line;
        }

        /** Text; empty when the column is absent or has nothing. */
        public String text(String column) {
            return values.isSet(column) ? values.get(column) : "";
        }

        /** A finite number between the bounds; empty values are refused. */
        public double number(String column, double min, double max) {
            String text = text(column);
            double value;
            try {
                value = Double.parseDouble(text);
            } catch (NumberFormatException e) {
                throw refuse(column, "must be a number, found \"" + text + "\"");
            }
            if (!(value >= min && value <= max) || Double.isInfinite(value)) {
                throw refuse(column, "must be a finite number between " + min + " and " + max + ", found " + text);
            }
            return value;
        }

        /** A whole number between the bounds; empty values are refused. */
        public int integer(String column, int min, int max) {
            double value = number(column, min, max);
            if (value != Math.rint(value)) {
                throw refuse(column, "must be a whole number, found " + text(column));
            }
            return (int) value;
        }

        /** An error about one value of this row. */
        public DocumentError refuse(String column, String message) {
            return new DocumentError(file, line, column, message);
        }
    }

    private static InputStream withoutByteOrderMark(InputStream raw) throws IOException {
        BufferedInputStream in = new BufferedInputStream(raw, 1 << 16);
        in.mark(3);
        boolean mark = in.read() == 0xEF && in.read() == 0xBB && in.read() == 0xBF;
        if (!mark) {
            in.reset();
        }
        return in;
    }

    /** Ends a row that has no end, such as one with a quote that nobody closes. */
    private static final class BoundedReader extends FilterReader {
        private long since;

        BoundedReader(Reader in) {
            super(in);
        }

        void restart() {
            since = 0;
        }

        @Override
        public int read() throws IOException {
            count(1);
            return super.read();
        }

        @Override
        public int read(char[] chars, int from, int length) throws IOException {
            int read = super.read(chars, from, length);
            count(Math.max(0, read));
            return read;
        }

        private void count(int chars) throws IOException {
            since += chars;
            if (since > MAX_ROW) {
                throw new IOException("a row is longer than " + MAX_ROW + " characters");
            }
        }
    }
}
