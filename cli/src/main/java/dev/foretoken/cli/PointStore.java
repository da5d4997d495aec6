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

    private final String inputs;

    private record Line(String scenarioHash, String inputsHash, String key, SimulationPoint point) {}

    private PointStore(Path file, BufferedWriter out, String hash, String inputs) {
        this.file = file;
        this.out = out;
        this.hash = hash;
        this.inputs = inputs;
    }

    /** A store that keeps nothing. */
    static PointStore none() {
        return new PointStore(null, null, "", "");
    }

    /**
     * The store of a run.
     *
     * @param folder where it is kept; null = nothing is kept
     * @param hash of the scenario: points of another scenario are not used
     * @param inputs hash of what else the points depend on, {@link RunInputs}: points of other inputs are not used
     * @param resume use what is there; otherwise it is replaced
     */
    static PointStore open(Path folder, String hash, String inputs, boolean resume) throws IOException {
        if (folder == null) {
            return none();
        }
        Files.createDirectories(folder);
        Path file = folder.resolve(FILE);
        if (Files.isDirectory(file)) {
            throw new UserError(file + " is a folder: finished points are kept in a file of that name; move it away");
        }
        Map<String, SimulationPoint> before = new HashMap<>();
        if (resume && Files.exists(file)) {
            // Lenient about a character that was cut off: its line is no JSON and is left out.
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    read(line, hash, inputs, before);
                }
            }
        }
        PointStore kept = new PointStore(file, null, hash, inputs);
        kept.finished.putAll(before);
        kept.replace();
        BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.UTF_8, StandardOpenOption.APPEND);
        PointStore store = new PointStore(file, out, hash, inputs);
        store.finished.putAll(before);
        return store;
    }

    private static void read(String line, String hash, String inputs, Map<String, SimulationPoint> into) {
        try {
            JsonNode node = Json.mapper().readTree(line);
            if (node != null
                    && node.isObject()
                    && hash.equals(node.path("scenario_hash").asText())
                    && inputs.equals(node.path("inputs_hash").asText())) {
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
        return Json.mapper().writeValueAsString(new Line(hash, inputs, key, point)) + "\n";
    }

    @Override
    public void close() throws IOException {
        if (out == null) {
            return;
        }
        out.close();
        replace();
    }

    /** Replaces the file by the finished points in the order of their keys. */
    private void replace() throws IOException {
        synchronized (finished) {
            AtomicFiles.write(file, to -> {
                for (Map.Entry<String, SimulationPoint> e : new TreeMap<>(finished).entrySet()) {
                    to.write(line(e.getKey(), e.getValue()).getBytes(StandardCharsets.UTF_8));
                }
            });
        }
    }
}
