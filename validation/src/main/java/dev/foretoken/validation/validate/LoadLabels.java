package dev.foretoken.validation.validate;

import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.scenario.LoadSpec;
import java.util.List;

/** Labels of loads as results print them, and back. */
public final class LoadLabels {
    private LoadLabels() {}

    /** Label of a load with one value per axis. */
    public static String of(LoadSpec load) {
        if (load instanceof LoadSpec.Closed c) {
            return closed(c.concurrency().get(0));
        }
        if (load instanceof LoadSpec.Poisson p) {
            return new Point.LoadPoint("poisson", null, p.ratePerS().get(0), null, null).label();
        }
        if (load instanceof LoadSpec.Gamma g) {
            return new Point.LoadPoint(
                            "gamma", null, g.ratePerS().get(0), g.burstiness().get(0), null)
                    .label();
        }
        return ((LoadSpec.Trace) load).file();
    }

    /** Label of a closed loop. */
    public static String closed(int concurrency) {
        return new Point.LoadPoint("closed", concurrency, null, null, null).label();
    }

    /** Label of Poisson arrivals. */
    public static String poisson(double ratePerS) {
        return new Point.LoadPoint("poisson", null, ratePerS, null, null).label();
    }

    /** A closed or Poisson load from its label. */
    public static LoadSpec parse(String label) {
        try {
            if (label.startsWith("c=")) {
                return new LoadSpec.Closed(List.of(Integer.valueOf(label.substring(2))), LoadSpec.ThinkTime.NONE, true);
            }
            if (label.endsWith("/s")) {
                return new LoadSpec.Poisson(List.of(Double.valueOf(label.substring(0, label.length() - 2))));
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("not a load: " + label, e);
        }
        throw new IllegalArgumentException("the scenario has no load " + label);
    }
}
