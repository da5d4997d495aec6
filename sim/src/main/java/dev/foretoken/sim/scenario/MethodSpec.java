package dev.foretoken.sim.scenario;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One method of the scenario before its axes are expanded.
 *
 * @param id name, unique in the scenario
 * @param kind registered kind
 * @param values values by parameter name, in the order of the kind's declaration; several values are an axis of the grid
 * @param engine engine flags that only this method runs with; NONE = the scenario's
 */
public record MethodSpec(String id, String kind, Map<String, List<Object>> values, EngineSettings engine) {
    public MethodSpec {
        if (id.isBlank()) {
            throw new IllegalArgumentException("a method needs an id");
        }
        Map<String, List<Object>> copy = new LinkedHashMap<>();
        values.forEach((k, v) -> {
            if (v.isEmpty()) {
                throw new IllegalArgumentException(k + " has no value");
            }
            copy.put(k, List.copyOf(v));
        });
        values = java.util.Collections.unmodifiableMap(copy);
    }
}
