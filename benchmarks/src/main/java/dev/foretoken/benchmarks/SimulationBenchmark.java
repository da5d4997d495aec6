package dev.foretoken.benchmarks;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.acceptance.PmfLaw;
import dev.foretoken.sim.round.BlackBoxKnot;
import dev.foretoken.sim.round.BlackBoxRounds;
import dev.foretoken.sim.serving.EngineSetup;
import dev.foretoken.sim.serving.LengthSampler;
import dev.foretoken.sim.serving.Load;
import dev.foretoken.sim.serving.RoundOption;
import dev.foretoken.sim.serving.ServedArm;
import dev.foretoken.sim.serving.ServedWorkload;
import dev.foretoken.sim.serving.SimulationOptions;
import dev.foretoken.sim.serving.SimulationPoint;
import dev.foretoken.sim.serving.Simulator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The serving engine on one core. Limit: 20 million request-rounds per second at 64 running (autoregressive and chain). What
 * {@code -prof gc} shows per run is its set-up, sums per batch and statistics; a round allocates nothing (tested).
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class SimulationBenchmark {
    private static final int OSL = 4096;
    private static final int REQUESTS = 2048;

    /** Resident requests. */
    @Param({"1", "64", "512"})
    public int running;

    /** Autoregressive decoding, a chain of 7 drafts, or a tree of 32 nodes whose rounds share latent difficulty. */
    @Param({"ar", "chain", "latent"})
    public String arm;

    /** Scheduler family. */
    @Param({"sglang", "vllm"})
    public String scheduler;

    private ServedArm served;
    private ServedWorkload workload;
    private long seed;

    /** Request-rounds per second. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Rounds {
        /** Rounds of all requests. */
        public long requestRounds;
    }

    @Setup
    public void prepare() {
        BlackBoxRounds rounds = BlackBoxRounds.of(
                List.of(
                        new BlackBoxKnot(1, null, 20, null),
                        new BlackBoxKnot(64, null, 30, null),
                        new BlackBoxKnot(512, null, 80, null)),
                0.02);
        AcceptanceLaw law = switch (arm) {
            case "ar" -> null;
            case "chain" -> PmfLaw.ofSurvival(0.9, 0.78, 0.66, 0.55, 0.45, 0.37, 0.3);
            default ->
                Laws.of(
                                AcceptanceForm.Srt.of(2.219, 0.128, -1.203, 1.354, 0.319, 0.643, 15, 24)
                                        .withDependence(0.56, 0.16),
                                new Design.Tree(15, 8, 32, true))
                        .central();
        };
        int width = law == null ? 1 : Math.max(33, law.maxAccepted() + 1);
        served = ServedArm.of(
                law == null
                        ? RoundOption.autoregressive(rounds)
                        : RoundOption.drafting(width - 1, width, rounds.forArm(width, 3, 0)));
        workload = ServedWorkload.of("w", LengthSampler.fixed(512), LengthSampler.fixed(OSL), law);
    }

    @Benchmark
    public SimulationPoint saturatedClosedLoop(Rounds rounds) {
        SimulationPoint point = Simulator.simulate(
                EngineSetup.of(scheduler),
                served,
                List.of(workload),
                Load.Closed.of(running),
                new SimulationOptions(seed++, 0.01, 0.95, REQUESTS));
        double served = point.requests() + point.deletedRequests() + running / 2.0;
        rounds.requestRounds += Math.round(point.roundsPerRequest().value() * served);
        return point;
    }
}
