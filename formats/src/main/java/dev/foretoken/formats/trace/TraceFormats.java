package dev.foretoken.formats.trace;

import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.document.Nearest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Registered formats of request traces. A new one is one class and one line here. */
public final class TraceFormats {
    private static final int LONGEST_FIRST_LINE = 1 << 20;

    private static final List<TraceFormat> FORMATS =
            List.of(new PlainTrace(), new AzureTrace(), new BurstGptTrace(), new MooncakeTrace(), new VllmRequestLog());

    private TraceFormats() {}

    /** Every registered format. */
    public static List<TraceFormat> all() {
        return FORMATS;
    }

    /**
     * A format by name.
     *
     * @throws IllegalArgumentException with the nearest name
     */
    public static TraceFormat byName(String name) {
        List<String> names = FORMATS.stream().map(TraceFormat::name).toList();
        return FORMATS.stream()
                .filter(f -> f.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("unknown trace format " + name + Nearest.phrase(name, names)));
    }

    /**
     * The format of a file, told by its first line.
     *
     * @throws DocumentError when the file is empty or of no known format
     */
    public static TraceFormat detect(Path path) {
        String first = firstLine(path);
        if (first == null || first.isBlank()) {
            throw new DocumentError(path.toString(), 0, "", "is empty: a trace needs at least one request");
        }
        return FORMATS.stream()
                .filter(f -> f.recognises(first))
                .findFirst()
                .orElseThrow(() -> new DocumentError(
                        path.toString(),
                        1,
                        "",
                        "is no known trace; known are "
                                + FORMATS.stream().map(TraceFormat::summary).collect(Collectors.joining("; "))));
    }

    private static String firstLine(Path path) {
        try {
            if (Files.isDirectory(path)) {
                throw new DocumentError(path.toString(), 0, "", "is a directory, not a file");
            }
            try (InputStream in = Files.newInputStream(path);
                    BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                StringBuilder line = new StringBuilder();
                int c = reader.read();
                while (c >= 0 && c != '\n' && line.length() < LONGEST_FIRST_LINE) {
                    line.append((char) c);
                    c = reader.read();
                }
                return line.toString().replace("\uFEFF", "").strip();
            }
        } catch (NoSuchFileException e) {
            throw new DocumentError(path.toString(), 0, "", "no such file");
        } catch (IOException e) {
            throw new DocumentError(path.toString(), 0, "", "cannot be read: " + e.getMessage());
        }
    }
}
