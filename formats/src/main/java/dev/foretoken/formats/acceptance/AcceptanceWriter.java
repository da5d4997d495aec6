package dev.foretoken.formats.acceptance;

import dev.foretoken.formats.io.AtomicFiles;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.json.YamlText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes foretoken/acceptance/1: JSON when the name ends in {@code .json}, else YAML. */
public final class AcceptanceWriter {
    private AcceptanceWriter() {}

    /** Writes a file. */
    public static void write(Path path, AcceptanceFile file) throws IOException {
        AtomicFiles.write(path, text(path.toString().endsWith(".json"), file));
    }

    /** The text of a file. */
    public static String text(boolean json, AcceptanceFile file) {
        return json ? Json.pretty(tree(file)) : YamlText.of(tree(file));
    }

    private static Map<String, Object> tree(AcceptanceFile file) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("schema", AcceptanceFile.SCHEMA);
        put(root, "name", file.name());
        List<Object> entries = new ArrayList<>();
        for (AcceptanceFile.Entry entry : file.entries()) {
            Map<String, Object> keys = new LinkedHashMap<>();
            put(keys, "workload", entry.workload());
            put(keys, "method", entry.method());
            keys.put("form", FormWriter.write(entry.form()));
            put(keys, "intervals", entry.intervals().isEmpty() ? null : new TreeMap<>(entry.intervals()));
            put(keys, "samples", entry.samples());
            put(keys, "drafter", entry.drafter());
            put(keys, "target", entry.target());
            put(keys, "temperature", entry.temperature());
            put(keys, "engine", entry.engine());
            put(keys, "engine_version", entry.engineVersion());
            put(keys, "conversions", entry.conversions().isEmpty() ? null : entry.conversions());
            put(keys, "source", entry.source());
            entries.add(keys);
        }
        root.put("entries", entries);
        put(root, "notes", file.notes().isEmpty() ? null : file.notes());
        return root;
    }

    private static void put(Map<String, Object> keys, String key, Object value) {
        if (value != null) {
            keys.put(key, value);
        }
    }
}
