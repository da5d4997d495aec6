package dev.foretoken.benchmarks;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.LawBand;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.acceptance.Renewal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Acceptance laws and rounds per answer. Limits: 300 microseconds for the law of a DDTree of budget 64, warm. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class AcceptanceBenchmark {
    /** Tree budget. */
    @Param({"16", "64", "256"})
    public int budget;

    private final AcceptanceForm srt = AcceptanceForm.Srt.of(2.219, 0.128, -1.203, 1.354, 0.319, 0.643, 15, 24);
    private final AcceptanceForm spine =
            new AcceptanceForm.PerPosition(List.of(0.9, 0.78, 0.66, 0.55, 0.45, 0.37, 0.30), true);
    private final AcceptanceForm curve =
            new AcceptanceForm.AcceptLengthByBudget(new TreeMap<>(Map.of(8, 4.6, 256, 6.5)));

    @Benchmark
    public LawBand latentTree() {
        return Laws.of(srt, new Design.Tree(15, 8, budget, true));
    }

    @Benchmark
    public LawBand spineTreeWithBand() {
        return Laws.of(spine, new Design.Tree(15, 8, budget, true));
    }

    @Benchmark
    public LawBand budgetCurve() {
        return Laws.of(curve, new Design.Tree(15, 8, budget, true));
    }

    @Benchmark
    public double[] wholeBudgetCurve() {
        return Laws.acceptLengthCurve((AcceptanceForm.Srt) srt, new Design.Tree(15, 8, budget, true));
    }

    /** Rounds of answers of up to 1,024 tokens with 16 possible tokens per round. */
    @State(Scope.Benchmark)
    public static class Answer {
        final double[] pmf = Laws.of(
                        AcceptanceForm.Srt.of(2.219, 0.128, -1.203, 1.354, 0.319, 0.643, 15, 24),
                        new Design.Tree(15, 8, 64, true))
                .central()
                .pmf();
    }

    @Benchmark
    public double renewal(Answer answer) {
        return new Renewal(answer.pmf, 1023).mean(1023);
    }
}
