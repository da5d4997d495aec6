package dev.foretoken.validation.compare;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.foretoken.sim.result.Point;

/**
 * What a figure belongs to: one arm on tp cards under one load.
 *
 * @param tp cards of the replica
 * @param method method id
 * @param budget tree nodes, null where the method has none
 * @param topK ranks per depth, null where the method has none
 * @param workload workload id
 * @param load label of the load, such as c=8 or 2.0/s
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Cell(int tp, String method, Integer budget, Integer topK, String workload, String load) {

    /** The cell of a point of a result. */
    public static Cell of(Point p) {
        return new Cell(
                p.tp(), p.method(), p.budget(), p.topK(), p.workload(), p.load().label());
    }

    /** Cells that differ in method only are rivals. */
    public String rivals() {
        return tp + "/" + workload + "/" + load;
    }

    @Override
    public String toString() {
        return "tp " + tp + " " + method + (budget == null ? "" : " budget " + budget)
                + (topK == null ? "" : " top-k " + topK) + " " + workload + " " + load;
    }
}
