package dev.foretoken.formats.profile;

import dev.foretoken.formats.catalogue.CatalogueFiles;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.document.Nearest;
import dev.foretoken.sim.profile.Profile;
import java.io.IOException;
import java.io.InputStream;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Profiles by id: {@code CARD/ENGINE-VERSION} is the catalogue file {@code profiles/CARD/ENGINE-VERSION.json} (or {@code
 * .json.gz}), {@code CARD/ENGINE} the newest version of it. A user adds a profile by adding a file.
 */
public final class ProfileCatalogue {
    private static final String FOLDER = "profiles";
    private static final List<String> ENDINGS = List.of(".json", ".json.gz");

    private final CatalogueFiles files;

    public ProfileCatalogue(CatalogueFiles files) {
        this.files = files;
    }

    /** What ships, and nothing else. */
    public static ProfileCatalogue bundled() {
        return new ProfileCatalogue(CatalogueFiles.bundled());
    }

    /** Ids of every profile, sorted. */
    public List<String> ids() {
        return files.ids(FOLDER, ENDINGS).stream()
                .filter(id -> id.indexOf('/') > 0 && id.indexOf('/') == id.lastIndexOf('/'))
                .toList();
    }

    /** The id that {@code CARD/ENGINE} or {@code CARD/ENGINE-VERSION} stands for; empty when there is none. */
    public Optional<String> resolve(String id) {
        if (id.indexOf('/') > 0 && files.find(FOLDER, id, ENDINGS).isPresent()) {
            return Optional.of(id);
        }
        return ids().stream()
                .filter(i -> i.startsWith(id + "-") && startsWithDigit(i.substring(id.length() + 1)))
                .max(Comparator.comparing(i -> i.substring(id.length() + 1), Versions::compare));
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
                .orElseThrow(
                        () -> new IllegalArgumentException("there is no profile " + id + Nearest.phrase(id, ids())));
        CatalogueFiles.Found file = files.find(FOLDER, found, ENDINGS).orElseThrow();
        Profile p = ProfileReader.read(new InCatalogue(files, found.substring(0, found.indexOf('/')), file));
        if (!p.id().equals(found)) {
            throw new DocumentError(file.name(), 0, "card", "is the profile " + p.id() + ", its place says " + found);
        }
        return p;
    }

    private static boolean startsWithDigit(String s) {
        return !s.isEmpty() && Character.isDigit(s.charAt(0));
    }

    private record InCatalogue(CatalogueFiles files, String card, CatalogueFiles.Found found)
            implements ProfileReader.Input {
        @Override
        public String name() {
            return found.name();
        }

        @Override
        public InputStream open() throws IOException {
            return found.open();
        }

        @Override
        public ProfileReader.Input beside(String relative) {
            CatalogueFiles.Found part = files.find(FOLDER, card + "/" + relative, List.of(""))
                    .orElseThrow(() -> new IllegalArgumentException(
                            "the part " + relative + " must lie beside the profile, and is not there"));
            return new InCatalogue(files, card, part);
        }
    }
}
