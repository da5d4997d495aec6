package dev.foretoken.calibration.aiconfigurator;

import dev.foretoken.calibration.aiconfigurator.Finding.Action;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Findings of one import; rows of one kind in one table are counted together. */
final class Findings {
    private record Kind(String table, String what, Action action, String reason) {}

    private final Map<Kind, Integer> counts = new LinkedHashMap<>();

    void add(String table, String what, int rows, Action action, String reason) {
        counts.merge(new Kind(table, what, action, reason), rows, Integer::sum);
    }

    List<Finding> list() {
        return counts.entrySet().stream()
                .map(e -> new Finding(
                        e.getKey().table(),
                        e.getKey().what(),
                        e.getValue(),
                        e.getKey().action(),
                        e.getKey().reason()))
                .toList();
    }
}
