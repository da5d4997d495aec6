package dev.foretoken.formats.acceptance.readers;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** What happened while sources were read: how many records, what was skipped and why, what was converted. */
public final class ReadReport {
    private static final int MAX_REASONS = 200;

    private final Map<String, Skip> skipped = new LinkedHashMap<>();
    private final Set<String> conversions = new LinkedHashSet<>();
    private long observations;
    private long skippedTotal;

    /**
     * Records skipped for one reason.
     *
     * @param count how many
     * @param first where the first one stands: source and line
     */
    public record Skip(long count, String first) {}

    void observed() {
        observations++;
    }

    void skip(String where, String reason) {
        skippedTotal++;
        String key = skipped.containsKey(reason) || skipped.size() < MAX_REASONS ? reason : "other reasons";
        skipped.merge(key, new Skip(1, where), (a, b) -> new Skip(a.count() + 1, a.first()));
    }

    void converted(String what) {
        if (conversions.size() < MAX_REASONS) {
            conversions.add(what);
        }
    }

    /** Observations delivered. */
    public long observations() {
        return observations;
    }

    /** Records skipped, all reasons together. */
    public long skippedTotal() {
        return skippedTotal;
    }

    /** Reason to count and first place. */
    public Map<String, Skip> skipped() {
        return Collections.unmodifiableMap(skipped);
    }

    /** Definitions that were converted and assumptions that were made, each a sentence. */
    public Set<String> conversions() {
        return Collections.unmodifiableSet(conversions);
    }
}
