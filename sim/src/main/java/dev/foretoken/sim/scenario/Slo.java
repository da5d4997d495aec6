package dev.foretoken.sim.scenario;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Limits a point must meet.
 *
 * @param limitsMs upper limits by name: (ttft|tpot|e2e|round_gap)_(mean|p50|p95|p99)_ms, ms
 */
public record Slo(Map<String, Double> limitsMs) {
    /** Every name a limit may have. */
    public static final List<String> LIMITS = Stream.of("ttft", "tpot", "e2e", "round_gap")
            .flatMap(
                    figure -> Stream.of("mean", "p50", "p95", "p99").map(statistic -> figure + "_" + statistic + "_ms"))
            .toList();

    public Slo {
        for (Map.Entry<String, Double> e : limitsMs.entrySet()) {
            if (!LIMITS.contains(e.getKey())) {
                throw new IllegalArgumentException("unknown limit " + e.getKey());
            }
            if (!(e.getValue() > 0) || Double.isInfinite(e.getValue())) {
                throw new IllegalArgumentException(e.getKey() + " must be finite and positive: " + e.getValue());
            }
        }
        limitsMs = java.util.Collections.unmodifiableMap(new TreeMap<>(limitsMs));
    }
}
