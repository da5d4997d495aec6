package dev.foretoken.calibration.host;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Speculation whose acceptance the server forces.
 *
 * @param kind who drafts
 * @param drafts tokens per round at most; 0 without speculation
 * @param survival P(at least i accepted) for i = 1..drafts, not rising
 */
public record ForcedSpeculation(Kind kind, int drafts, List<Double> survival) {
    /** Who drafts. */
    public enum Kind {
        NONE,
        NGRAM,
        DRAFT_MODEL
    }

    public ForcedSpeculation {
        survival = List.copyOf(survival);
        if ((kind == Kind.NONE) != (drafts == 0) || drafts < 0 || survival.size() != drafts) {
            throw new IllegalArgumentException("speculation needs as many rates as drafts, none without: " + kind + ", "
                    + drafts + ", " + survival);
        }
        double last = 1;
        for (double r : survival) {
            if (!(r >= 0 && r <= last)) {
                throw new IllegalArgumentException("survival must lie in [0, 1] and not rise: " + survival);
            }
            last = r;
        }
    }

    /** Plain decoding. */
    public static ForcedSpeculation none() {
        return new ForcedSpeculation(Kind.NONE, 0, List.of());
    }

    /** Every draft accepted with probability a given those before it. */
    public static ForcedSpeculation geometric(Kind kind, int drafts, double a) {
        Double[] r = new Double[drafts];
        for (int i = 0; i < drafts; i++) {
            r[i] = Math.pow(a, i + 1);
        }
        return new ForcedSpeculation(kind, drafts, Arrays.asList(r));
    }

    /** Every draft refused: rounds of a known width that commit one token. */
    public static ForcedSpeculation refused(Kind kind, int drafts) {
        return geometric(kind, drafts, 0);
    }

    /** Mean tokens per round before the end of an answer. */
    public double acceptLength() {
        return 1 + survival.stream().mapToDouble(Double::doubleValue).sum();
    }

    @Override
    public String toString() {
        return kind == Kind.NONE
                ? "plain"
                : String.format(
                        Locale.ROOT,
                        "%s k=%d tau=%.2f",
                        kind == Kind.NGRAM ? "n-gram" : "draft model",
                        drafts,
                        acceptLength());
    }
}
