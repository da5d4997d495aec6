package dev.foretoken.sim.scenario;

import java.util.Map;
import java.util.TreeMap;

/**
 * Limits a point must meet.
 *
 * @param limitsMs upper limits by name: (ttft|tpot|e2e|round_gap)_(mean|p50|p95|p99)_ms, ms
 */
public record Slo(Map<String, Double> limitsMs) {
    public Slo {
        for (Map.Entry<String, Double> e : limitsMs.entrySet()) {
            if (!e.getKey().matches("(ttft|tpot|e2e|round_gap)_(mean|p50|p95|p99)_ms")) {
                throw new IllegalArgumentException("unknown limit " + e.getKey());
            }
            if (!(e.getValue() > 0) || Double.isInfinite(e.getValue())) {
                throw new IllegalArgumentException(e.getKey() + " must be finite and positive: " + e.getValue());
            }
        }
        limitsMs = java.util.Collections.unmodifiableMap(new TreeMap<>(limitsMs));
    }
}
