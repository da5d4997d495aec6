package dev.foretoken.sim.method;

import java.util.List;

/** Every registered method. */
public final class Methods {
    private static final List<Method> ALL = List.of(
            new Autoregressive(),
            new Mtp(),
            new DflashLinear(),
            new DdtreeShadowLinear(),
            new Ddtree(),
            new Caddtree(),
            new CausalTree(),
            new Eagle3(),
            new Ngram(),
            new DraftModel());

    private Methods() {}

    /** All methods, in the order of listings. */
    public static List<Method> all() {
        return ALL;
    }

    /** Names of all kinds. */
    public static List<String> kinds() {
        return ALL.stream().map(Method::kind).toList();
    }

    /**
     * The method of a kind.
     *
     * @throws IllegalArgumentException when there is none; the message lists the kinds
     */
    public static Method byKind(String kind) {
        return ALL.stream()
                .filter(m -> m.kind().equals(kind))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException("unknown method kind " + kind + "; kinds are " + kinds()));
    }
}
