package dev.foretoken.validation.validate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** measurements.jsonl of an output directory: one line per measured cell and run, appended. */
public final class MeasurementFile {
    private static final String NAME = "measurements.jsonl";

    private final Path file;

    public MeasurementFile(Path directory) {
        this.file = directory.resolve(NAME);
    }

    /** Measurements of a scenario, oldest first; damaged lines are left out. */
    public List<Measurement> read(String scenarioHash) throws IOException {
        List<Measurement> list = new ArrayList<>();
        if (!Files.exists(file)) {
            return list;
        }
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            try {
                JsonNode node = Json.mapper().readTree(line);
                if (node != null
                        && Measurement.SCHEMA.equals(node.path("schema").asText())) {
                    Measurement m = Json.mapper().treeToValue(node, Measurement.class);
                    if (m.scenarioHash().equals(scenarioHash)) {
                        list.add(m);
                    }
                }
            } catch (JsonProcessingException e) {
                continue;
            }
        }
        return list;
    }

    /** Appends one measurement. */
    public void append(Measurement m) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(
                file,
                Json.mapper().writeValueAsString(m) + "\n",
                StandardCharsets.UTF_8,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }
}
