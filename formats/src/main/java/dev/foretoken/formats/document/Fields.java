package dev.foretoken.formats.document;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Reads the keys of one map. Every key that is asked for is valid; {@link #build} refuses the others, naming the nearest
 * valid key.
 */
public final class Fields {
    private final Node node;
    private final Set<String> valid = new LinkedHashSet<>();
    private final Map<String, String> hints = new LinkedHashMap<>();
    private final Set<String> missing = new LinkedHashSet<>();
    private boolean ignoreUnknown;

    Fields(Node node) {
        this.node = node;
    }

    /** A key that must be there. */
    public <T> Field<T> required(String key, Function<Node, T> reader) {
        valid.add(key);
        Node value = node.entries().get(key);
        if (value == null) {
            missing.add(key);
            return Field.rejected(null);
        }
        return read(value, reader);
    }

    /** A key that may be absent; absent means unknown or not applicable. */
    public <T> Field<T> optional(String key, Function<Node, T> reader) {
        valid.add(key);
        Node value = node.entries().get(key);
        return value == null ? Field.none() : read(value, reader);
    }

    /** Like {@link #optional}, and an explicit null counts as absent: for files that other tools write. */
    public <T> Field<T> nullable(String key, Function<Node, T> reader) {
        Node value = node.entries().get(key);
        if (value != null && value.isNull()) {
            valid.add(key);
            return Field.none();
        }
        return optional(key, reader);
    }

    /** A word people write for a valid key, such as the name another tool uses: named when it turns up as unknown. */
    public Fields synonym(String written, String key) {
        hints.put(written, key);
        return this;
    }

    /** Keys that are not asked for are ignored: for files that may come from a newer minor version. */
    public Fields ignoreUnknown() {
        ignoreUnknown = true;
        return this;
    }

    /** True when the map has the key; does not make the key valid. */
    public boolean has(String key) {
        return node.entries().containsKey(key);
    }

    /** The map itself. */
    public Node node() {
        return node;
    }

    /** Records what is wrong with the map as a whole. */
    public void report(String message) {
        node.report(message);
    }

    /**
     * Refuses unknown keys and builds the record. A refusal of the record's constructor ({@link IllegalArgumentException})
     * becomes a problem of the map.
     */
    public <T> T build(Supplier<T> constructor) {
        Set<String> meant = refuseUnknown();
        missing.stream().filter(key -> !meant.contains(key)).forEach(this::reportMissing);
        try {
            return constructor.get();
        } catch (IllegalArgumentException e) {
            throw node.refuse(e.getMessage());
        }
    }

    /** A missing key; where unknown keys are not judged, one that looks like a slip of it is named. */
    private void reportMissing(String key) {
        Set<String> unknown = new LinkedHashSet<>(node.entries().keySet());
        unknown.removeAll(valid);
        Optional<Nearest.Suggestion> slip = Nearest.of(key, unknown).filter(Nearest.Suggestion::close);
        if (ignoreUnknown && slip.isPresent()) {
            node.entries()
                    .get(slip.get().word())
                    .report("unknown key, and " + key + " is missing; did you mean " + key + "?");
        } else {
            node.reportMissing(key);
        }
    }

    /** Reports unknown keys; returns the valid keys that they were probably meant to be. */
    private Set<String> refuseUnknown() {
        Set<String> meant = new LinkedHashSet<>();
        if (ignoreUnknown) {
            return meant;
        }
        Set<String> words = new LinkedHashSet<>(valid);
        words.addAll(hints.keySet());
        node.entries().forEach((key, value) -> {
            if (!valid.contains(key)) {
                Optional<Nearest.Suggestion> nearest = Nearest.of(key, words)
                        .map(s -> new Nearest.Suggestion(
                                hints.getOrDefault(s.word(), s.word()), s.close(), s.sameQuantity()))
                        .filter(s -> s.close() || valid.contains(s.word()))
                        .or(() -> Nearest.of(key, valid));
                nearest.filter(Nearest.Suggestion::close).ifPresent(s -> meant.add(s.word()));
                value.report("unknown key with value " + value.describe()
                        + nearest.map(Nearest.Suggestion::phrase).orElse(""));
            }
        });
        return meant;
    }

    private <T> Field<T> read(Node value, Function<Node, T> reader) {
        try {
            return Field.of(reader.apply(value), value);
        } catch (Problems.Rejected e) {
            return Field.rejected(value);
        } catch (IllegalArgumentException e) {
            value.report(e.getMessage());
            return Field.rejected(value);
        }
    }
}
