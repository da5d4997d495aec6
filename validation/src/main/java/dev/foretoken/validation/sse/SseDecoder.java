package dev.foretoken.validation.sse;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Incremental decoder of an event stream (WHATWG HTML, section 9.2). Bytes may be cut anywhere, inside a UTF-8 character or a
 * CRLF too: decoding works on bytes and only whole events leave it. Lines end with LF, CR or CRLF; a line that starts with a
 * colon is a comment (keep-alive); several data lines are joined with LF; fields other than event and data are ignored; a
 * byte order mark at the start is skipped. Not safe for use by several threads.
 */
public final class SseDecoder {
    /** Largest event, bytes. */
    public static final int MAX_EVENT_BYTES = 16 << 20;

    /** Takes whole events. */
    @FunctionalInterface
    public interface Handler {
        /**
         * One event.
         *
         * @param name value of the event field, empty for the default
         * @param bytes buffer that is reused after the call
         * @param offset where the data starts
         * @param length length of the data, UTF-8 bytes
         */
        void event(String name, byte[] bytes, int offset, int length);
    }

    private final Handler handler;
    private byte[] line = new byte[512];
    private int lineLength;
    private byte[] data = new byte[1024];
    private int dataLength;
    private boolean hasData;
    private String name = "";
    private boolean afterCarriageReturn;
    private boolean firstLine = true;
    private long comments;

    public SseDecoder(Handler handler) {
        this.handler = handler;
    }

    /** Comment lines seen (keep-alives). */
    public long comments() {
        return comments;
    }

    /**
     * Takes the next bytes.
     *
     * @throws IllegalStateException when an event grows beyond {@link #MAX_EVENT_BYTES}
     */
    public void feed(ByteBuffer bytes) {
        while (bytes.hasRemaining()) {
            byte b = bytes.get();
            if (afterCarriageReturn) {
                afterCarriageReturn = false;
                if (b == '\n') {
                    continue;
                }
            }
            if (b == '\n') {
                endLine();
            } else if (b == '\r') {
                afterCarriageReturn = true;
                endLine();
            } else {
                if (lineLength == line.length) {
                    line = grown(line, lineLength + 1);
                }
                line[lineLength++] = b;
            }
        }
    }

    /**
     * The stream has ended. What came without the closing blank line is delivered too: some servers close the connection
     * right after the last data line, and a cut event shows itself as damaged data.
     *
     * @return true when something was left over
     */
    public boolean finish() {
        boolean rest = lineLength > 0 || hasData;
        if (lineLength > 0) {
            endLine();
        }
        dispatch();
        return rest;
    }

    private void endLine() {
        int start = 0;
        if (firstLine) {
            firstLine = false;
            if (lineLength >= 3 && line[0] == (byte) 0xEF && line[1] == (byte) 0xBB && line[2] == (byte) 0xBF) {
                start = 3;
            }
        }
        if (lineLength == start) {
            lineLength = 0;
            dispatch();
            return;
        }
        if (line[start] == ':') {
            comments++;
        } else {
            field(start);
        }
        lineLength = 0;
    }

    private void field(int start) {
        int colon = start;
        while (colon < lineLength && line[colon] != ':') {
            colon++;
        }
        int value = Math.min(lineLength, colon + 1);
        if (value < lineLength && line[value] == ' ') {
            value++;
        }
        int nameLength = colon - start;
        if (nameLength == 4 && matches(start, "data")) {
            int n = lineLength - value;
            int needed = dataLength + n + 1;
            if (needed > data.length) {
                data = grown(data, needed);
            }
            if (hasData) {
                data[dataLength++] = '\n';
            }
            System.arraycopy(line, value, data, dataLength, n);
            dataLength += n;
            hasData = true;
        } else if (nameLength == 5 && matches(start, "event")) {
            name = new String(line, value, lineLength - value, StandardCharsets.UTF_8);
        }
    }

    private boolean matches(int start, String text) {
        for (int i = 0; i < text.length(); i++) {
            if (line[start + i] != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private void dispatch() {
        if (hasData) {
            String event = name;
            int n = dataLength;
            hasData = false;
            dataLength = 0;
            name = "";
            handler.event(event, data, 0, n);
        } else {
            name = "";
        }
    }

    private static byte[] grown(byte[] bytes, int needed) {
        if (needed > MAX_EVENT_BYTES) {
            throw new IllegalStateException("event longer than " + MAX_EVENT_BYTES + " bytes");
        }
        return Arrays.copyOf(bytes, Math.min(MAX_EVENT_BYTES, Math.max(needed, bytes.length * 2)));
    }
}
