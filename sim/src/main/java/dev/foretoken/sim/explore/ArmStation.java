package dev.foretoken.sim.explore;

import dev.foretoken.sim.analytical.Station;
import dev.foretoken.sim.analytical.StationState;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.round.GraphPadding;
import dev.foretoken.sim.round.RoundTimeModel;
import dev.foretoken.sim.scenario.EngineSettings;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;
import org.apache.commons.math3.distribution.BinomialDistribution;

/**
 * One arm as a load-dependent station. Where a draft fires only sometimes (n-gram), the round time is averaged over the
 * binomial number of requests that have one.
 */
final class ArmStation implements Station {
    /** Largest batch whose firing requests are averaged over; in larger ones their number hardly varies. */
    private static final int MOST_AVERAGED = 2000;

    private final int maxResident;
    private final Prompts prompts;
    private final double contextTokens;
    private final IntFunction<Mode> modes;

    /**
     * Prompts of the arm.
     *
     * @param ms prefill of several prompts that share chunks, ms, by their number
     * @param perChunk prompts that a chunk holds, at least 1
     * @param fixedRounds whether every answer takes the same number of rounds
     */
    record Prompts(IntToDoubleFunction ms, int perChunk, boolean fixedRounds) {}

    /**
     * What runs with n resident requests.
     *
     * @param rounds mean rounds per answer
     * @param model times of a round
     * @param padding CUDA-graph padding
     * @param width query tokens of a request that drafts
     * @param fireRate chance that a request drafts in a round
     */
    record Mode(double rounds, RoundTimeModel model, GraphPadding padding, int width, double fireRate) {
        static Mode of(double rounds, RoundTimeModel model, Arm arm, EngineSettings engine) {
            return new Mode(
                    rounds,
                    model,
                    GraphPadding.of(engine.name(), engine.cudaGraphs(), engine.graphBatchSizes()),
                    arm.method().verifyWidth(arm, engine.name()),
                    arm.method().fireRate(arm));
        }
    }

    /**
     * @param modes mode by number of resident requests (one mode unless the budget adapts)
     * @param prompts prefill
     * @param contextTokens mean KV length of a resident request, tokens
     */
    ArmStation(IntFunction<Mode> modes, int maxResident, Prompts prompts, double contextTokens) {
        this.modes = modes;
        this.maxResident = maxResident;
        this.prompts = prompts;
        this.contextTokens = contextTokens;
    }

    @Override
    public int maxResident() {
        return maxResident;
    }

    @Override
    public double prefillMs(int count) {
        return prompts.ms().applyAsDouble(count);
    }

    @Override
    public int promptsPerChunk() {
        return prompts.perChunk();
    }

    @Override
    public boolean fixedRounds() {
        return prompts.fixedRounds();
    }

    @Override
    public StationState at(int n) {
        Mode m = modes.apply(n);
        if (m.fireRate == 1.0 || m.width == 1) {
            long rows = m.padding.rows(n, m.width);
            return new StationState(
                    m.rounds, m.model.roundMs(n, rows, contextTokens, contextTokens), prefillMs(1), rows);
        }
        if (n > MOST_AVERAGED) {
            long expected = n + Math.round(n * m.fireRate) * (m.width - 1L);
            long padded = m.padding.rows(n, m.width, expected);
            return new StationState(
                    m.rounds, m.model.roundMs(n, padded, contextTokens, contextTokens), prefillMs(1), padded);
        }
        BinomialDistribution firing = new BinomialDistribution(null, n, m.fireRate);
        double ms = 0;
        double rows = 0;
        double mass = 0;
        // Beyond eight standard deviations the mass is below 1e-15.
        double mean = n * m.fireRate;
        double reach = 8 * Math.sqrt(mean * (1 - m.fireRate)) + 8;
        int from = (int) Math.max(0, Math.floor(mean - reach));
        int to = (int) Math.min(n, Math.ceil(mean + reach));
        for (int k = from; k <= to; k++) {
            double p = firing.probability(k);
            if (p == 0) {
                continue;
            }
            long r = m.padding.rows(n, k == 0 ? 1 : m.width, n + (long) k * (m.width - 1));
            ms += p * m.model.roundMs(n, r, contextTokens, contextTokens);
            rows += p * r;
            mass += p;
        }
        return new StationState(m.rounds, ms / mass, prefillMs(1), rows / mass);
    }
}
