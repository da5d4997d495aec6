package dev.foretoken.sim.explore;

import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.scenario.LoadSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * One load of the grid that the analytical model can answer.
 *
 * @param label what results call it
 * @param clients closed-loop clients, null for open loops
 * @param thinkMs mean think time, ms
 * @param exponentialThink think times are exponential (or 0)
 * @param ratePerS Poisson arrivals per second, null for closed loops
 */
record OfferedLoad(Point.LoadPoint label, Integer clients, double thinkMs, boolean exponentialThink, Double ratePerS) {

    /** Loads of a scenario; what only simulation can answer goes to {@code left} as sentences. */
    static List<OfferedLoad> of(List<LoadSpec> specs, List<String> left) {
        List<OfferedLoad> loads = new ArrayList<>();
        for (LoadSpec spec : specs) {
            if (spec instanceof LoadSpec.Closed closed) {
                for (int n : closed.concurrency()) {
                    LoadSpec.ThinkTime z = closed.thinkTime();
                    loads.add(new OfferedLoad(
                            new Point.LoadPoint("closed", n, null, null, null),
                            n,
                            z.meanMs(),
                            z.meanMs() == 0 || z.dist().equals(LoadSpec.ThinkTime.EXPONENTIAL),
                            null));
                }
            } else if (spec instanceof LoadSpec.Poisson poisson) {
                for (double r : poisson.ratePerS()) {
                    loads.add(new OfferedLoad(new Point.LoadPoint("poisson", null, r, null, null), null, 0, true, r));
                }
            } else {
                left.add("load " + spec.kind()
                        + " is left out: the analytical model has no answer for it, simulate does");
            }
        }
        return loads;
    }
}
