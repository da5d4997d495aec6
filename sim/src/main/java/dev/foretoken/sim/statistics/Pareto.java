package dev.foretoken.sim.statistics;

import java.util.ArrayList;
import java.util.List;

/** Points that no other point beats: more of the first coordinate and less of the second are better. */
public final class Pareto {
    private Pareto() {}

    /**
     * @param gain to be large, such as tokens per second
     * @param cost to be small, such as latency
     * @return indices of the undominated points in their order; equal points are both kept
     */
    public static List<Integer> front(double[] gain, double[] cost) {
        if (gain.length != cost.length) {
            throw new IllegalArgumentException(gain.length + " gains, " + cost.length + " costs");
        }
        List<Integer> front = new ArrayList<>();
        for (int i = 0; i < gain.length; i++) {
            boolean dominated = false;
            for (int j = 0; j < gain.length && !dominated; j++) {
                dominated = gain[j] >= gain[i] && cost[j] <= cost[i] && (gain[j] > gain[i] || cost[j] < cost[i]);
            }
            if (!dominated) {
                front.add(i);
            }
        }
        return front;
    }
}
