package dev.foretoken.calibration.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import dev.foretoken.calibration.host.ForcedSpeculation.Kind;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.schema.Schemas;
import dev.foretoken.formats.timings.KernelTimings;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.Shape;
import dev.foretoken.sim.random.Streams;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveLoopTest {
    /** Tokens of the usual prompt, and context at which the known costs hold. */
    private static final double PROMPT = 84;

    /** A server whose costs are known: 18 ms a round, 7.5 ms a further row, a step past 8 rows, context, a drafter. */
    private static final class KnownServer implements TimedServer {
        private static final double PER_CELL_US = 12;
        private final double noise;
        private int loads;
        private final UniformRandomProvider random = Streams.of(3, "known-server", 0, 0);
        private final RoundCosts costs;

        KnownServer(double noise) {
            this.noise = noise;
            int n = 64;
            double[] at = new double[n];
            double[] us = new double[n];
            for (int m = 1; m <= n; m++) {
                at[m - 1] = m;
                us[m - 1] = 18000 + 7500.0 * (m - 1) + (m > 8 ? 9000 : 0);
            }
            TreeMap<Integer, Double> perDraft = new TreeMap<>(Map.of(1, 6000.0, 2, 8000.0, 4, 12000.0));
            TreeMap<Integer, Double> perRound = new TreeMap<>(Map.of(1, 1000.0, 2, 2000.0, 4, 4000.0));
            costs = new RoundCosts(
                    Curve.of(Shape.NONE, at, us, new double[] {8}),
                    PROMPT,
                    PER_CELL_US,
                    perDraft,
                    perRound,
                    Map.of(Kind.NONE, 300000.0, Kind.NGRAM, 300000.0, Kind.DRAFT_MODEL, 360000.0));
        }

        @Override
        public List<RunCost> run(ForcedSpeculation speculation, List<LoopLoad> loads, Finished finished) {
            List<RunCost> out = new ArrayList<>();
            var normal = ZigguratSampler.NormalizedGaussian.of(random);
            for (LoopLoad load : loads) {
                double prompt = PROMPT * load.counts() / LoopLoad.SHORT_PROMPT;
                // a longer prompt costs in proportion
                double us = (load.counts() / (double) LoopLoad.SHORT_PROMPT - 1)
                        * load.requests()
                        * costs.requestUs().get(speculation.kind());
                double s = LoopSimulator.cpuSeconds(costs, speculation, load, prompt, random) + us * 1e-6;
                RunCost cost = new RunCost(s * Math.exp(noise * normal.sample()), 2 * s, prompt, 0, 0);
                this.loads++;
                out.add(cost);
                finished.load(load, cost);
            }
            return out;
        }
    }

    private static LiveLoop.Report loop(double noise, int repeats) throws IOException, InterruptedException {
        return LiveLoop.run(
                new KnownServer(noise),
                CalibrationPlan.standard(2),
                LiveLoop.settings(),
                LiveLoop.loads(),
                repeats,
                1,
                LoopProgress.NONE);
    }

    @Test
    void knownCostsAreRecoveredAndSignsAreRight() throws IOException, InterruptedException {
        LiveLoop.Report r = loop(0.01, 2);
        assertTrue(r.rows().size() >= 12);
        assertTrue(r.medianError() <= 0.05, r::toString);
        assertTrue(r.wins() >= 4 && r.losses() >= 4, () -> r.wins() + " wins, " + r.losses() + " losses");
        assertEquals(r.signsDecided(), r.signsRight());
        assertTrue(r.rows().stream().allMatch(x -> x.predicted().calibrated()));
        assertTrue(r.noise() > 0 && r.noise() < 0.2);
    }

    @Test
    void theBandOfAMeasuredMeanCovers() throws IOException, InterruptedException {
        LiveLoop.Report r = loop(0.02, 2);
        // 27 bands of 90 %, whose errors are not independent: 20 is far below what a right band gives
        assertTrue(r.inside() >= 20, () -> r.inside() + " of " + r.rows().size() + " inside");
        assertEquals(0.02, r.costs().noise(), 0.01);
    }

    @Test
    void contextAndPromptsAreRecovered() throws IOException, InterruptedException {
        CalibratedCosts c = CpuCalibration.measure(
                        new KnownServer(0.002), CalibrationPlan.standard(2), LoopProgress.NONE)
                .fit(1);
        assertEquals(KnownServer.PER_CELL_US, c.costs().perCellUs(), 3);
        assertEquals(PROMPT, c.promptTokens(), 1e-9);
        assertEquals(300000, c.costs().requestUs().get(Kind.NONE), 3000);
        assertEquals(360000, c.costs().requestUs().get(Kind.DRAFT_MODEL), 3600);
        assertEquals(6000, c.costs().perDraftUs().get(1), 900);
        assertEquals(12000, c.costs().perDraftUs().get(4), 1800);
    }

    @Test
    void timingsMeetTheirSchemaAndHoldBothContexts() throws IOException, InterruptedException {
        KernelTimings t = CpuCalibration.measure(new KnownServer(0.01), CalibrationPlan.standard(2), LoopProgress.NONE)
                .timings(CpuCalibration.Provenance.none());
        var schema = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(Schemas.text("kernel-timings"));
        var problems = schema.validate(Json.mapper().readTree(Json.pretty(t)));
        assertTrue(problems.isEmpty(), problems::toString);
        assertEquals(
                2,
                t.points().stream()
                        .filter(p -> p.op().equals("decode_round"))
                        .map(p -> p.param("context"))
                        .distinct()
                        .count());
        assertTrue(t.points().stream().anyMatch(p -> p.op().equals("draft_round")));
    }

    @Test
    void aStoppedLoopGoesOnWhereItWas(@TempDir Path folder) throws IOException, InterruptedException {
        Path file = folder.resolve("runs.jsonl");
        KnownServer first = new KnownServer(0.01);
        TimedServer stopping = (speculation, loads, finished) -> {
            if (first.loads >= 20) {
                throw new IOException("stopped");
            }
            return first.run(speculation, loads, finished);
        };
        assertThrows(
                IOException.class,
                () -> CpuCalibration.measure(
                        new RecordedServer(stopping, file, "a machine", false),
                        CalibrationPlan.standard(2),
                        LoopProgress.NONE));
        // a line cut off in the middle is left out
        Files.writeString(file, "{\"setting\": \"NONE", StandardOpenOption.APPEND);
        KnownServer second = new KnownServer(0.01);
        RecordedServer resumed = new RecordedServer(second, file, "a machine", true);
        int plan = CalibrationPlan.standard(2).runs().values().stream()
                .mapToInt(List::size)
                .sum();
        CpuCalibration.measure(resumed, CalibrationPlan.standard(2), LoopProgress.NONE)
                .fit(1);
        assertEquals(first.loads, resumed.taken());
        assertEquals(2 * plan - first.loads, second.loads);
        RecordedServer again = new RecordedServer(second, file, "a machine", true);
        CpuCalibration.measure(again, CalibrationPlan.standard(2), LoopProgress.NONE);
        assertEquals(2 * plan, again.taken());
        var e = assertThrows(
                IllegalArgumentException.class, () -> new RecordedServer(second, file, "another machine", true));
        assertTrue(e.getMessage().contains("another machine"), e.getMessage());
    }

    /** A start of the loop on a real llama.cpp server (docs/live-cpu.md), its costs recorded: what is predicted of them. */
    @Test
    void theRecordedRunsOfARealServerArePredicted(@TempDir Path folder) throws IOException, InterruptedException {
        Path file = folder.resolve("runs.jsonl");
        try (InputStream in = LiveLoopTest.class.getResourceAsStream("/timings/live-cpu-runs.jsonl")) {
            Files.copy(in, file);
        }
        String identity = Json.mapper()
                .readTree(Files.readAllLines(file).get(0))
                .path("identity")
                .asText();
        TimedServer none = (speculation, loads, finished) -> {
            throw new IOException("not in the record: " + speculation + " " + loads);
        };
        LiveLoop.Report r = LiveLoop.run(
                new RecordedServer(none, file, identity, true),
                CalibrationPlan.standard(2),
                LiveLoop.settings(),
                LiveLoop.loads(),
                2,
                1,
                LoopProgress.NONE);
        assertTrue(r.medianError() <= 0.03, () -> "median error " + r.medianError());
        assertTrue(r.worstError() <= 0.10, () -> "worst error " + r.worstError());
        assertTrue(r.wins() >= 4 && r.losses() >= 4, () -> r.wins() + " wins, " + r.losses() + " losses");
        assertEquals(r.signsDecided(), r.signsRight());
        assertTrue(r.inside() >= 22, () -> r.inside() + " of " + r.rows().size() + " inside");
    }

    @Test
    void noiseIsTheSpreadOfRepeats() {
        assertEquals(0.02 / (0.6744898 * Math.sqrt(2)), RunNoise.of(List.of(List.of(1.0, Math.exp(0.02)))), 1e-9);
        assertThrows(IllegalArgumentException.class, () -> RunNoise.of(List.of(List.of(1.0))));
    }

    @Test
    void rowsBeyondTheCalibratedAreFlagged() throws IOException, InterruptedException {
        CalibratedCosts costs = CpuCalibration.measure(
                        new KnownServer(0.01), CalibrationPlan.standard(2), LoopProgress.NONE)
                .fit(1);
        assertFalse(costs.predict(ForcedSpeculation.geometric(Kind.NGRAM, 15, 0.9), new LoopLoad(8, 8, 65), 2, 1)
                .calibrated());
        assertTrue(costs.predict(ForcedSpeculation.geometric(Kind.NGRAM, 7, 0.9), new LoopLoad(4, 8, 65), 2, 1)
                .calibrated());
    }

    @Test
    void refusedDraftsWalkOneTokenARound() {
        // 33 tokens: the first with the prompt, 32 rounds; drafts of 3 are cut to 2, 1 and 0 before the end
        TreeMap<Integer, Integer> rows = new TreeMap<>();
        int[] admitted = new int[1];
        LoopSimulator.walk(
                ForcedSpeculation.refused(Kind.NGRAM, 3),
                new LoopLoad(1, 3, 33),
                Streams.of(1, "t", 0, 0),
                r -> rows.merge(r.rows(), 1, Integer::sum),
                n -> admitted[0] += n);
        assertEquals(Map.of(4, 87, 3, 3, 2, 3, 1, 3), rows);
        assertEquals(3, admitted[0]);
    }

    @Test
    void certainAcceptanceCommitsEveryDraft() {
        // 65 tokens: 64 after the prompt's, five a round; the draft before the end is cut
        int[] rounds = new int[1];
        LoopSimulator.walk(
                ForcedSpeculation.geometric(Kind.NGRAM, 4, 1),
                new LoopLoad(1, 1, 65),
                Streams.of(1, "t", 0, 0),
                r -> rounds[0]++,
                n -> {});
        assertEquals(13, rounds[0]);
    }

    @Test
    void nonsenseIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new ForcedSpeculation(Kind.NGRAM, 2, List.of(0.5, 0.6)));
        assertThrows(IllegalArgumentException.class, () -> new ForcedSpeculation(Kind.NONE, 1, List.of(0.5)));
        assertThrows(IllegalArgumentException.class, () -> new LoopLoad(4, 2, 8));
        assertThrows(IllegalArgumentException.class, () -> new RunCost(0, 1, 84, 0, 0));
    }
}
