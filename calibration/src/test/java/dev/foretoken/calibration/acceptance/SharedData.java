package dev.foretoken.calibration.acceptance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** Published measurements beside the project; tests that need them skip where they are absent. */
final class SharedData {
    private SharedData() {}

    /** Rows of a CSV without quoted cells, by column name. */
    static List<Map<String, String>> rows(String name) throws IOException {
        Path file = Path.of(System.getProperty("foretoken.root", "."), "..", "shared", "data", name);
        Assumptions.assumeTrue(Files.exists(file), "skipped: " + name + " is not beside the project (../shared/data)");
        List<String> lines = Files.readAllLines(file);
        String[] header = lines.get(0).split(",");
        List<Map<String, String>> rows = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split(",");
            Map<String, String> row = new LinkedHashMap<>();
            for (int i = 0; i < header.length; i++) {
                row.put(header[i], i < cells.length ? cells[i] : "");
            }
            rows.add(row);
        }
        return rows;
    }
}
