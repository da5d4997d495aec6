package dev.foretoken.sim.serving;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.acceptance.PmfLaw;
import dev.foretoken.sim.event.EventQueue;
import dev.foretoken.sim.oracle.StochasticOracle;
import dev.foretoken.sim.random.CounterRandom;
import dev.foretoken.sim.random.CounterRandom.Purpose;
import dev.foretoken.sim.statistics.MeanInterval;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import java.util.function.ToDoubleFunction;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Queues, closed loops and round clocks, simulated: those of a serving engine by the engine itself, exponential stations by
 * the event kernel.
 */
public final class ServingOracle implements StochasticOracle {
    private static final double TARGET = 0.009;
    private static final double RAREST_SHARE = 0.02;
    private static final int BATCHES = 64;

    private final Map<String, Simulation> simulations = Map.of(
            "queue.mm1", ServingOracle::mm1,
            "queue.machine_repair", (in, seed) -> closed(in, n -> in.get("mu").asDouble(), seed),
            "queue.closed_mmm",
                    (in, seed) -> closed(
                            in,
                            n -> in.get("mu").asDouble()
                                    * Math.min(n, in.get("servers").asInt()),
                            seed),
            "queue.closed_load_dependent", ServingOracle::loadDependent,
            "queue.md1.wait", ServingOracle::md1,
            "queue.mg1_rounds", ServingOracle::mg1Rounds,
            "round.sync_engine_one_round", ServingOracle::synchronousEngine,
            "round.free_clock_mean_latency", ServingOracle::freeClock);

    private interface Simulation {
        Estimate[] run(JsonNode in, long seed);
    }

    @Override
    public boolean handles(String formula) {
        return simulations.containsKey(formula);
    }

    @Override
    public Estimate[] simulate(String formula, JsonNode inputs, long seed) {
        return simulations.get(formula).run(inputs, seed);
    }

    // Exponential stations.

    private static Estimate[] mm1(JsonNode in, long seed) {
        double lambda = in.get("lam").asDouble();
        Station station = Station.open(lambda, in.get("mu").asDouble(), seed);
        // L, W = L/lambda and Lq/lambda, the arrival rate being known.
        return batches(
                station, List.of(b -> b[1] / b[0], b -> b[1] / b[0] / lambda, b -> (b[1] - b[4]) / b[0] / lambda));
    }

    private static Estimate[] loadDependent(JsonNode in, long seed) {
        double w = in.get("W").asDouble();
        double slope = in.get("c").asDouble() * (in.get("gamma").asInt() + 1);
        double tokensPerRequest = in.get("tau").asDouble() / in.get("L").asDouble();
        return closed(in, n -> n * tokensPerRequest / Math.max(w, slope * n), seed);
    }

    private static Estimate[] closed(JsonNode in, IntToDoubleFunction rate, long seed) {
        int clients = in.get("N").asInt();
        Station station = Station.closed(clients, in.get("Z").asDouble(), rate, seed);
        return batches(station, List.of(b -> b[2] / b[0], b -> b[1] / b[0], b -> b[1] / b[2], b -> b[3] / b[0]));
    }

    /** Batch means, longer and longer until every figure is precise; rare shares are given up. */
    private static Estimate[] batches(Station station, List<ToDoubleFunction<double[]>> figures) {
        station.run(100_000);
        for (long size = 20_000; ; size *= 2) {
            List<double[]> sums = new ArrayList<>();
            for (int b = 0; b < BATCHES; b++) {
                sums.add(station.run(size));
            }
            Estimate[] estimates = new Estimate[figures.size()];
            boolean precise = true;
            for (int f = 0; f < estimates.length; f++) {
                double[] values = sums.stream().mapToDouble(figures.get(f)).toArray();
                MeanInterval mean = MeanInterval.of(values, 0.95);
                boolean rare = f == 3 && mean.mean() < RAREST_SHARE;
                estimates[f] = rare ? null : new Estimate(mean.mean(), mean.standardError());
                precise &= rare || mean.relativeHalfWidth() <= TARGET;
            }
            if (precise) {
                return estimates;
            }
        }
    }

    // The serving engine.

    private static Estimate[] md1(JsonNode in, long seed) {
        SimulationPoint p = serve(in, in.get("s").asDouble(), 2, null, 1, seed);
        return new Estimate[] {seconds(p.queueMs(), p)};
    }

    private static Estimate[] mg1Rounds(JsonNode in, long seed) {
        int n = in.get("N").asInt();
        double t = in.get("t").asDouble();
        SimulationPoint p = serve(in, t, n + 1, chain(in, n), 1, seed);
        return new Estimate[] {of(p.busyShare(), 1, p), of(p.roundsPerRequest(), t, p), seconds(p.queueMs(), p)};
    }

    private static Estimate[] synchronousEngine(JsonNode in, long seed) {
        int rounds = in.path("rounds").asInt(1);
        SimulationPoint p = serve(in, in.get("t").asDouble(), rounds + 1, null, Integer.MAX_VALUE, seed);
        return new Estimate[] {seconds(p.queueMs(), p), seconds(p.e2eMs().mean(), p)};
    }

    /** Poisson arrivals at an engine with rounds of one length; prompts take no time and give the first token. */
    private static SimulationPoint serve(
            JsonNode in, double roundS, int osl, AcceptanceLaw law, int maxRunning, long seed) {
        ConstantRounds rounds = ConstantRounds.of(1000 * roundS);
        RoundOption option = law == null
                ? RoundOption.autoregressive(rounds)
                : RoundOption.drafting(law.maxAccepted(), law.maxAccepted() + 1, rounds);
        ServedWorkload workload = ServedWorkload.of("w", LengthSampler.fixed(1), LengthSampler.fixed(osl), law);
        SimulationPoint point = null;
        for (double target = 0.007; point == null || point.queueMs().relHalfWidth() > TARGET; target /= 1.5) {
            point = Simulator.simulate(
                    EngineSetup.of("sglang").withMaxRunning(maxRunning),
                    ServedArm.of(option),
                    List.of(workload),
                    Load.Arrivals.poisson(in.get("lam").asDouble()),
                    new SimulationOptions(seed, target, 0.95, 50_000_000));
        }
        return point;
    }

    private static AcceptanceLaw chain(JsonNode in, int tokens) {
        int length = in.hasNonNull("gamma") ? in.get("gamma").asInt() : tokens - 1;
        return PmfLaw.iid(in.get("alpha").asDouble(), length);
    }

    private static Estimate seconds(dev.foretoken.sim.serving.Estimate ms, SimulationPoint p) {
        return of(ms, 1e-3, p);
    }

    private static Estimate of(dev.foretoken.sim.serving.Estimate e, double factor, SimulationPoint p) {
        double t = TDistribution.of(p.batches() - 1).inverseCumulativeProbability((1 + p.level()) / 2);
        return new Estimate(factor * e.value(), factor * e.halfWidth() / t);
    }

    /** A clock that ticks whether or not anyone is there; a request joins at the next tick and leaves at its K-th after. */
    private static Estimate[] freeClock(JsonNode in, long seed) {
        double t = in.get("t").asDouble();
        long tickNs = Math.round(t * 1e9);
        int tokens = in.get("N").asInt();
        var sampler = chain(in, tokens).sampler();
        EventQueue events = new EventQueue();
        long runKey = CounterRandom.runKey(seed, 0);
        long arrivals = CounterRandom.streamKey(runKey, Purpose.ARRIVAL, 0);
        double[] values = new double[BATCHES];
        long number = 0;
        for (int b = 0; b < BATCHES; b++) {
            int size = 2000;
            double sum = 0;
            for (int i = 0; i < size; i++) {
                double gapS = -Math.log1p(-CounterRandom.uniform(arrivals, number))
                        / in.get("lam").asDouble();
                events.schedule(events.nowNs() + Math.round(gapS * 1e9), 1, number);
                long request = events.poll();
                long key = CounterRandom.streamKey(runKey, Purpose.ROUND, request);
                int left = tokens;
                int rounds = 0;
                while (left > 0) {
                    left -= sampler.tokens(0, 0, CounterRandom.uniform(key, rounds++));
                }
                long joins = (events.nowNs() / tickNs + 1) * tickNs;
                sum += (joins - events.nowNs() + rounds * tickNs) / 1e9;
                number++;
            }
            values[b] = sum / size;
        }
        MeanInterval mean = MeanInterval.of(values, 0.95);
        return new Estimate[] {new Estimate(mean.mean(), mean.standardError())};
    }
}
