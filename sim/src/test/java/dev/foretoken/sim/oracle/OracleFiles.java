package dev.foretoken.sim.oracle;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the files of expected figures: named by a system property, or the project's own copy. */
final class OracleFiles {
    private OracleFiles() {}

    static String read(String property, String resource) throws IOException {
        String named = System.getProperty(property, "");
        if (!named.isEmpty()) {
            Path path = Path.of(named);
            if (!Files.exists(path)) {
                path = Path.of(System.getProperty("foretoken.root", ".")).resolve(named);
            }
            return Files.readString(path);
        }
        return resource(resource);
    }

    static String resource(String resource) throws IOException {
        try (InputStream in = OracleFiles.class.getResourceAsStream("/" + resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
