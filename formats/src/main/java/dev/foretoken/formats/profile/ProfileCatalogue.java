package dev.foretoken.formats.profile;

import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.document.Nearest;
import dev.foretoken.sim.profile.Profile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Profiles of a folder by id: {@code CARD/ENGINE-VERSION} is the file {@code CARD/ENGINE-VERSION.json} (or {@code .json.gz}),
 * {@code CARD/ENGINE} the newest version of it. A user adds a profile by adding a file.
 */
public final class ProfileCatalogue {
    private final Path folder;

    /** @param folder holds one folder per card; need not exist */
    public ProfileCatalogue(Path folder) {
        this.folder = folder;
    }

    /** Ids of every profile, sorted. */
    public List<String> ids() {
        List<String> ids = new ArrayList<>();
        if (!Files.isDirectory(folder)) {
            return ids;
        }
        try (Stream<Path> cards = Files.list(folder)) {
            for (Path card : cards.filter(Files::isDirectory).sorted().toList()) {
                try (Stream<Path> files = Files.list(card)) {
                    files.filter(Files::isRegularFile)
                            .map(f -> stem(f.getFileName().toString()))
                            .flatMap(Optional::stream)
                            .sorted()
                            .map(s -> card.getFileName().toString().replace("/", "") + "/" + s)
                            .forEach(ids::add);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + folder + ": " + e.getMessage(), e);
        }
        return ids;
    }

    private static Optional<String> stem(String file) {
        if (file.startsWith(".")) {
            return Optional.empty();
        }
        if (file.endsWith(".json")) {
            return Optional.of(file.substring(0, file.length() - ".json".length()));
        }
        if (file.endsWith(".json.gz")) {
            return Optional.of(file.substring(0, file.length() - ".json.gz".length()));
        }
        return Optional.empty();
    }

    /** The id that {@code CARD/ENGINE} or {@code CARD/ENGINE-VERSION} stands for; empty when there is none. */
    public Optional<String> resolve(String id) {
        List<String> ids = ids();
        if (ids.contains(id)) {
            return Optional.of(id);
        }
        return ids.stream()
                .filter(i -> i.startsWith(id + "-") && startsWithDigit(i.substring(id.length() + 1)))
                .max(Comparator.comparing(i -> i.substring(id.length() + 1), ProfileCatalogue::compareVersions));
    }

    /**
     * Loads a profile by id.
     *
     * @param id {@code CARD/ENGINE} or {@code CARD/ENGINE-VERSION}
     * @throws IllegalArgumentException naming the nearest id when there is no such profile
     * @throws DocumentError when the file cannot be used, or holds another card's or engine's timings than its name says
     */
    public Profile load(String id) {
        String found = resolve(id)
                .orElseThrow(() -> new IllegalArgumentException(
                        "no profile " + id + " under " + folder + Nearest.phrase(id, ids())));
        Path file = folder.resolve(found + ".json");
        if (!Files.isRegularFile(file)) {
            file = folder.resolve(found + ".json.gz");
        }
        Profile p = ProfileReader.read(file);
        if (!p.id().equals(found)) {
            throw new DocumentError(
                    file.toString(), 0, "card", "is the profile " + p.id() + ", its place says " + found);
        }
        return p;
    }

    private static boolean startsWithDigit(String s) {
        return !s.isEmpty() && Character.isDigit(s.charAt(0));
    }

    /** Compares versions part by part: numbers as numbers, the rest as text; a release follows its candidates. */
    static int compareVersions(String a, String b) {
        String[] x = a.split("[.\\-+]|(?<=\\d)(?=\\D)|(?<=\\D)(?=\\d)", -1);
        String[] y = b.split("[.\\-+]|(?<=\\d)(?=\\D)|(?<=\\D)(?=\\d)", -1);
        for (int i = 0; i < Math.max(x.length, y.length); i++) {
            String p = i < x.length ? x[i] : "";
            String q = i < y.length ? y[i] : "";
            int c = compareParts(p, q);
            if (c != 0) {
                return c;
            }
        }
        return 0;
    }

    private static int compareParts(String p, String q) {
        boolean pn = p.matches("\\d{1,18}");
        boolean qn = q.matches("\\d{1,18}");
        if (pn && qn) {
            return Long.compare(Long.parseLong(p), Long.parseLong(q));
        }
        if (p.isEmpty() || q.isEmpty()) {
            String other = p.isEmpty() ? q : p;
            int more = other.startsWith("rc") || other.startsWith("dev") ? -1 : 1;
            return p.equals(q) ? 0 : p.isEmpty() ? -more : more;
        }
        return p.compareTo(q);
    }
}
