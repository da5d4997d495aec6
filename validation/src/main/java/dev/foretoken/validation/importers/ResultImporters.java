package dev.foretoken.validation.importers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Registered importers, and the way in. */
public final class ResultImporters {
    private static final int HEAD_CHARS = 1 << 16;
    private static final long MAX_BYTES = 1L << 30;

    private static final List<ResultImporter> ALL = List.of(
            new SglangBenchImporter(),
            new VllmBenchImporter(),
            new GuidellmImporter(),
            new AiperfImporter(),
            new InferencePerfImporter(),
            new LlmperfImporter(),
            new LlamaBenchImporter(),
            new InferenceXImporter());

    private ResultImporters() {}

    /** Every importer. */
    public static List<ResultImporter> all() {
        return ALL;
    }

    /**
     * Reads a result file of any known client.
     *
     * @throws IllegalArgumentException when no importer knows it, or it cannot be used; the message names the file
     */
    public static List<ImportedRun> read(Path file) throws IOException {
        if (Files.size(file) > MAX_BYTES) {
            throw new IllegalArgumentException(file + " is larger than " + (MAX_BYTES >> 20) + " MB");
        }
        return read(file.getFileName().toString(), Files.readString(file, StandardCharsets.UTF_8));
    }

    /** The same of a text. */
    public static List<ImportedRun> read(String name, String text) throws IOException {
        String head = text.substring(0, Math.min(HEAD_CHARS, text.length()));
        for (ResultImporter i : ALL) {
            if (i.recognises(name, head)) {
                return i.read(name, text);
            }
        }
        throw new IllegalArgumentException(name + ": not a known result file; known are "
                + String.join(", ", ALL.stream().map(ResultImporter::id).toList()));
    }
}
