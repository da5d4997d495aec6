package dev.foretoken.formats.catalogue;

import dev.foretoken.formats.document.DocumentError;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Where catalogue files are looked for: the folders of a user in the given order, then those that ship on the class path.
 *
 * @param folders folders that hold {@code gpus/}, {@code models/} and so on
 */
public record CatalogueFiles(List<Path> folders) {
    /** Environment variable with folders of catalogues, separated like a path. */
    public static final String VARIABLE = "FORETOKEN_CATALOGUE";

    private static final String RESOURCES = "/foretoken/catalogue/";

    public CatalogueFiles {
        folders = List.copyOf(folders);
    }

    /** What ships, and nothing else. */
    public static CatalogueFiles bundled() {
        return new CatalogueFiles(List.of());
    }

    /**
     * The folders that apply to a scenario: those of {@value #VARIABLE}, then the scenario's own folder and the folders above
     * it that are called scenarios, then {@code scenarios} beside the scenario and in the working directory.
     *
     * @param scenario path of the scenario; null for none
     * @param variable value of the environment variable; null when it is not set
     */
    public static CatalogueFiles of(Path scenario, String variable) {
        Set<Path> candidates = new LinkedHashSet<>();
        if (variable != null) {
            for (String folder : variable.split(File.pathSeparator)) {
                if (!folder.isBlank()) {
                    Path path = Path.of(folder);
                    if (!Files.isDirectory(path)) {
                        throw new DocumentError(VARIABLE, 0, "", "is not a folder: " + folder);
                    }
                    candidates.add(path.toAbsolutePath().normalize());
                }
            }
        }
        if (scenario != null) {
            Path folder = scenario.toAbsolutePath().normalize().getParent();
            candidates.add(folder);
            candidates.add(folder.resolve("scenarios"));
            for (Path above = folder.getParent(); above != null; above = above.getParent()) {
                if (above.endsWith("scenarios")) {
                    candidates.add(above);
                }
            }
        }
        candidates.add(Path.of("scenarios").toAbsolutePath().normalize());
        return new CatalogueFiles(candidates.stream().filter(Files::isDirectory).toList());
    }

    /** A file that was found. */
    public interface Found {
        /** How messages call it. */
        String name();

        /** Opens it. */
        InputStream open() throws IOException;
    }

    /**
     * The file of an entry.
     *
     * @param folder such as {@code gpus}
     * @param id may contain slashes, which stand for folders
     * @param endings such as {@code .yaml}, tried in this order in each place
     */
    public Optional<Found> find(String folder, String id, List<String> endings) {
        if (!isId(id)) {
            return Optional.empty();
        }
        for (Path place : folders) {
            for (String ending : endings) {
                Path path = place.resolve(folder).resolve(id + ending);
                if (Files.isRegularFile(path)) {
                    return Optional.of(new InFolder(path));
                }
            }
        }
        for (String ending : endings) {
            URL url = CatalogueFiles.class.getResource(RESOURCES + folder + "/" + id + ending);
            if (url != null) {
                return Optional.of(new OnClassPath(RESOURCES.substring(1) + folder + "/" + id + ending, url));
            }
        }
        return Optional.empty();
    }

    /** Ids of all entries of a folder, in all places. */
    public SortedSet<String> ids(String folder, List<String> endings) {
        SortedSet<String> ids = new TreeSet<>();
        for (Path place : folders) {
            addIds(ids, place.resolve(folder), endings);
        }
        addBundledIds(ids, folder, endings);
        return ids;
    }

    private static boolean isId(String id) {
        return id.matches("[A-Za-z0-9][A-Za-z0-9._+-]*(/[A-Za-z0-9][A-Za-z0-9._+-]*)*");
    }

    private static void addIds(Set<String> ids, Path folder, List<String> endings) {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder, 3)) {
            List<Path> paths =
                    new ArrayList<>(files.filter(Files::isRegularFile).toList());
            paths.forEach(
                    path -> addId(ids, folder.relativize(path).toString().replace(File.separatorChar, '/'), endings));
        } catch (IOException e) {
            throw new DocumentError(folder.toString(), 0, "", "cannot be listed: " + e.getMessage());
        }
    }

    private static void addBundledIds(Set<String> ids, String folder, List<String> endings) {
        for (String name : Bundled.NAMES) {
            if (name.startsWith(folder + "/")) {
                addId(ids, name.substring(folder.length() + 1), endings);
            }
        }
    }

    /** Names of what ships, relative to the catalogue: listed once, since a jar's directory is long. */
    private static final class Bundled {
        static final List<String> NAMES = names();

        private static List<String> names() {
            URL self = CatalogueFiles.class.getResource(CatalogueFiles.class.getSimpleName() + ".class");
            String prefix = RESOURCES.substring(1);
            try {
                if (self.openConnection() instanceof JarURLConnection connection) {
                    JarFile jar = connection.getJarFile();
                    return jar.stream()
                            .map(entry -> entry.getName())
                            .filter(name -> name.startsWith(prefix) && !name.endsWith("/"))
                            .map(name -> name.substring(prefix.length()))
                            .toList();
                }
                // the folder beside this class, not another module's of the same name
                Path root = Path.of(URI.create(self.toString()));
                for (int i = CatalogueFiles.class.getName().split("\\.").length; i > 0; i--) {
                    root = root.getParent();
                }
                root = root.resolve(prefix);
                if (!Files.isDirectory(root)) {
                    return List.of();
                }
                Path catalogue = root;
                try (Stream<Path> files = Files.walk(root)) {
                    return files.filter(Files::isRegularFile)
                            .map(path -> catalogue.relativize(path).toString().replace(File.separatorChar, '/'))
                            .toList();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void addId(Set<String> ids, String name, List<String> endings) {
        for (String ending : endings) {
            if (name.endsWith(ending)) {
                ids.add(name.substring(0, name.length() - ending.length()));
                return;
            }
        }
    }

    private record InFolder(Path path) implements Found {
        @Override
        public String name() {
            return path.toString();
        }

        @Override
        public InputStream open() throws IOException {
            return Files.newInputStream(path);
        }
    }

    private record OnClassPath(String name, URL url) implements Found {
        @Override
        public InputStream open() throws IOException {
            return url.openStream();
        }
    }
}
