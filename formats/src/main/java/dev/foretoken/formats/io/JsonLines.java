package dev.foretoken.formats.io;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.schema.SchemaVersion;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Streams the objects of a JSON Lines file, plain or gzip, one line in memory at a time. The first line may be a header: an
 * object with {@code schema} and what holds for the whole file. Damaged lines are left out and counted; a schema of a newer
 * major version refuses the file.
 */
public final class JsonLines implements Closeable {
    /** Longest line that is read, bytes. */
    public static final int MAX_LINE = 16 << 20;

    private static final int GZIP_MAGIC_1 = 0x1F;
    private static final int GZIP_MAGIC_2 = 0x8B;

    private final String file;
    private final String schema;
    private final InputStream in;
    private final Skipped skipped = new Skipped();
    private final byte[] buffer = new byte[1 << 16];
    private int position;
    private int limit;
    private long line;
    private boolean ended;

    private JsonLines(String file, String schema, InputStream in) {
        this.file = file;
        this.schema = schema;
        this.in = in;
    }

    /**
     * Opens a file.
     *
     * @param schema what {@code schema} must be wherever it stands; null = the key means nothing
     */
    public static JsonLines open(Path path, String schema) {
        try {
            if (Files.isDirectory(path)) {
                throw new DocumentError(path.toString(), 0, "", "is a directory, not a file");
            }
            return new JsonLines(path.toString(), schema, decompressed(Files.newInputStream(path)));
        } catch (NoSuchFileException e) {
            throw new DocumentError(path.toString(), 0, "", "no such file");
        } catch (IOException e) {
            throw new DocumentError(path.toString(), 0, "", "cannot be read: " + e.getMessage());
        }
    }

    /** Opens a file of others, in which {@code schema} means nothing. */
    public static JsonLines open(Path path) {
        return open(path, null);
    }

    private static InputStream decompressed(InputStream raw) throws IOException {
        BufferedInputStream in = new BufferedInputStream(raw, 1 << 16);
        in.mark(2);
        boolean gzip = in.read() == GZIP_MAGIC_1 && in.read() == GZIP_MAGIC_2;
        in.reset();
        return gzip ? new GZIPInputStream(in, 1 << 16) : in;
    }

    /** The next object; null at the end. */
    public JsonNode next() {
        while (!ended) {
            byte[] bytes = readLine();
            if (bytes == null) {
                return null;
            }
            JsonNode node = parse(bytes);
            if (node != null) {
                return node;
            }
        }
        return null;
    }

    /** Number of the line that {@link #next} returned last, from 1. */
    public long line() {
        return line;
    }

    /** Leaves the current line out. */
    public void skip(String reason) {
        skipped.add(file, line, reason);
    }

    /** What was left out so far. */
    public Skipped skipped() {
        return skipped;
    }

    /** The file as errors name it. */
    public String file() {
        return file;
    }

    private JsonNode parse(byte[] bytes) {
        if (new String(bytes, StandardCharsets.UTF_8).isBlank()) {
            return null;
        }
        try {
            JsonNode node = Json.mapper().readTree(bytes);
            if (!node.isObject()) {
                skip("is not a JSON object");
                return null;
            }
            if (schema != null && node.has("schema")) {
                String problem = SchemaVersion.problem(node.get("schema").asText(), schema);
                if (problem != null) {
                    throw new DocumentError(file, (int) line, "schema", problem);
                }
            }
            return node;
        } catch (JsonProcessingException e) {
            skip("is not valid JSON: " + e.getOriginalMessage().replaceAll("\\s+", " "));
            return null;
        } catch (IOException e) {
            throw new DocumentError(file, (int) line, "", "cannot be read: " + e.getMessage());
        }
    }

    private byte[] readLine() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        boolean tooLong = false;
        boolean any = false;
        line++;
        try {
            while (true) {
                if (position == limit && !fill()) {
                    ended = true;
                    break;
                }
                any = true;
                int end = position;
                while (end < limit && buffer[end] != '\n') {
                    end++;
                }
                int room = MAX_LINE - bytes.size();
                tooLong |= end - position > room;
                bytes.write(buffer, position, Math.min(room, end - position));
                boolean complete = end < limit;
                position = complete ? end + 1 : end;
                if (complete) {
                    break;
                }
            }
        } catch (EOFException | ZipException e) {
            ended = true;
            skip("the compressed data ends early: " + e.getMessage());
            return new byte[0];
        } catch (IOException e) {
            throw new DocumentError(file, (int) line, "", "cannot be read: " + e.getMessage());
        }
        if (tooLong) {
            skip("is longer than " + MAX_LINE + " bytes");
            return new byte[0];
        }
        return any ? bytes.toByteArray() : null;
    }

    private boolean fill() throws IOException {
        position = 0;
        limit = Math.max(0, in.read(buffer, 0, buffer.length));
        return limit > 0;
    }

    @Override
    public void close() {
        try {
            in.close();
        } catch (IOException e) {
            throw new DocumentError(file, 0, "", "cannot be closed: " + e.getMessage());
        }
    }
}
