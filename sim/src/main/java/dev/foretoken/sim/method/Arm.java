package dev.foretoken.sim.method;

import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.MethodSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One method with every parameter fixed: a cell of the grid's method axes.
 *
 * @param id the method's id in the scenario
 * @param method its kind
 * @param values parameter values by name, defaults filled in, absent ones missing
 * @param engine engine flags that only this method runs with (NONE when it has none)
 * @param notes what was normalised, each a sentence
 */
public record Arm(String id, Method method, Map<String, Object> values, EngineSettings engine, List<String> notes) {
    public Arm {
        values = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(values));
        notes = List.copyOf(notes);
    }

    /** Contract name of the kind. */
    public String kind() {
        return method.kind();
    }

    /** True when the arm drafts: not autoregressive and not a tree of budget 0. */
    public boolean speculative() {
        return method.maxAccepted(this) > 0;
    }

    /** Value of a whole-number parameter, null when absent. */
    public Integer integer(String name) {
        return (Integer) values.get(name);
    }

    /** Value of a real parameter, null when absent. */
    public Double real(String name) {
        return (Double) values.get(name);
    }

    /** Value of a boolean parameter, false when absent. */
    public boolean flag(String name) {
        return Boolean.TRUE.equals(values.get(name));
    }

    /** Value of a name parameter, null when absent. */
    public String text(String name) {
        return (String) values.get(name);
    }

    /** Tree nodes without the root, null where the kind has no budget. */
    public Integer budget() {
        return integer(Method.BUDGET);
    }

    /** Cap on ranks per depth, null where absent. */
    public Integer topK() {
        return integer(Method.TOP_K);
    }

    /** The same arm with another value of one parameter. */
    public Arm with(String name, Object value) {
        Map<String, Object> copy = new LinkedHashMap<>(values);
        copy.put(name, value);
        return new Arm(id, method, copy, engine, notes);
    }

    /**
     * Every arm of a method: the Cartesian product of its axes, in the order written.
     *
     * @throws IllegalArgumentException naming the parameter and value when one is unknown, missing or impossible
     */
    public static List<Arm> expand(MethodSpec spec) {
        Method method = Methods.byKind(spec.kind());
        Map<String, List<Object>> axes = new LinkedHashMap<>();
        for (Param p : method.params()) {
            List<Object> given = spec.values().get(p.name());
            if (given != null) {
                List<Object> checked = new ArrayList<>();
                for (Object v : given) {
                    checked.add(p.check(v));
                }
                axes.put(p.name(), checked);
            } else if (p.required()) {
                throw new IllegalArgumentException(
                        spec.id() + " (" + spec.kind() + ") needs " + p.name() + ", " + p.meaning());
            } else if (p.defaultValue() != null) {
                axes.put(p.name(), List.of(p.defaultValue()));
            }
        }
        for (String key : spec.values().keySet()) {
            if (method.params().stream().noneMatch(p -> p.name().equals(key))) {
                throw new IllegalArgumentException(spec.kind() + " has no parameter " + key);
            }
        }
        List<Map<String, Object>> cells = new ArrayList<>();
        cells.add(new LinkedHashMap<>());
        for (Map.Entry<String, List<Object>> axis : axes.entrySet()) {
            List<Map<String, Object>> next =
                    new ArrayList<>(cells.size() * axis.getValue().size());
            for (Map<String, Object> cell : cells) {
                for (Object v : axis.getValue()) {
                    Map<String, Object> copy = new LinkedHashMap<>(cell);
                    copy.put(axis.getKey(), v);
                    next.add(copy);
                }
            }
            cells = next;
        }
        List<Arm> arms = new ArrayList<>(cells.size());
        for (Map<String, Object> cell : cells) {
            arms.add(method.normalise(new Arm(spec.id(), method, cell, spec.engine(), List.of())));
        }
        return arms;
    }
}
