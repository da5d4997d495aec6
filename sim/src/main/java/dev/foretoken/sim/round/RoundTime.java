package dev.foretoken.sim.round;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One decode round, explained.
 *
 * @param roundMs time of the round, ms
 * @param termsMs parts by term name (contract names: draft, weights, attention, recurrent_state, lm_head, all_reduce, commit,
 *     host; black box: target, draft, host), ms; terms minus hiddenMs sum to roundMs
 * @param hiddenMs what overlap hides, ms
 * @param boundBy the largest term by its contract name, null where the model cannot tell (black box)
 * @param extrapolated true when a curve was used outside its knots
 * @param notes assumptions, each a sentence
 */
public record RoundTime(
        double roundMs,
        Map<String, Double> termsMs,
        double hiddenMs,
        String boundBy,
        boolean extrapolated,
        List<String> notes) {
    public RoundTime {
        if (!(roundMs > 0) || Double.isInfinite(roundMs)) {
            throw new IllegalArgumentException("roundMs must be finite and positive: " + roundMs);
        }
        termsMs = Collections.unmodifiableMap(new LinkedHashMap<>(termsMs));
        notes = List.copyOf(notes);
    }
}
