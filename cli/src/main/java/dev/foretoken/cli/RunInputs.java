package dev.foretoken.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.foretoken.formats.json.Json;
import dev.foretoken.sim.scenario.LoadSpec;
import dev.foretoken.sim.scenario.Scenario;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * What a simulated point depends on besides the scenario: the program's version and the content of the files that the scenario
 * names. Those are its traces, a user's kernel profile with the files of its parts, and a user's own catalogue entries.
 */
final class RunInputs {
    /** Folders of catalogue entries whose figures enter a simulation; profiles come by card. */
    private static final List<String> KINDS = List.of("gpus", "models", "drafters", "links", "engines");

    private static final int DEEPEST = 3;

    private RunInputs() {}

    /**
     * A hash that changes with any of them.
     *
     * @param catalogues a user's catalogue folders
     */
    static String hash(String version, List<Scenario> variants, List<Path> catalogues) throws IOException {
        TreeSet<Path> files = new TreeSet<>();
        for (Scenario s : variants) {
            for (LoadSpec load : s.loads()) {
                if (load instanceof LoadSpec.Trace trace) {
                    files.add(Path.of(trace.file()));
                }
            }
            String profile = s.calibration().profile();
            if (profile != null && Files.isRegularFile(Path.of(profile))) {
                addProfile(files, Path.of(profile));
            }
            for (Path place : catalogues) {
                for (String kind : KINDS) {
                    addFolder(files, place.resolve(kind));
                }
                if (s.hardware() != null && !s.calibration().blackBox()) {
                    addFolder(
                            files,
                            place.resolve("profiles").resolve(s.hardware().gpu()));
                }
            }
        }
        Map<String, String> contents = new TreeMap<>();
        for (Path file : files) {
            contents.put(file.toString(), digest(file));
        }
        return Json.hash(Map.of("version", version, "files", contents));
    }

    private static void addFolder(TreeSet<Path> files, Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            try (Stream<Path> all = Files.walk(folder, DEEPEST)) {
                all.filter(Files::isRegularFile).forEach(files::add);
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }
    }

    /** A profile and the files that its families name; what is no profile is refused when it is read as one. */
    private static void addProfile(TreeSet<Path> files, Path profile) throws IOException {
        files.add(profile);
        try (InputStream raw = new BufferedInputStream(Files.newInputStream(profile))) {
            raw.mark(2);
            boolean zipped = raw.read() == 0x1f && raw.read() == 0x8b;
            raw.reset();
            try (JsonParser json = new JsonFactory().createParser(zipped ? new GZIPInputStream(raw) : raw)) {
                for (JsonToken t = json.nextToken(); t != null; t = json.nextToken()) {
                    if (t == JsonToken.FIELD_NAME
                            && "file".equals(json.currentName())
                            && json.nextToken() == JsonToken.VALUE_STRING) {
                        Path part = profile.resolveSibling(json.getText());
                        if (Files.isRegularFile(part)) {
                            files.add(part);
                        }
                    }
                }
            }
        }
    }

    private static String digest(Path file) throws IOException {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            try (InputStream in = new DigestInputStream(Files.newInputStream(file), sha)) {
                byte[] buffer = new byte[1 << 16];
                while (in.read(buffer) >= 0) {
                    // the stream keeps the digest
                }
            }
            return HexFormat.of().formatHex(sha.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
