package dev.foretoken.validation.compare;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a figure belongs to: one arm on tp cards under one load.
 *
 * @param tp cards of the replica
 * @param method method id
 * @param budget tree nodes, null where the method has none
 * @param topK ranks per depth, null where the method has none
 * @param parameters further parameters that tell the arm from others of its method in the scenario, such as steps; null where
 *     there are none
 * @param workload workload id
 * @param load label of the load, such as c=8 or 2.0/s
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Cell(
        int tp,
        String method,
        Integer budget,
        Integer topK,
        Map<String, Object> parameters,
        String workload,
        String load) {

    public Cell {
        if (parameters != null) {
            Map<String, Object> copy = new LinkedHashMap<>();
            parameters.forEach((k, v) -> copy.put(k, whole(v)));
            parameters = java.util.Collections.unmodifiableMap(copy);
        }
    }

    /** Numbers compare by value however a file wrote them. */
    private static Object whole(Object v) {
        if (!(v instanceof Number n)) {
            return v;
        }
        double d = n.doubleValue();
        return d == Math.rint(d) && Math.abs(d) < Integer.MAX_VALUE ? (Object) (int) d : (Object) d;
    }

    /** An arm that method, budget and top-k name. */
    public Cell(int tp, String method, Integer budget, Integer topK, String workload, String load) {
        this(tp, method, budget, topK, null, workload, load);
    }

    /** Cells that differ in method only are rivals. */
    public String rivals() {
        return tp + "/" + workload + "/" + load;
    }

    /** The parameters in words, such as {@code steps=2}; null where there are none. */
    public String parameterWords() {
        if (parameters == null || parameters.isEmpty()) {
            return null;
        }
        StringBuilder s = new StringBuilder();
        parameters.forEach((k, v) ->
                s.append(s.length() == 0 ? "" : ",").append(k).append('=').append(v));
        return s.toString();
    }

    /** The arm in words: method and what tells it from others of its method. */
    public String arm() {
        return method
                + (budget == null ? "" : " budget " + budget)
                + (topK == null ? "" : " top-k " + topK)
                + (parameterWords() == null ? "" : " " + parameterWords());
    }

    @Override
    public String toString() {
        return "tp " + tp + " " + arm() + " " + workload + " " + load;
    }
}
