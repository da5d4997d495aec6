package dev.foretoken.formats.acceptance.readers;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

/**
 * Lines of UTF-8 text with their numbers and a bound on their length, so that a damaged file (no line ends, a gigabyte of
 * them) cannot fill the heap. Malformed bytes become the replacement character. A longer line is returned cut, with {@link
 * #cut()} true.
 */
public final class LineReader implements Closeable {
    /** Longest line kept, characters. */
    public static final int MAX_LINE = 8 << 20;

    private final Reader in;
    private final char[] buffer = new char[1 << 15];
    private int position;
    private int limit;
    private long number;
    private boolean cut;
    private boolean failed;

    public LineReader(InputStream bytes) {
        this.in = new InputStreamReader(bytes, StandardCharsets.UTF_8);
    }

    /** Number of the line returned last, from 1. */
    public long number() {
        return number;
    }

    /** Whether the line returned last was longer than {@link #MAX_LINE}. */
    public boolean cut() {
        return cut;
    }

    /** Whether the source broke off with an error (a truncated gzip file, say); lines before it were delivered. */
    public boolean failed() {
        return failed;
    }

    /** Next line without its end, or null. */
    public String next() throws IOException {
        StringBuilder line = null;
        cut = false;
        while (true) {
            if (position == limit) {
                if (!fill()) {
                    if (line == null) {
                        return null;
                    }
                    number++;
                    return line.toString();
                }
            }
            int end = position;
            while (end < limit && buffer[end] != '\n') {
                end++;
            }
            if (line == null) {
                line = new StringBuilder(Math.max(80, end - position));
            }
            int room = MAX_LINE - line.length();
            int take = Math.min(room, end - position);
            line.append(buffer, position, take);
            if (take < end - position) {
                cut = true;
            }
            position = end;
            if (end < limit) {
                position++;
                number++;
                if (line.length() > 0 && line.charAt(line.length() - 1) == '\r') {
                    line.setLength(line.length() - 1);
                }
                return line.toString();
            }
        }
    }

    private boolean fill() {
        try {
            int n = in.read(buffer, 0, buffer.length);
            position = 0;
            limit = Math.max(0, n);
            return n > 0;
        } catch (IOException e) {
            failed = true;
            limit = 0;
            position = 0;
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
