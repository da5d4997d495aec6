package dev.foretoken.validation.compare;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Under which conditions a figure was measured or predicted. Null = not known: it neither agrees nor differs, and is asked for.
 *
 * @param gpu card
 * @param tp tensor parallel size
 * @param model served model
 * @param quantization weight format
 * @param contextTokens prompt length, tokens
 * @param outputTokens answer length, tokens
 * @param load label of the load
 * @param engine engine
 * @param version engine version
 * @param slots requests the server runs at once
 * @param powerLimitW power cap of the card, W
 * @param p2p peer-to-peer between cards
 * @param cudaGraphs CUDA graphs on
 * @param overlap overlap scheduling on
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Conditions(
        String gpu,
        Integer tp,
        String model,
        String quantization,
        Double contextTokens,
        Double outputTokens,
        String load,
        String engine,
        String version,
        Integer slots,
        Double powerLimitW,
        Boolean p2p,
        Boolean cudaGraphs,
        Boolean overlap) {

    private static final double SAME_LENGTH = 0.1;

    /** Names of what can differ, in the order of {@link #differences}. */
    public static final List<String> NAMES = List.of(
            "card",
            "tp",
            "model",
            "quantisation",
            "load",
            "context",
            "output length",
            "engine",
            "server slots",
            "power limit",
            "peer-to-peer",
            "CUDA graphs",
            "overlap scheduling");

    /** Nothing known. */
    public static final Conditions UNKNOWN =
            new Conditions(null, null, null, null, null, null, null, null, null, null, null, null, null, null);

    /** What must agree for a comparison: differences, each as "name: a against b". */
    public List<String> differences(Conditions o) {
        List<String> d = new ArrayList<>();
        differ(d, "card", gpu, o.gpu);
        differ(d, "tp", tp, o.tp);
        differ(d, "model", model, o.model);
        differ(d, "quantisation", quantization, o.quantization);
        differ(d, "load", load, o.load);
        lengths(d, "context", contextTokens, o.contextTokens);
        lengths(d, "output length", outputTokens, o.outputTokens);
        differ(d, "engine", engine, o.engine);
        differ(d, "server slots", slots, o.slots);
        differ(d, "power limit", powerLimitW, o.powerLimitW);
        differ(d, "peer-to-peer", p2p, o.p2p);
        differ(d, "CUDA graphs", cudaGraphs, o.cudaGraphs);
        differ(d, "overlap scheduling", overlap, o.overlap);
        return d;
    }

    private static void differ(List<String> d, String name, Object a, Object b) {
        if (a == null || b == null) {
            return;
        }
        boolean same = a instanceof String x && b instanceof String y ? sameName(x, y) : Objects.equals(a, b);
        if (!same) {
            d.add(name + ": " + a + " against " + b);
        }
    }

    /**
     * Whether two spellings can mean the same: the words of one are among those of the other, such as rtx-pro-6000-server and
     * NVIDIA RTX PRO 6000 Blackwell Server Edition, or qwen3-8b and Qwen/Qwen3-8B.
     */
    public static boolean sameName(String a, String b) {
        Set<String> x = words(a);
        Set<String> y = words(b);
        return !x.isEmpty() && !y.isEmpty() && (x.containsAll(y) || y.containsAll(x));
    }

    private static Set<String> words(String name) {
        Set<String> words = new LinkedHashSet<>();
        for (String w : name.toLowerCase(Locale.ROOT).split("[^a-z0-9.]+")) {
            if (!w.isEmpty()) {
                words.add(w);
            }
        }
        return words;
    }

    private static void lengths(List<String> d, String name, Double a, Double b) {
        if (a != null && b != null && Math.abs(a - b) > SAME_LENGTH * Math.max(1, Math.max(a, b))) {
            d.add(name + ": " + Math.round(a) + " against " + Math.round(b) + " tokens");
        }
    }

    /** Names of what must be known for a comparison and is not. */
    public List<String> missing() {
        Map<String, Object> needed = new LinkedHashMap<>();
        needed.put("card", gpu);
        needed.put("tp", tp);
        needed.put("model", model);
        needed.put("quantisation", quantization);
        needed.put("load", load);
        needed.put("context", contextTokens);
        List<String> m = new ArrayList<>();
        needed.forEach((name, v) -> {
            if (v == null) {
                m.add(name);
            }
        });
        return m;
    }

    /** Parts that are null here are taken from the other. */
    public Conditions orElse(Conditions o) {
        return new Conditions(
                first(gpu, o.gpu),
                first(tp, o.tp),
                first(model, o.model),
                first(quantization, o.quantization),
                first(contextTokens, o.contextTokens),
                first(outputTokens, o.outputTokens),
                first(load, o.load),
                first(engine, o.engine),
                first(version, o.version),
                first(slots, o.slots),
                first(powerLimitW, o.powerLimitW),
                first(p2p, o.p2p),
                first(cudaGraphs, o.cudaGraphs),
                first(overlap, o.overlap));
    }

    private static <T> T first(T a, T b) {
        return a != null ? a : b;
    }
}
