package dev.foretoken.sim.explore;

import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.scenario.LoadSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One load of the grid.
 *
 * @param label what results call it
 * @param clients closed-loop clients, null for open loops
 * @param think think time of closed-loop clients
 * @param staggered closed-loop clients start in different phases
 * @param ratePerS arrivals per second, null for closed loops and traces
 * @param burstiness shape of gamma inter-arrival times; null = Poisson
 * @param trace file of arrivals and lengths, null for other loads
 */
record OfferedLoad(
        Point.LoadPoint label,
        Integer clients,
        LoadSpec.ThinkTime think,
        boolean staggered,
        Double ratePerS,
        Double burstiness,
        String trace) {

    /** Mean think time, ms. */
    double thinkMs() {
        return think.meanMs();
    }

    /** True when the analytical model has an answer. */
    boolean analytical() {
        return clients != null || ratePerS != null && burstiness == null;
    }

    /** Every load of a scenario, axes expanded. */
    static List<OfferedLoad> of(List<LoadSpec> specs) {
        List<OfferedLoad> loads = new ArrayList<>();
        for (LoadSpec spec : specs) {
            if (spec instanceof LoadSpec.Closed c) {
                for (int n : c.concurrency()) {
                    Point.LoadPoint label = new Point.LoadPoint(c.kind(), n, null, null, null);
                    loads.add(new OfferedLoad(label, n, c.thinkTime(), c.staggered(), null, null, null));
                }
            } else if (spec instanceof LoadSpec.Poisson p) {
                for (double r : p.ratePerS()) {
                    loads.add(open(p.kind(), r, null));
                }
            } else if (spec instanceof LoadSpec.Gamma g) {
                for (double r : g.ratePerS()) {
                    for (double b : g.burstiness()) {
                        loads.add(open(g.kind(), r, b));
                    }
                }
            } else if (spec instanceof LoadSpec.Trace t) {
                String name = Path.of(t.file()).getFileName().toString();
                loads.add(new OfferedLoad(
                        new Point.LoadPoint(t.kind(), null, null, null, name),
                        null,
                        LoadSpec.ThinkTime.NONE,
                        false,
                        null,
                        null,
                        t.file()));
            }
        }
        return loads;
    }

    private static OfferedLoad open(String kind, double rate, Double burstiness) {
        return new OfferedLoad(
                new Point.LoadPoint(kind, null, rate, burstiness, null),
                null,
                LoadSpec.ThinkTime.NONE,
                false,
                rate,
                burstiness,
                null);
    }
}
