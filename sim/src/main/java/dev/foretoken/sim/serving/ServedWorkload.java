package dev.foretoken.sim.serving;

import dev.foretoken.sim.acceptance.AcceptanceLaw;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Requests of one kind.
 *
 * @param id name, unique in a run
 * @param isl prompt lengths
 * @param osl output lengths
 * @param share weight in the mix, positive
 * @param laws tokens per round by option of the arm; null = one token (plain decoding). Where an option fires with a
 *     probability, its law is conditional on firing
 */
public record ServedWorkload(String id, LengthSampler isl, LengthSampler osl, double share, List<AcceptanceLaw> laws) {
    public ServedWorkload {
        if (id.isBlank()) {
            throw new IllegalArgumentException("a workload needs an id");
        }
        if (!(share > 0) || Double.isInfinite(share)) {
            throw new IllegalArgumentException("share must be finite and positive: " + share);
        }
        laws = Collections.unmodifiableList(Arrays.asList(laws.toArray(new AcceptanceLaw[0])));
    }

    /** A workload on its own. */
    public static ServedWorkload of(String id, LengthSampler isl, LengthSampler osl, AcceptanceLaw law) {
        return new ServedWorkload(id, isl, osl, 1, Collections.singletonList(law));
    }

    /** Mean tokens per round under an option (accept length); 1 for plain decoding. */
    double acceptLength(int option, RoundOption how) {
        AcceptanceLaw law = laws.get(option);
        return law == null ? 1 : 1 + how.fireRate() * (law.acceptLength() - 1);
    }
}
