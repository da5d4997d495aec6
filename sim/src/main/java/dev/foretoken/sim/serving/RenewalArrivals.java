package dev.foretoken.sim.serving;

import dev.foretoken.sim.random.CounterRandom;
import dev.foretoken.sim.random.CounterRandom.Purpose;
import org.apache.commons.rng.sampling.distribution.AhrensDieterMarsagliaTsangGammaSampler;
import org.apache.commons.rng.sampling.distribution.SharedStateContinuousSampler;

/** Arrivals with independent gamma inter-arrival times; exponential ones by inversion. */
final class RenewalArrivals implements ArrivalSource {
    private final Load.Arrivals load;
    private final long stream;
    private final CounterRandom random = new CounterRandom();
    private final SharedStateContinuousSampler gamma;
    private int number;

    RenewalArrivals(Load.Arrivals load, long runKey) {
        this.load = load;
        stream = CounterRandom.streamKey(runKey, Purpose.ARRIVAL, 0);
        gamma = load.burstiness() == 1
                ? null
                : AhrensDieterMarsagliaTsangGammaSampler.of(
                        random, load.burstiness(), 1000 / (load.ratePerS() * load.burstiness()));
    }

    @Override
    public void start(ServingEngine engine) {
        scheduleNext(engine);
    }

    @Override
    public void arrive(ServingEngine engine, int data) {
        engine.submitDrawn(number++, 0);
        scheduleNext(engine);
    }

    private void scheduleNext(ServingEngine engine) {
        double gapMs;
        if (gamma == null) {
            gapMs = -1000 / load.ratePerS() * Math.log1p(-CounterRandom.uniform(stream, number));
        } else {
            random.reset(CounterRandom.streamKey(stream, Purpose.ARRIVAL, number));
            gapMs = gamma.sample();
        }
        engine.scheduleArrival(engine.afterMs(gapMs), 0);
    }

    @Override
    public boolean exhausted() {
        return false;
    }
}
