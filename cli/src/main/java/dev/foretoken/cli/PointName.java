package dev.foretoken.cli;

import dev.foretoken.sim.method.Method;
import dev.foretoken.sim.scenario.MethodSpec;
import dev.foretoken.sim.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a point's label leaves out and a file's name needs: method parameters that are axes, what the load varies, the variant. */
final class PointName {
    /** Parameters that the label names itself. */
    private static final Set<String> NAMED = Set.of(Method.BUDGET, Method.TOP_K);

    private PointName() {}

    /**
     * The label with what sets the point apart from others of its scenario.
     *
     * @param label names the point for people
     * @param key names the point across runs of the scenario: variant, TP, method id, its values, workload and load, with bars
     *     between
     */
    static String of(Scenario scenario, String key, String label) {
        List<String> parts = new ArrayList<>();
        for (MethodSpec m : scenario.methods()) {
            if (!key.contains("|" + m.id() + "|")) {
                continue;
            }
            m.values().forEach((name, values) -> {
                if (values.size() > 1 && !NAMED.contains(name)) {
                    Matcher at = Pattern.compile("[{ ]" + Pattern.quote(name) + "=([^,}|]*)")
                            .matcher(key);
                    if (at.find()) {
                        parts.add(name + "=" + at.group(1));
                    }
                }
            });
        }
        if (key.contains("dist=exponential")) {
            parts.add("exponential");
        }
        if (label.contains(", c=") && key.contains("staggered=false")) {
            parts.add("together");
        }
        scenario.variant().forEach((name, value) -> parts.add(name + "=" + value));
        return parts.isEmpty() ? label : label + ", " + String.join(", ", parts);
    }
}
