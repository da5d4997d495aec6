package dev.foretoken.sim.serving;

import dev.foretoken.sim.random.CounterRandom;
import dev.foretoken.sim.random.CounterRandom.Purpose;

/**
 * Clients with one request at a time. A request's identity is (client, number of the request), so its lengths and rounds
 * are the same whatever the order of completions.
 *
 * <p>Staggered start: every client's first request begins in mid-phase, as in a loop that has run for long. Client i of N
 * has emitted a share of it, the shares evenly spaced with one random offset; what it has emitted counts as cached context,
 * so that the loop has its steady number of residents and contexts from the first round on. These requests count in no
 * figure.
 */
final class ClosedArrivals implements ArrivalSource {
    private final Load.Closed load;
    private final long runKey;
    private final int[] served;

    ClosedArrivals(Load.Closed load, long runKey) {
        this.load = load;
        this.runKey = runKey;
        served = new int[load.clients()];
    }

    @Override
    public void start(ServingEngine engine) {
        for (int client = 0; client < load.clients(); client++) {
            engine.scheduleArrival(0, client);
        }
    }

    @Override
    public void arrive(ServingEngine engine, int client) {
        int number = served[client]++;
        long id = ((long) client << 32) | number;
        if (number > 0 || !load.staggered()) {
            engine.submitDrawn(id, client);
            return;
        }
        double offset = CounterRandom.uniform(CounterRandom.streamKey(runKey, Purpose.START, 0), 0);
        engine.submitPartial(id, client, (client + offset) / load.clients());
    }

    @Override
    public void done(ServingEngine engine, int client) {
        double u = CounterRandom.uniform(CounterRandom.streamKey(runKey, Purpose.THINK, client), served[client]);
        engine.scheduleArrival(engine.afterMs(load.thinkTime().atMs(u)), client);
    }

    @Override
    public boolean exhausted() {
        return false;
    }
}
