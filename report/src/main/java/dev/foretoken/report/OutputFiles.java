package dev.foretoken.report;

import dev.foretoken.formats.io.AtomicFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Files of one run in one folder: written whole or not at all, named after what they show. */
public final class OutputFiles {
    private static final int LONGEST_PART = 40;

    private final Path folder;
    private final Set<String> taken = new HashSet<>();

    /** Files in {@code folder}, which is made when absent. */
    public OutputFiles(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
    }

    /** The folder. */
    public Path folder() {
        return folder;
    }

    /** Writes {@code folder/name}: a reader sees the old file or the whole new one. */
    public Path write(String name, AtomicFiles.Content content) throws IOException {
        Path target = folder.resolve(name);
        AtomicFiles.write(target, content);
        return target;
    }

    /**
     * A file name without extension from parts such as ids: lower-case ASCII letters, digits, dots and dashes only, never twice
     * the same for this object.
     */
    public String stem(String... parts) {
        StringBuilder name = new StringBuilder();
        for (String part : parts) {
            String plain = Normalizer.normalize(part, Normalizer.Form.NFKD)
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^a-z0-9.]+", "-")
                    .replaceAll("^[-.]+|[-.]+$", "");
            if (plain.length() > LONGEST_PART) {
                plain = plain.substring(0, LONGEST_PART).replaceAll("[-.]+$", "");
            }
            if (!plain.isEmpty()) {
                name.append(name.length() == 0 ? "" : "-").append(plain);
            }
        }
        String base = name.length() == 0 ? "unnamed" : name.toString();
        String unique = base;
        for (int i = 2; !taken.add(unique); i++) {
            unique = base + "-" + i;
        }
        return unique;
    }
}
