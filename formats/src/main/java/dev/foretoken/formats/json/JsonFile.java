package dev.foretoken.formats.json;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.io.AtomicFiles;
import dev.foretoken.formats.schema.SchemaVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Collectors;

/**
 * JSON files that hold one record which this project writes, such as results: read by its components, unknown fields ignored,
 * errors with line and key.
 */
public final class JsonFile {
    /** Largest file that is read, bytes. */
    public static final long MAX_BYTES = 1L << 30;

    private JsonFile() {}

    /**
     * Reads a record.
     *
     * @param schema what the file's {@code schema} must be
     */
    public static <T> T read(Path path, Class<T> type, String schema) {
        String file = path.toString();
        try {
            if (Files.isDirectory(path)) {
                throw new DocumentError(file, 0, "", "is a directory, not a file");
            }
            if (Files.size(path) > MAX_BYTES) {
                throw new DocumentError(file, 0, "", "is too large: at most " + MAX_BYTES + " bytes are read");
            }
            String problem = SchemaVersion.problem(schemaOf(path), schema);
            if (problem != null) {
                throw new DocumentError(file, 0, "schema", problem);
            }
            T value = Json.mapper().readValue(path.toFile(), type);
            if (value == null) {
                throw new DocumentError(file, 0, "", "is empty");
            }
            return value;
        } catch (NoSuchFileException e) {
            throw new DocumentError(file, 0, "", "no such file");
        } catch (JsonMappingException e) {
            throw new DocumentError(file, line(e.getLocation()), key(e), message(e));
        } catch (JsonProcessingException e) {
            throw new DocumentError(file, line(e.getLocation()), "", "is not valid JSON: " + message(e));
        } catch (IOException e) {
            throw new DocumentError(file, 0, "", "cannot be read: " + e.getMessage());
        }
    }

    /** Writes a record; it appears whole or not at all. */
    public static void write(Path path, Object value) throws IOException {
        AtomicFiles.write(path, Json.pretty(value));
    }

    /** The {@code schema} of an object, wherever it stands among its keys; null when it has none. */
    private static String schemaOf(Path path) throws IOException {
        try (JsonParser parser = Json.mapper().createParser(path.toFile())) {
            JsonToken first = parser.nextToken();
            if (first == null) {
                throw new DocumentError(path.toString(), 0, "", "is empty");
            }
            if (first != JsonToken.START_OBJECT) {
                throw new DocumentError(path.toString(), 1, "", "must be a JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean schema = parser.currentName().equals("schema");
                parser.nextToken();
                if (schema) {
                    return parser.getText();
                }
                parser.skipChildren();
            }
            return null;
        }
    }

    private static int line(JsonLocation location) {
        return location == null ? 0 : Math.max(0, location.getLineNr());
    }

    private static String key(JsonMappingException e) {
        return e.getPath().stream()
                .map(r -> r.getFieldName() == null ? "[" + r.getIndex() + "]" : r.getFieldName())
                .collect(Collectors.joining("."))
                .replace(".[", "[");
    }

    private static String message(JsonProcessingException e) {
        if (e instanceof ValueInstantiationException && e.getCause() != null) {
            return String.valueOf(e.getCause().getMessage());
        }
        return e.getOriginalMessage().replaceAll("\\s+", " ");
    }
}
