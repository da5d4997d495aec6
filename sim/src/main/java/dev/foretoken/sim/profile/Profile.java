package dev.foretoken.sim.profile;

import java.util.List;

/**
 * Timings of one card under one engine version.
 *
 * @param card catalogue id of the card
 * @param engine engine id: sglang, vllm; "link" for a link profile's all-reduce and gather curves
 * @param version engine version
 * @param source where the timings come from
 * @param state the card while it was timed
 * @param families curves by operation, dtype and kernel
 * @param notes remarks that concern whoever uses the curves, each a sentence
 */
public record Profile(
        String card,
        String engine,
        String version,
        ProfileSource source,
        CardState state,
        List<CurveFamily> families,
        List<String> notes) {
    public Profile {
        families = List.copyOf(families);
        notes = List.copyOf(notes);
        if (card == null || card.isBlank() || engine == null || engine.isBlank()) {
            throw new IllegalArgumentException("a profile names its card and engine: " + card + ", " + engine);
        }
        if (families.isEmpty()) {
            throw new IllegalArgumentException(card + "/" + engine + ": a profile without curves");
        }
    }

    /** "card/engine-version", the id that scenarios use. */
    public String id() {
        return card + "/" + engine + (version == null ? "" : "-" + version);
    }

    /** Families of an operation, in file order. */
    public List<CurveFamily> families(String op) {
        return families.stream().filter(f -> f.op().equals(op)).toList();
    }

    /** Families of an operation and dtype, in file order; several where the engine switches kernels. */
    public List<CurveFamily> families(String op, String dtype) {
        return families.stream()
                .filter(f -> f.op().equals(op) && f.dtype().equals(dtype))
                .toList();
    }

    /** The same profile with other families. */
    public Profile with(List<CurveFamily> other) {
        return new Profile(card, engine, version, source, state, other, notes);
    }
}
