package dev.foretoken.calibration.host;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.io.JsonLines;
import dev.foretoken.formats.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps every run's cost in a file as it ends, and on a later start takes what is there instead of running it again. A run is
 * known by its setting, its load and how often it was asked for before.
 */
public final class RecordedServer implements TimedServer {
    private static final String SCHEMA = "foretoken/live-runs/1";

    private final TimedServer server;
    private final Path file;
    private final Map<List<Object>, RunCost> recorded = new HashMap<>();
    private final Map<List<Object>, Integer> asked = new HashMap<>();
    private int taken;
    private String oldest;

    /**
     * @param file of the runs, made when it is not there
     * @param identity of machine and server: a file of another one is refused
     * @param resume false begins the file anew
     * @throws IllegalArgumentException when the file is of another machine or server
     */
    public RecordedServer(TimedServer server, Path file, String identity, boolean resume) throws IOException {
        this.server = server;
        this.file = file;
        if (resume && Files.exists(file)) {
            read(identity);
        } else {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, line(Map.of("schema", SCHEMA, "identity", identity)), StandardCharsets.UTF_8);
        }
    }

    private static String line(Object value) throws IOException {
        return Json.mapper().writeValueAsString(value) + "\n";
    }

    private void read(String identity) throws IOException {
        try (JsonLines lines = JsonLines.open(file, SCHEMA)) {
            JsonNode header = lines.next();
            String found = header == null ? "" : header.path("identity").asText();
            if (!found.equals(identity)) {
                throw new IllegalArgumentException(file + " holds runs of \"" + found + "\", this is \"" + identity
                        + "\": start without --resume");
            }
            for (JsonNode n = lines.next(); n != null; n = lines.next()) {
                LoopLoad load = Json.mapper().treeToValue(n.path("load"), LoopLoad.class);
                recorded.put(
                        List.of(
                                n.path("setting").asText(),
                                load,
                                n.path("occurrence").asInt()),
                        Json.mapper().treeToValue(n.path("cost"), RunCost.class));
                if (oldest == null) {
                    oldest = n.path("at").asText();
                }
            }
        }
        // a line that was cut off when the machine stopped must not swallow the next one
        Files.writeString(file, "\n", StandardCharsets.UTF_8, StandardOpenOption.APPEND);
    }

    /** Runs taken from the file so far. */
    public int taken() {
        return taken;
    }

    /** When the first run of a resumed file ended, RFC 3339; null where nothing was resumed. */
    public String oldest() {
        return oldest;
    }

    private static String setting(ForcedSpeculation s) {
        return s.kind() + " " + s.drafts() + " " + s.survival();
    }

    @Override
    public List<RunCost> run(ForcedSpeculation speculation, List<LoopLoad> loads, Finished finished)
            throws IOException, InterruptedException {
        List<RunCost> costs = new ArrayList<>();
        List<Integer> occurrences = new ArrayList<>();
        for (LoopLoad load : loads) {
            occurrences.add(asked.merge(List.of(setting(speculation), load), 1, Integer::sum));
        }
        for (int i = 0; i < loads.size(); i++) {
            RunCost known = recorded.get(List.of(setting(speculation), loads.get(i), occurrences.get(i)));
            if (known == null) {
                break;
            }
            taken++;
            costs.add(known);
            finished.load(loads.get(i), known);
        }
        int first = costs.size();
        if (first == loads.size()) {
            return costs;
        }
        int[] next = {first};
        IOException[] failure = new IOException[1];
        costs.addAll(server.run(speculation, loads.subList(first, loads.size()), (load, cost) -> {
            try {
                append(speculation, load, occurrences.get(next[0]++), cost);
            } catch (IOException e) {
                failure[0] = e;
            }
            finished.load(load, cost);
        }));
        if (failure[0] != null) {
            throw failure[0];
        }
        return costs;
    }

    private void append(ForcedSpeculation speculation, LoopLoad load, int occurrence, RunCost cost) throws IOException {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("setting", setting(speculation));
        row.put("load", load);
        row.put("occurrence", occurrence);
        row.put("at", Instant.now().toString());
        row.put("cost", cost);
        Files.writeString(file, line(row), StandardCharsets.UTF_8, StandardOpenOption.APPEND);
    }
}
