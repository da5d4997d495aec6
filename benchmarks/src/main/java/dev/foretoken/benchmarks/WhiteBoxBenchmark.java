package dev.foretoken.benchmarks;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.formats.profile.ProfileCatalogue;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.MethodSpec;
import dev.foretoken.sim.scenario.Target;
import dev.foretoken.sim.whitebox.WhiteBox;
import dev.foretoken.sim.whitebox.WhiteBoxTimes;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Evaluating one white-box round, building one, and loading the curves it needs. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class WhiteBoxBenchmark {
    private WhiteBoxTimes times;
    private WhiteBox tree;
    private Arm arm;
    private int i;

    @Setup
    public void setUp() {
        Catalogue catalogue = Catalogue.bundled();
        times = new WhiteBoxTimes(new WhiteBoxTimes.Sources(
                catalogue.gpu("rtx-pro-6000-server"),
                ProfileCatalogue.bundled().load("rtx-pro-6000-server/sglang"),
                catalogue.link("pcie5-fast"),
                null,
                null,
                catalogue.model("qwen3.6-27b"),
                new Target("qwen3.6-27b", "bf16", "bf16", "fp32", Target.SAVED),
                id -> catalogue.find(CatalogueKind.DRAFTER, id).orElse(null),
                id -> catalogue.find(CatalogueKind.MODEL, id).orElse(null),
                null,
                null,
                BlackBoxTimes.MemoryLimit.NONE));
        arm = Arm.expand(new MethodSpec(
                        "ddtree",
                        "ddtree",
                        Map.of("drafter", List.of("qwen3.6-27b-dflash"), "block", List.of(16), "budget", List.of(32)),
                        EngineSettings.NONE))
                .get(0);
        tree = times.rounds(arm, EngineSettings.NONE, 4);
    }

    @Benchmark
    public double round() {
        i = (i + 1) & 63;
        return tree.roundMs(i + 1, (i + 1) * 33L, 1000 + i, 1500 + i);
    }

    @Benchmark
    public WhiteBox build() {
        return times.rounds(arm, EngineSettings.NONE, 4);
    }

    @Benchmark
    public int load() {
        Profile p = ProfileCatalogue.bundled().load("rtx-pro-6000-server/sglang");
        return p.families(Op.GEMM, "bf16").get(0).curves().size()
                + p.families(Op.ATTENTION_GENERATION, "bf16").get(0).curves().size();
    }
}
