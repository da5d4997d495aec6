package dev.foretoken.validation.server;

import java.util.List;
import java.util.Locale;

/** Registered engines; the first that recognises a server's pages is used. */
public final class EngineAdapters {
    private static final List<EngineAdapter> ALL = List.of(
            new SglangAdapter(), new VllmAdapter(), new LlamaCppAdapter(), new TrtLlmAdapter(), new GenericAdapter());

    private EngineAdapters() {}

    /** Every adapter; the last one takes any server. */
    public static List<EngineAdapter> all() {
        return ALL;
    }

    /** The adapter for these pages. */
    public static EngineAdapter recognise(ServerPages pages) {
        return ALL.stream().filter(a -> a.recognises(pages)).findFirst().orElseThrow();
    }

    /** The adapter that sends standard fields only. */
    public static EngineAdapter generic() {
        return ALL.get(ALL.size() - 1);
    }

    static String shortNumber(double v) {
        String s = String.format(Locale.ROOT, "%.4f", v);
        return s.contains(".") ? s.replaceAll("0+$", "").replaceAll("\\.$", "") : s;
    }
}
