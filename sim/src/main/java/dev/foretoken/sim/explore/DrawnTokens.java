package dev.foretoken.sim.explore;

import dev.foretoken.sim.analytical.MixedCycle;
import dev.foretoken.sim.analytical.Station;
import dev.foretoken.sim.analytical.StationState;
import java.util.function.IntToDoubleFunction;

/**
 * A station whose rows are the tokens that its requests draw in a round. Means of rows and of resident requests are over the
 * same rounds, so their ratio is the mean of tokens per request and round, weighted by requests and rounds.
 *
 * @param station what runs
 * @param acceptLength tokens per request and round with n resident requests
 */
record DrawnTokens(Station station, IntToDoubleFunction acceptLength) implements Station {
    @Override
    public StationState at(int n) {
        StationState s = station.at(n);
        return new StationState(s.rounds(), s.roundMs(), s.prefillMs(), n * acceptLength.applyAsDouble(n));
    }

    @Override
    public int maxResident() {
        return station.maxResident();
    }

    @Override
    public double prefillMs(int prompts) {
        return station.prefillMs(prompts);
    }

    @Override
    public MixedCycle mixed(int n, boolean fluctuating) {
        return station.mixed(n, fluctuating);
    }

    @Override
    public int promptsPerChunk() {
        return station.promptsPerChunk();
    }

    @Override
    public boolean fixedRounds() {
        return station.fixedRounds();
    }
}
