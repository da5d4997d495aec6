package dev.foretoken.sim.explore;

import dev.foretoken.sim.analytical.MixedCycle;
import dev.foretoken.sim.analytical.MixedSteps;
import dev.foretoken.sim.analytical.Station;
import dev.foretoken.sim.analytical.StationState;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.round.GraphPadding;
import dev.foretoken.sim.round.RoundTimeModel;
import dev.foretoken.sim.scenario.EngineSettings;
import java.util.HashMap;
import java.util.Map;
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
    private final MixedPrompts mixedPrompts;
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
     * Prompts that share steps with decode rows.
     *
     * @param budgetTokens prompt tokens and decode rows of a step
     * @param promptTokens tokens of a prompt to compute, more than 0
     * @param cachedTokens tokens of it that are in the prefix cache
     * @param stepsAhead steps that are scheduled before the first of them returns, less one
     */
    record MixedPrompts(int budgetTokens, double promptTokens, double cachedTokens, int stepsAhead) {}

    /**
     * What runs with n resident requests.
     *
     * @param rounds mean rounds per answer
     * @param acceptLength mean tokens of a round
     * @param model times of a round
     * @param padding CUDA-graph padding
     * @param width query tokens of a request that drafts
     * @param fireRate chance that a request drafts in a round
     */
    record Mode(
            double rounds,
            double acceptLength,
            RoundTimeModel model,
            GraphPadding padding,
            int width,
            double fireRate) {
        static Mode of(double rounds, double acceptLength, RoundTimeModel model, Arm arm, EngineSettings engine) {
            return new Mode(
                    rounds,
                    acceptLength,
                    model,
                    GraphPadding.of(engine.name(), engine.cudaGraphs(), engine.graphBatchSizes()),
                    arm.method().verifyWidth(arm, engine.name()),
                    arm.method().fireRate(arm));
        }
    }

    /**
     * @param modes mode by number of resident requests (one mode unless the budget adapts)
     * @param prompts prefill
     * @param mixedPrompts where prompts share steps with decode rows, null where they run by themselves
     * @param contextTokens mean KV length of a resident request, tokens
     */
    ArmStation(
            IntFunction<Mode> modes,
            int maxResident,
            Prompts prompts,
            MixedPrompts mixedPrompts,
            double contextTokens) {
        this.modes = modes;
        this.maxResident = maxResident;
        this.prompts = prompts;
        this.mixedPrompts = mixedPrompts;
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
        Round round = round(m, n);
        if (mixedPrompts == null) {
            return new StationState(m.rounds, round.ms, prefillMs(1), round.rows);
        }
        MixedCycle cycle = mixed(n, false);
        double roundMs = cycle.roundMs() > 0 ? cycle.roundMs() : round.ms;
        double beyond = Math.max(0, cycle.cycleMs() - m.rounds * roundMs) / n;
        return new StationState(m.rounds, roundMs, beyond, cycle.roundMs() > 0 ? cycle.rows() : round.rows);
    }

    @Override
    public MixedCycle mixed(int n, boolean fluctuating) {
        if (mixedPrompts == null) {
            return null;
        }
        Mode m = modes.apply(n);
        double rowsPerRequest = 1 + m.fireRate * (m.width - 1);
        double budget = mixedPrompts.budgetTokens;
        double prompt = mixedPrompts.promptTokens;
        double typical = Math.max(1, budget - (n - 1) * rowsPerRequest);
        double chunks = Math.ceil(prompt / typical);
        double before = mixedPrompts.cachedTokens + Math.min(typical, prompt) * (chunks - 1) / 2;
        // The last round is foreseen where one token is left: its request takes no row in the steps scheduled ahead. A
        // request
        // that runs alone then leaves none.
        double unforeseen = 1 - 1 / m.acceptLength;
        // In a saturated loop the next request comes with the last token and waits for what is scheduled. Others come
        // at any
        // moment: what is scheduled delays their first token where somebody else is served, and ends nobody's answer
        // later.
        double idle = fluctuating ? mixedPrompts.stepsAhead * (n == 1 ? unforeseen : 1) : 0;
        double ahead = fluctuating || n == 1 ? 0 : mixedPrompts.stepsAhead;
        MixedSteps steps = MixedSteps.of(
                n,
                m.rounds,
                idle,
                prompt,
                inPrompt -> budget - (n - inPrompt) * rowsPerRequest,
                prompts.fixedRounds || !fluctuating);
        Map<Integer, Round> known = new HashMap<>();
        return steps.cycle(
                (decoding, tokens) -> {
                    int k = (int) Math.round(decoding);
                    if (tokens == 0) {
                        return k == 0 ? 0 : known.computeIfAbsent(k, i -> round(m, i)).ms;
                    }
                    long q = Math.max(1, Math.round(tokens));
                    return k == 0
                            ? m.model.mixedRoundMs(0, 0, 0, 0, q, before)
                            : m.model.mixedRoundMs(
                                    k, Math.round(k * rowsPerRequest), contextTokens, contextTokens, q, before);
                },
                unforeseen,
                ahead,
                round(m, n).rows / n);
    }

    /** Mean time and padded rows of a decode round. */
    private record Round(double ms, double rows) {}

    private Round round(Mode m, int n) {
        if (m.fireRate == 1.0 || m.width == 1) {
            long rows = m.padding.rows(n, m.width);
            return new Round(m.model.roundMs(n, rows, contextTokens, contextTokens), rows);
        }
        if (n > MOST_AVERAGED) {
            long expected = n + Math.round(n * m.fireRate) * (m.width - 1L);
            long padded = m.padding.rows(n, m.width, expected);
            return new Round(m.model.roundMs(n, padded, contextTokens, contextTokens), padded);
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
        return new Round(ms / mass, rows / mass);
    }
}
