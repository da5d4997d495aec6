package dev.foretoken.validation.validate;

import dev.foretoken.formats.document.Nearest;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.method.Method;
import dev.foretoken.sim.method.Methods;
import dev.foretoken.sim.method.Param;
import dev.foretoken.sim.scenario.MethodSpec;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.validation.compare.Cell;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which arm of a scenario a server runs. A server runs one; the user names it where the scenario has several.
 *
 * @param method method id, null = the only one
 * @param budget tree nodes, null = the only ones
 * @param topK ranks per depth, null = the only ones
 * @param tp cards of the replica, null = the only ones
 * @param with values by parameter of the method, such as steps; a parameter that is not named = its only value
 */
public record ArmChoice(String method, Integer budget, Integer topK, Integer tp, Map<String, String> with) {
    private static final String SEVERAL =
            "a server runs one method, the scenario has several: say which one it runs, with ";

    public static final ArmChoice ONLY = new ArmChoice(null, null, null, null);

    public ArmChoice {
        with = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(with));
    }

    /** Without parameters but budget and top-k. */
    public ArmChoice(String method, Integer budget, Integer topK, Integer tp) {
        this(method, budget, topK, tp, Map.of());
    }

    /**
     * Parameters from words such as {@code steps=2}.
     *
     * @throws IllegalArgumentException for a word that is no KEY=VALUE, and for a key with two values
     */
    public static Map<String, String> parameters(List<String> words) {
        Map<String, String> with = new LinkedHashMap<>();
        for (String word : words) {
            int eq = word.indexOf('=');
            if (eq < 1 || eq == word.length() - 1) {
                throw new IllegalArgumentException("not KEY=VALUE, such as steps=2: " + word);
            }
            String key = word.substring(0, eq).strip();
            String value = word.substring(eq + 1).strip();
            String before = with.put(key, value);
            if (before != null && !before.equals(value)) {
                throw new IllegalArgumentException(key + " has two values: " + before + " and " + value);
            }
        }
        return with;
    }

    /** The same choice of another method; parameters that its kind does not have are dropped. */
    public ArmChoice of(String id, Scenario scenario) {
        Set<String> keys = new LinkedHashSet<>();
        scenario.methods().stream()
                .filter(m -> m.id().equals(id))
                .forEach(m -> Methods.byKind(m.kind()).params().forEach(p -> keys.add(p.name())));
        Map<String, String> kept = new LinkedHashMap<>(with);
        kept.keySet().removeIf(k -> !keys.contains(k) && known(scenario.methods(), k));
        return new ArmChoice(
                id, keys.contains(Method.BUDGET) ? budget : null, keys.contains(Method.TOP_K) ? topK : null, tp, kept);
    }

    private static boolean known(List<MethodSpec> methods, String key) {
        return methods.stream()
                .anyMatch(m -> Methods.byKind(m.kind()).params().stream()
                        .anyMatch(p -> p.name().equals(key)));
    }

    /**
     * The arm.
     *
     * @throws IllegalArgumentException naming the candidates when there is not exactly one
     */
    public Arm arm(Scenario scenario) {
        List<Arm> arms = candidates(scenario);
        if (arms.size() == 1) {
            return arms.get(0);
        }
        throw new IllegalArgumentException(
                "a server runs one method, the scenario has several: say which one it runs with "
                        + options(scenario, arms));
    }

    /**
     * Every arm that the choice leaves, at least one.
     *
     * @throws IllegalArgumentException when the scenario has no such method, parameter or value; the message has the nearest
     */
    public List<Arm> candidates(Scenario scenario) {
        List<String> ids = scenario.methods().stream().map(MethodSpec::id).toList();
        if (method != null && !ids.contains(method)) {
            throw new IllegalArgumentException("the scenario has no method " + method + Nearest.phrase(method, ids)
                    + "; it has " + String.join(", ", ids));
        }
        List<MethodSpec> methods = scenario.methods().stream()
                .filter(m -> method == null || m.id().equals(method))
                .toList();
        List<Arm> arms = new ArrayList<>();
        methods.forEach(m -> arms.addAll(distinct(m)));
        Map<String, String> wanted = new LinkedHashMap<>(with);
        put(wanted, Method.BUDGET, budget);
        put(wanted, Method.TOP_K, topK);
        for (Map.Entry<String, String> w : wanted.entrySet()) {
            checkKey(methods, w.getKey());
            String values = arms.stream()
                    .filter(a -> a.values().containsKey(w.getKey()))
                    .map(a -> String.valueOf(a.values().get(w.getKey())))
                    .distinct()
                    .collect(Collectors.joining(", "));
            arms.removeIf(a -> !same(a.values().get(w.getKey()), w.getValue()));
            if (arms.isEmpty()) {
                throw new IllegalArgumentException(
                        (method == null ? "no method of the scenario has " : "the scenario's " + method + " has no ")
                                + w.getKey() + " " + w.getValue()
                                + (values.isEmpty() ? "" : "; its values are " + values));
            }
        }
        return arms;
    }

    private static void put(Map<String, String> wanted, String key, Integer value) {
        if (value != null) {
            String before = wanted.put(key, value.toString());
            if (before != null && !same(value, before)) {
                throw new IllegalArgumentException(key + " has two values: " + before + " and " + value);
            }
        }
    }

    private void checkKey(List<MethodSpec> methods, String key) {
        Set<String> valid = new LinkedHashSet<>();
        methods.forEach(
                m -> Methods.byKind(m.kind()).params().stream().map(Param::name).forEach(valid::add));
        if (!valid.contains(key)) {
            throw new IllegalArgumentException(
                    (method == null ? "no method of the scenario has a parameter " : method + " has no parameter ")
                            + key
                            + (valid.isEmpty()
                                    ? ": it has none"
                                    : Nearest.phrase(key, valid) + "; parameters are " + String.join(", ", valid)));
        }
    }

    private static boolean same(Object value, String written) {
        if (value instanceof Number n) {
            try {
                return n.doubleValue() == Double.parseDouble(written);
            } catch (NumberFormatException e) {
                return false;
            }
        }
        return value != null && value.toString().equals(written);
    }

    /** Arms of a method; those that are the same after clamping count once. */
    private static List<Arm> distinct(MethodSpec spec) {
        Map<Map<String, Object>, Arm> arms = new LinkedHashMap<>();
        Arm.expand(spec).forEach(a -> arms.putIfAbsent(a.values(), a));
        return List.copyOf(arms.values());
    }

    /** Parameters, with values, that tell an arm from the other arms of its method in the scenario; empty when it is alone. */
    static Map<String, Object> toldApartBy(Scenario scenario, Arm arm) {
        List<Arm> siblings = scenario.methods().stream()
                .filter(m -> m.id().equals(arm.id()))
                .flatMap(m -> distinct(m).stream())
                .toList();
        Map<String, Object> told = new LinkedHashMap<>();
        arm.values().forEach((k, v) -> {
            if (siblings.stream().anyMatch(a -> !Objects.equals(a.values().get(k), v))) {
                told.put(k, v);
            }
        });
        return told;
    }

    /** The cell of an arm under a load of the scenario. */
    static Cell cell(Scenario scenario, Arm arm, int tp, String workload, String load) {
        Map<String, Object> told = toldApartBy(scenario, arm);
        told.remove(Method.BUDGET);
        told.remove(Method.TOP_K);
        return new Cell(tp, arm.id(), arm.budget(), arm.topK(), told.isEmpty() ? null : told, workload, load);
    }

    /** The choice of a cell's arm. */
    public static ArmChoice of(Cell cell) {
        Map<String, String> with = new LinkedHashMap<>();
        if (cell.parameters() != null) {
            cell.parameters().forEach((k, v) -> with.put(k, String.valueOf(v)));
        }
        return new ArmChoice(cell.method(), cell.budget(), cell.topK(), cell.tp(), with);
    }

    /** The options that name each of some arms, such as {@code --method ar, --method mtp --with steps=1|2|3}. */
    static String options(Scenario scenario, List<Arm> arms) {
        Map<String, String> methods = byMethod(scenario, arms);
        return (methods.size() > 1 ? "one of " : "")
                + methods.entrySet().stream()
                        .map(e -> "--method " + e.getKey() + (e.getValue().isEmpty() ? "" : " --with " + e.getValue()))
                        .collect(Collectors.joining(", "));
    }

    /** The same for one of several files: {@code ar, mtp:steps=1|2|3}. */
    static String optionsOfFile(Scenario scenario, List<Arm> arms) {
        return byMethod(scenario, arms).entrySet().stream()
                .map(e -> e.getKey()
                        + (e.getValue().isEmpty() ? "" : ":" + e.getValue().replace(',', ':')))
                .collect(Collectors.joining(", "));
    }

    /** By method what tells its arms apart: {@code steps=1|2|3}, several parameters with commas between. */
    private static Map<String, String> byMethod(Scenario scenario, List<Arm> arms) {
        Map<String, Map<String, Set<String>>> values = new LinkedHashMap<>();
        for (Arm a : arms) {
            Map<String, Set<String>> of = values.computeIfAbsent(a.id(), k -> new LinkedHashMap<>());
            toldApartBy(scenario, a)
                    .forEach((k, v) ->
                            of.computeIfAbsent(k, x -> new LinkedHashSet<>()).add(String.valueOf(v)));
        }
        Map<String, String> words = new LinkedHashMap<>();
        values.forEach((id, of) -> words.put(
                id,
                of.entrySet().stream()
                        .map(e -> e.getKey() + "=" + String.join("|", e.getValue()))
                        .collect(Collectors.joining(","))));
        return words;
    }

    /**
     * Refuses a choice that leaves several arms or TP sizes, naming all options that are missing at once.
     *
     * @throws IllegalArgumentException with the options and their values
     */
    public void check(Scenario scenario) {
        List<Arm> arms = candidates(scenario);
        boolean severalTp = tp == null && scenario.tpSizes().size() > 1;
        if (arms.size() > 1) {
            throw new IllegalArgumentException(SEVERAL
                    + options(scenario, arms)
                    + (severalTp ? "; and on how many cards, with --tp " + words(scenario.tpSizes()) : ""));
        }
        tpOf(scenario);
    }

    private static String words(List<Integer> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining("|"));
    }

    /** Cards of the replica. */
    public int tpOf(Scenario scenario) {
        if (tp != null) {
            if (!scenario.tpSizes().contains(tp)) {
                throw new IllegalArgumentException(
                        "tp " + tp + " is not in the scenario, which has tp " + words(scenario.tpSizes()));
            }
            return tp;
        }
        if (scenario.tpSizes().size() != 1) {
            throw new IllegalArgumentException("the scenario has several TP sizes: say which one the server runs with"
                    + " --tp " + words(scenario.tpSizes()));
        }
        return scenario.tpSizes().get(0);
    }
}
