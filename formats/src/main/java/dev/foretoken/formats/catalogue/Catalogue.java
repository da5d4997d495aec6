package dev.foretoken.formats.catalogue;

import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.document.Documents;
import dev.foretoken.formats.document.Limits;
import dev.foretoken.formats.document.Nearest;
import dev.foretoken.formats.engine.Engine;
import dev.foretoken.sim.hardware.Gpu;
import dev.foretoken.sim.hardware.LinkProfile;
import dev.foretoken.sim.model.Drafter;
import dev.foretoken.sim.model.TargetModel;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;

/** Looks up catalogue entries by id. Files are read when they are asked for, once. Safe to share between threads. */
public final class Catalogue {
    private static final List<String> ENDINGS = List.of(".yaml", ".yml", ".json");

    private final CatalogueFiles files;
    private final Map<String, Object> read = new ConcurrentHashMap<>();

    public Catalogue(CatalogueFiles files) {
        this.files = files;
    }

    /** What ships, and nothing else. */
    public static Catalogue bundled() {
        return new Catalogue(CatalogueFiles.bundled());
    }

    /** Where this catalogue looks. */
    public CatalogueFiles files() {
        return files;
    }

    public Gpu gpu(String id) {
        return get(CatalogueKind.GPU, id);
    }

    public LinkProfile link(String id) {
        return get(CatalogueKind.LINK, id);
    }

    public TargetModel model(String id) {
        return get(CatalogueKind.MODEL, id);
    }

    public Drafter drafter(String id) {
        return get(CatalogueKind.DRAFTER, id);
    }

    public Engine engine(String id) {
        return get(CatalogueKind.ENGINE, id);
    }

    /** Ids of all entries of a kind, sorted. */
    public SortedSet<String> ids(CatalogueKind<?> kind) {
        return files.ids(kind.folder(), ENDINGS);
    }

    /**
     * An entry by id.
     *
     * @throws IllegalArgumentException when there is none; the message names the nearest id
     * @throws DocumentError when its file is wrong
     */
    public <T> T get(CatalogueKind<T> kind, String id) {
        return find(kind, id)
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no " + kind.noun() + " " + id + Nearest.phrase(id, ids(kind))));
    }

    /** An entry by id; empty when there is none. */
    public <T> Optional<T> find(CatalogueKind<T> kind, String id) {
        return files.find(kind.folder(), id, ENDINGS).map(file -> cached(kind, id, file));
    }

    /** The file an entry comes from. */
    public Optional<String> origin(CatalogueKind<?> kind, String id) {
        return files.find(kind.folder(), id, ENDINGS).map(CatalogueFiles.Found::name);
    }

    @SuppressWarnings("unchecked")
    private <T> T cached(CatalogueKind<T> kind, String id, CatalogueFiles.Found file) {
        return (T) read.computeIfAbsent(kind.folder() + "/" + id, key -> load(kind, id, file));
    }

    private static <T> T load(CatalogueKind<T> kind, String id, CatalogueFiles.Found file) {
        byte[] bytes;
        try (InputStream in = file.open()) {
            bytes = in.readNBytes((int) Limits.SCENARIO.maxBytes() + 1);
        } catch (IOException e) {
            throw new DocumentError(file.name(), 0, "", "cannot be read: " + e.getMessage());
        }
        T entry = Documents.read(file.name(), bytes, Limits.SCENARIO, kind.reader());
        String found = kind.id().apply(entry);
        if (!found.equals(id)) {
            throw new DocumentError(file.name(), 0, "id", "must be the name of the file, " + id + ", found " + found);
        }
        return entry;
    }
}
