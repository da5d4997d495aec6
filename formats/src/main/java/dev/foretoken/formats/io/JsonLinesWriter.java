package dev.foretoken.formats.io;

import dev.foretoken.formats.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

/** Writes JSON Lines, compressed when the name ends in {@code .gz}; the file appears when the writing has succeeded. */
public final class JsonLinesWriter {
    private JsonLinesWriter() {}

    /** Takes one object after the other. */
    public interface Lines {
        /** Writes an object on a line of its own. */
        void add(Object value) throws IOException;
    }

    /** Hands out the objects. */
    public interface Content {
        void writeTo(Lines lines) throws IOException;
    }

    /** Writes a file. */
    public static void write(Path path, Content content) throws IOException {
        AtomicFiles.write(path, raw -> {
            boolean gzip = path.getFileName().toString().endsWith(".gz");
            try (OutputStream out = gzip ? new GZIPOutputStream(raw, 1 << 16) : raw) {
                content.writeTo(value -> {
                    out.write(Json.mapper().writeValueAsString(value).getBytes(StandardCharsets.UTF_8));
                    out.write('\n');
                });
            }
        });
    }
}
