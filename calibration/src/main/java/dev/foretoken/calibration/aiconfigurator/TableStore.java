package dev.foretoken.calibration.aiconfigurator;

import dev.foretoken.formats.document.DocumentError;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/** The tables of a wheel, or of the folder it was unpacked into, by path {@code SYSTEM/FAMILY/FRAMEWORK/VERSION/TABLE}. */
final class TableStore implements Closeable {
    private static final String DATA = "aiconfigurator_core/systems/data/";
    private static final long MAX_TABLE_BYTES = 128_000_000L;

    private final Path path;
    private final ZipFile wheel;
    private final NavigableMap<String, Object> tables = new TreeMap<>();

    private TableStore(Path path, ZipFile wheel) {
        this.path = path;
        this.wheel = wheel;
    }

    /**
     * Opens a wheel or an unpacked folder (the folder of the package, of its systems, or of its data).
     *
     * @throws DocumentError when neither holds tables
     */
    static TableStore open(Path path) {
        try {
            return Files.isDirectory(path) ? folder(path) : wheel(path);
        } catch (IOException e) {
            throw new DocumentError(path.toString(), 0, "", "cannot be read: " + e.getMessage());
        }
    }

    private static TableStore wheel(Path path) throws IOException {
        if (!Files.exists(path)) {
            throw new DocumentError(path.toString(), 0, "", "no such file or folder");
        }
        ZipFile zip;
        try {
            zip = new ZipFile(path.toFile());
        } catch (ZipException e) {
            throw new DocumentError(
                    path.toString(), 0, "", "is neither a wheel nor a folder, or it is truncated: " + e.getMessage());
        }
        TableStore store = new TableStore(path, zip);
        Enumeration<? extends ZipEntry> entries = zip.entries();
        for (ZipEntry e : Collections.list(entries)) {
            if (e.getName().startsWith(DATA) && e.getName().endsWith(".parquet")) {
                store.tables.put(e.getName().substring(DATA.length()), e);
            }
        }
        return store.orEmpty();
    }

    private static TableStore folder(Path path) throws IOException {
        for (String inside : List.of("aiconfigurator_core/systems/data", "systems/data", "data", "")) {
            Path data = path.resolve(inside);
            if (!Files.isDirectory(data)) {
                continue;
            }
            TableStore store = new TableStore(path, null);
            try (Stream<Path> files = Files.walk(data, 6)) {
                for (Path f :
                        files.filter(f -> f.toString().endsWith(".parquet")).toList()) {
                    Path relative = data.relativize(f);
                    if (relative.getNameCount() == 5) {
                        store.tables.put(relative.toString().replace('\\', '/'), f);
                    }
                }
            }
            if (!store.tables.isEmpty()) {
                return store;
            }
        }
        return new TableStore(path, null).orEmpty();
    }

    private TableStore orEmpty() throws IOException {
        if (tables.isEmpty()) {
            close();
            throw new DocumentError(
                    path.toString(),
                    0,
                    "",
                    "holds no tables of aiconfigurator-core (SYSTEM/FAMILY/FRAMEWORK/VERSION/*.parquet below " + DATA
                            + ")");
        }
        return this;
    }

    /** Systems that have tables, sorted. */
    List<String> systems() {
        return tables.keySet().stream()
                .map(t -> t.substring(0, t.indexOf('/')))
                .distinct()
                .toList();
    }

    /** Versions of a framework that have a table, in no order of age. */
    List<String> versions(String system, String family, String framework, String table) {
        String prefix = system + "/" + family + "/" + framework + "/";
        List<String> versions = new ArrayList<>();
        for (String t : tables.tailMap(prefix).keySet()) {
            if (!t.startsWith(prefix)) {
                break;
            }
            String rest = t.substring(prefix.length());
            if (rest.endsWith("/" + table)) {
                versions.add(rest.substring(0, rest.indexOf('/')));
            }
        }
        return versions;
    }

    /** Tables of a system whose path goes on with a prefix. */
    List<String> tables(String prefix) {
        return tables.keySet().stream().filter(t -> t.startsWith(prefix)).toList();
    }

    /** Contents of a table. */
    byte[] bytes(String table) {
        Object entry = tables.get(table);
        if (entry == null) {
            throw new IllegalArgumentException("no table " + table);
        }
        try {
            if (entry instanceof Path f) {
                if (Files.size(f) > MAX_TABLE_BYTES) {
                    throw new DocumentError(label(table), 0, "", "is too large for a table");
                }
                return Files.readAllBytes(f);
            }
            ZipEntry e = (ZipEntry) entry;
            if (e.getSize() > MAX_TABLE_BYTES) {
                throw new DocumentError(label(table), 0, "", "is too large for a table");
            }
            try (InputStream in = wheel.getInputStream(e)) {
                return in.readNBytes((int) MAX_TABLE_BYTES);
            }
        } catch (IOException e) {
            throw new DocumentError(label(table), 0, "", "cannot be read: " + e.getMessage());
        }
    }

    /** How errors call a table. */
    String label(String table) {
        return path.getFileName() + ":" + table;
    }

    @Override
    public void close() {
        if (wheel != null) {
            try {
                wheel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
