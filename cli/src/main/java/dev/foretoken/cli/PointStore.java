package dev.foretoken.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.io.AtomicFiles;
import dev.foretoken.formats.json.Json;
import dev.foretoken.sim.serving.SimulationPoint;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finished points of a simulated grid, one JSON line each, so that an interrupted sweep resumes. Lines come as points finish and
 * are put in the order of their keys when the run ends, so that the file does not depend on threads or interruptions. A line that
 * was cut off when the run was interrupted is left out and simulated again.
 */
final class PointStore implements AutoCloseable {
    static final String FILE = "points.jsonl";

    private final Map<String, SimulationPoint> finished = new HashMap<>();
    private final Path file;
    private final BufferedWriter out;
    private final String hash;

    private record Line(String scenarioHash, String key, SimulationPoint point) {}

    private PointStore(Path file, BufferedWriter out, String hash) {
        this.file = file;
        this.out = out;
        this.hash = hash;
    }

    /**
     * The store of a run.
     *
     * @param folder where it is kept; null = nothing is kept
     * @param hash of the scenario: points of another scenario are not used
     * @param resume use what is there; otherwise it is replaced
     */
    static PointStore open(Path folder, String hash, boolean resume) throws IOException {
        if (folder == null) {
            return new PointStore(null, null, hash);
        }
        Files.createDirectories(folder);
        Path file = folder.resolve(FILE);
        Map<String, SimulationPoint> before = new HashMap<>();
        if (resume && Files.exists(file)) {
            // Lenient about a character that was cut off: its line is no JSON and is left out.
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    read(line, hash, before);
                }
            }
        }
        BufferedWriter out = Files.newBufferedWriter(
                file,
                StandardCharsets.UTF_8,
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING);
        PointStore store = new PointStore(file, out, hash);
        before.forEach(store::finish);
        return store;
    }

    private static void read(String line, String hash, Map<String, SimulationPoint> into) {
        try {
            JsonNode node = Json.mapper().readTree(line);
            if (node != null
                    && node.isObject()
                    && hash.equals(node.path("scenario_hash").asText())) {
                Line read = Json.mapper().treeToValue(node, Line.class);
                into.put(read.key(), read.point());
            }
        } catch (JsonProcessingException e) {
            return; // cut off when the run was interrupted: simulated again
        }
    }

    SimulationPoint finished(String key) {
        synchronized (finished) {
            return finished.get(key);
        }
    }

    void finish(String key, SimulationPoint point) {
        synchronized (finished) {
            if (finished.put(key, point) == null && out != null) {
                try {
                    out.write(line(key, point));
                    out.flush();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private String line(String key, SimulationPoint point) throws JsonProcessingException {
        return Json.mapper().writeValueAsString(new Line(hash, key, point)) + "\n";
    }

    @Override
    public void close() throws IOException {
        if (out == null) {
            return;
        }
        out.close();
        synchronized (finished) {
            AtomicFiles.write(file, to -> {
                for (Map.Entry<String, SimulationPoint> e : new TreeMap<>(finished).entrySet()) {
                    to.write(line(e.getKey(), e.getValue()).getBytes(StandardCharsets.UTF_8));
                }
            });
        }
    }
}
