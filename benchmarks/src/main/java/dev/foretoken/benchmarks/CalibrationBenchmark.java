package dev.foretoken.benchmarks;

import dev.foretoken.calibration.acceptance.Evidence;
import dev.foretoken.calibration.acceptance.MarginalReplay;
import dev.foretoken.calibration.acceptance.MarginalRound;
import dev.foretoken.calibration.acceptance.SrtFitter;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.LatentRound;
import dev.foretoken.sim.tree.TreeOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Fits and replay. Limits: a fit on 8,000 rounds under 2 s of CPU; 100,000 replayed rounds per second and core. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class CalibrationBenchmark {
    private static final int ROUNDS = 2000;
    private static final AcceptanceForm.Srt SRT =
            AcceptanceForm.Srt.of(2.219, 0.128, -1.203, 1.354, 0.319, 0.643, 15, 8);

    private final List<MarginalRound> trace = trace();
    private final MarginalReplay.Rule rule =
            new MarginalReplay.Rule.BestFirstTree(15, TreeOptions.budget(64).withTopK(8));
    /** Logged DDTree rounds of one drafter by tokens 1..16 (hxri/ddtreeplus@cfdb5f8): 3,641 at budget 64, 4,022 at 128. */
    private final List<Evidence> evidence = List.of(
            histogram(64, 37, 176, 329, 388, 341, 370, 259, 227, 189, 178, 148, 119, 121, 102, 89, 568),
            histogram(128, 24, 146, 308, 404, 398, 392, 318, 262, 220, 218, 171, 144, 127, 127, 88, 675));

    private static Evidence histogram(int budget, double... rounds) {
        return new Evidence.Histogram(
                new Design.Tree(15, 24, budget, false),
                Arrays.stream(rounds).boxed().toList());
    }

    private static List<MarginalRound> trace() {
        Random random = new Random(1);
        List<MarginalRound> out = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            double[][] p = LatentRound.rankProbabilities(SRT, random.nextGaussian());
            int[] target = new int[p.length];
            for (int d = 0; d < p.length; d++) {
                double u = random.nextDouble();
                target[d] = -1;
                for (int r = 0; r < p[d].length; r++) {
                    target[d] = target[d] < 0 && u < p[d][r] ? r : target[d];
                    u -= p[d][r];
                    p[d][r] = Math.log(p[d][r]);
                }
            }
            out.add(new MarginalRound(p, target));
        }
        return out;
    }

    @Benchmark
    @OutputTimeUnit(TimeUnit.MICROSECONDS)
    @OperationsPerInvocation(ROUNDS)
    public long replayOneRound() {
        MarginalReplay.Tally tally = new MarginalReplay.Tally(rule);
        long accepted = 0;
        for (MarginalRound round : trace) {
            accepted += tally.add(round);
        }
        return accepted;
    }

    @Benchmark
    @OutputTimeUnit(TimeUnit.MILLISECONDS)
    public SrtFitter.Point fit() {
        return new SrtFitter(evidence, 15, 24).fit();
    }
}
