package dev.foretoken.validation.compare;

import java.util.Arrays;
import java.util.Optional;

/** Figures that are compared, by their contract names. */
public enum Figure {
    OUTPUT_TOK_S("output_tok_s", true),
    TTFT_MS("ttft_ms", false),
    TPOT_MS("tpot_ms", false),
    E2E_MS("e2e_ms", false),
    ROUND_GAP_MS("round_gap_ms", false),
    ROUND_MS("round_ms", false),
    ACCEPT_LENGTH("accept_length", true);

    private final String key;
    private final boolean moreIsBetter;

    Figure(String key, boolean moreIsBetter) {
        this.key = key;
        this.moreIsBetter = moreIsBetter;
    }

    public String key() {
        return key;
    }

    public boolean moreIsBetter() {
        return moreIsBetter;
    }

    /** By contract name. */
    public static Optional<Figure> byKey(String key) {
        return Arrays.stream(values()).filter(f -> f.key.equals(key)).findFirst();
    }
}
