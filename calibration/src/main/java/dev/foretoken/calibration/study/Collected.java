package dev.foretoken.calibration.study;

import dev.foretoken.calibration.acceptance.Evidence;
import dev.foretoken.formats.acceptance.readers.AcceptanceKey;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import java.util.List;
import java.util.Map;

/**
 * What sources say of one workload, method, engine and version.
 *
 * @param key what the counts belong to
 * @param evidence for a fit; empty when no design is known well enough
 * @param ordered whether rounds of requests are in the order in which they were decoded
 * @param rounds counted rounds; 0 when only means are known
 * @param requests requests that were told apart; 0 when none were
 * @param tokens committed in the counted rounds
 * @param plain what can be said without a fit: a mean, means by budget, or the largest histogram; null when nothing can
 * @param unused observations that no fit uses, by reason
 */
public record Collected(
        AcceptanceKey key,
        List<Evidence> evidence,
        boolean ordered,
        long rounds,
        long requests,
        long tokens,
        AcceptanceForm plain,
        Map<String, Long> unused) {
    public Collected {
        evidence = List.copyOf(evidence);
    }
}
