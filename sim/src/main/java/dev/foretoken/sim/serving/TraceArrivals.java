package dev.foretoken.sim.serving;

import java.util.Iterator;

/** Arrivals of a trace, read one ahead. */
final class TraceArrivals implements ArrivalSource {
    private final String name;
    private final Iterator<TraceRequest> requests;
    private TraceRequest next;
    private int number;

    TraceArrivals(String name, Iterator<TraceRequest> requests) {
        this.name = name;
        this.requests = requests;
    }

    @Override
    public void start(ServingEngine engine) {
        if (!requests.hasNext()) {
            throw new SimulationRefused(SimulationRefused.Reason.BAD_LOAD, name + " has no requests");
        }
        advance(engine);
    }

    @Override
    public void arrive(ServingEngine engine, int data) {
        engine.submitTraced(number++, next);
        advance(engine);
    }

    private void advance(ServingEngine engine) {
        if (!requests.hasNext()) {
            next = null;
            return;
        }
        TraceRequest following = requests.next();
        if (next != null && following.arrivalNs() < next.arrivalNs()) {
            throw new SimulationRefused(
                    SimulationRefused.Reason.BAD_LOAD,
                    name + " is not sorted: request " + number + " arrives at " + following.arrivalNs() / 1e9
                            + " s after one at " + next.arrivalNs() / 1e9 + " s");
        }
        next = following;
        engine.scheduleArrival(next.arrivalNs(), 0);
    }

    @Override
    public boolean exhausted() {
        return next == null;
    }
}
