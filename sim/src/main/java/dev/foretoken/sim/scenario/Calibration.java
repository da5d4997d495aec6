package dev.foretoken.sim.scenario;

import dev.foretoken.sim.round.BlackBoxKnot;
import java.util.List;
import java.util.Map;

/**
 * Where round times come from: a profile (white box) or a server's own knots (black box).
 *
 * @param profile profile id, "card/engine" or "card/engine-version"; null = the card's newest for the engine
 * @param roundTimes knots of autoregressive rounds; empty = white box
 * @param draftMs draft time per round, ms, by method id, else kind, else "" for every speculative method
 * @param hostMs host time per round, ms, likewise
 * @param prefillMsPerToken prefill time per prompt token, ms; null = not given
 */
public record Calibration(
        String profile,
        List<BlackBoxKnot> roundTimes,
        Map<String, Double> draftMs,
        Map<String, Double> hostMs,
        Double prefillMsPerToken) {
    /** Key of a figure that serves every speculative method. */
    public static final String EVERY = "";

    public static final Calibration NONE = new Calibration(null, List.of(), Map.of(), Map.of(), null);

    public Calibration {
        roundTimes = List.copyOf(roundTimes);
        draftMs = Map.copyOf(draftMs);
        hostMs = Map.copyOf(hostMs);
        check("draft_ms", draftMs);
        check("host_ms", hostMs);
        if (prefillMsPerToken != null && !(prefillMsPerToken >= 0 && Double.isFinite(prefillMsPerToken))) {
            throw new IllegalArgumentException(
                    "prefill_ms_per_token must be finite and not negative: " + prefillMsPerToken);
        }
    }

    private static void check(String key, Map<String, Double> ms) {
        for (Map.Entry<String, Double> e : ms.entrySet()) {
            if (!(e.getValue() >= 0) || Double.isInfinite(e.getValue())) {
                throw new IllegalArgumentException(
                        key + " must be finite and not negative: " + e.getKey() + " " + e.getValue());
            }
        }
    }

    /** True when rounds come from the server's own knots. */
    public boolean blackBox() {
        return !roundTimes.isEmpty();
    }

    /** Figure of a method: by id, else kind, else the one for every method; null when absent. */
    public static Double lookup(Map<String, Double> ms, String id, String kind) {
        Double v = ms.get(id);
        if (v == null) {
            v = ms.get(kind);
        }
        return v != null ? v : ms.get(EVERY);
    }
}
