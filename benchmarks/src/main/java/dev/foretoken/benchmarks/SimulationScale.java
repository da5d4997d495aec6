package dev.foretoken.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import dev.foretoken.formats.trace.TraceFileSource;
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
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * How simulations scale, in CPU time of the process, with their limits; exit 1 when one is broken. One argument:
 *
 * <ul>
 *   <li>{@code rate}: request-rounds per second and core at 64 running, autoregressive and with a chain, at least 20 million;
 *   <li>{@code ratio}: CPU of 10,000 requests over that of 1,000 after start-up, at most 11;
 *   <li>{@code trace}: a trace of 10,000,000 requests of 64 output tokens from CSV, at most 512 MB of heap (to be set with
 *       {@code -Xmx512m}) and 600 s on one core ({@code -XX:ActiveProcessorCount=1});
 *   <li>{@code cells}: 840 closed loops of 2,000 requests (512 prompt, 256 output tokens) over all cores, at most 60 s.
 * </ul>
 */
public final class SimulationScale {
    private static final double LEAST_RATE = 20e6;
    private static final int RATE_OSL = 4096;
    private static final double MOST_RATIO = 11;
    private static final double MOST_TRACE_S = 600;
    private static final double MOST_CELLS_S = 60;
    private static final int TRACE_REQUESTS = 10_000_000;
    private static final int CELLS = 840;
    private static final int CELL_REQUESTS = 2000;
    private static final int REPETITIONS = 15;

    private static final BlackBoxRounds ROUNDS = BlackBoxRounds.of(
            List.of(
                    new BlackBoxKnot(1, null, 20, null),
                    new BlackBoxKnot(64, null, 30, null),
                    new BlackBoxKnot(1024, null, 120, null)),
            0.02);
    private static final PmfLaw CHAIN = PmfLaw.ofSurvival(0.8, 0.6, 0.4);
    private static final ServedArm ARM = ServedArm.of(RoundOption.drafting(3, 4, ROUNDS.forArm(4, 3, 0)));

    private SimulationScale() {}

    public static void main(String[] args) throws IOException {
        boolean kept = switch (args.length == 1 ? args[0] : "") {
            case "rate" ->
                rate("autoregressive", ServedArm.of(RoundOption.autoregressive(ROUNDS)), null)
                        & rate("chain", ARM, CHAIN);
            case "ratio" -> ratio();
            case "trace" -> trace();
            case "cells" -> cells();
            default -> throw new IllegalArgumentException("one of rate, ratio, trace, cells");
        };
        if (!kept) {
            System.exit(1);
        }
    }

    private static double cpuS() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
    }

    private static double threadCpuS() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e9;
    }

    private static boolean report(String what, double value, double most, String unit) {
        System.out.printf(Locale.ROOT, "%s: %.2f%s (at most %.0f%s)%n", what, value, unit, most, unit);
        return value <= most;
    }

    private static SimulationPoint poisson(int requests, long seed) {
        return Simulator.simulate(
                EngineSetup.of("vllm").withMaxRunning(256),
                ARM,
                List.of(ServedWorkload.of("w", LengthSampler.fixed(1024), LengthSampler.fixed(512), CHAIN)),
                new Load.Arrivals(2, 1),
                new SimulationOptions(seed, 1e-6, 0.95, requests));
    }

    /** Least CPU time of a run of so many requests, s. */
    private static double leastS(int requests) {
        double least = Double.MAX_VALUE;
        for (int i = 0; i < REPETITIONS; i++) {
            double before = threadCpuS();
            poisson(requests, i);
            least = Math.min(least, threadCpuS() - before);
        }
        return least;
    }

    private static boolean rate(String name, ServedArm arm, PmfLaw law) {
        double best = 0;
        for (int i = 0; i < REPETITIONS; i++) {
            double before = threadCpuS();
            SimulationPoint p = Simulator.simulate(
                    EngineSetup.of("sglang"),
                    arm,
                    List.of(ServedWorkload.of("w", LengthSampler.fixed(512), LengthSampler.fixed(RATE_OSL), law)),
                    Load.Closed.of(64),
                    new SimulationOptions(i, 1e-6, 0.95, CELL_REQUESTS));
            double spent = threadCpuS() - before;
            best = Math.max(best, p.roundsPerRequest().value() * (p.requests() + p.deletedRequests()) / spent);
        }
        System.out.printf(
                Locale.ROOT,
                "%s, 64 running: %.1f million request-rounds per s of CPU (at least %.0f)%n",
                name,
                best / 1e6,
                LEAST_RATE / 1e6);
        return best >= LEAST_RATE;
    }

    private static boolean ratio() {
        leastS(10_000);
        leastS(1_000);
        double small = leastS(1_000);
        double large = leastS(10_000);
        System.out.printf(Locale.ROOT, "1,000 requests: %.1f ms; 10,000: %.1f ms of CPU%n", 1e3 * small, 1e3 * large);
        return report("CPU of 10,000 requests over that of 1,000", large / small, MOST_RATIO, "");
    }

    private static boolean trace() throws IOException {
        Path file = Files.createTempFile("foretoken-trace", ".csv");
        try {
            try (BufferedWriter out = Files.newBufferedWriter(file)) {
                out.write("arrival_s,isl,osl\n");
                for (int i = 0; i < TRACE_REQUESTS; i++) {
                    out.write(i / 40 + "." + (i % 40) * 25 / 100 + (i % 40) * 25 % 100 / 10 + "," + (64 + i % 512)
                            + ",64\n");
                }
            }
            double before = cpuS();
            SimulationPoint point = Simulator.simulate(
                    EngineSetup.of("sglang").withMaxRunning(256),
                    ARM,
                    List.of(ServedWorkload.of("w", LengthSampler.fixed(1), LengthSampler.fixed(64), CHAIN)),
                    new Load.Trace(TraceFileSource.of(file)),
                    new SimulationOptions(1, 0.01, 0.95, 1000));
            double spent = cpuS() - before;
            System.out.printf(
                    Locale.ROOT,
                    "%,d requests in %,.0f MB of heap at most, %.0f tok/s simulated%n",
                    point.requests(),
                    Runtime.getRuntime().maxMemory() / 1e6,
                    point.outputTokS().value());
            return report("CPU of the trace", spent, MOST_TRACE_S, " s") && point.requests() == TRACE_REQUESTS;
        } finally {
            Files.delete(file);
        }
    }

    private static boolean cells() {
        AtomicLong requests = new AtomicLong();
        double before = cpuS();
        long start = System.nanoTime();
        IntStream.range(0, CELLS).parallel().forEach(i -> {
            SimulationPoint p = Simulator.simulate(
                    EngineSetup.of(i % 2 == 0 ? "sglang" : "vllm"),
                    ARM,
                    List.of(ServedWorkload.of("w", LengthSampler.fixed(512), LengthSampler.fixed(256), CHAIN)),
                    Load.Closed.of(1 << (i % 7)),
                    new SimulationOptions(i, 1e-6, 0.95, CELL_REQUESTS));
            requests.addAndGet(p.requests() + p.deletedRequests());
        });
        double wall = (System.nanoTime() - start) / 1e9;
        System.out.printf(
                Locale.ROOT,
                "%d cells, %,d requests: %.1f s of CPU, %.1f s on %d cores%n",
                CELLS,
                requests.get(),
                cpuS() - before,
                wall,
                Runtime.getRuntime().availableProcessors());
        return report("CPU of the cells over two cores", (cpuS() - before) / 2, MOST_CELLS_S, " s")
                && requests.get() >= (long) CELLS * CELL_REQUESTS * 95 / 100;
    }
}
