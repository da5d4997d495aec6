package dev.foretoken.calibration.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.calibration.host.ForcedSpeculation.Kind;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.Shape;
import dev.foretoken.sim.random.Streams;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;
import org.junit.jupiter.api.Test;

class LiveLoopTest {
    /** A server whose costs are known: 18 ms a round, 7.5 ms a further row, a step past 8 rows, a drafter. */
    private static final class KnownServer implements TimedServer {
        private final double noise;
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
                    perDraft,
                    perRound,
                    Map.of(Kind.NONE, 300000.0, Kind.NGRAM, 300000.0, Kind.DRAFT_MODEL, 360000.0));
        }

        @Override
        public List<RunCost> run(ForcedSpeculation speculation, List<LoopLoad> loads, Finished finished) {
            List<RunCost> out = new ArrayList<>();
            var normal = ZigguratSampler.NormalizedGaussian.of(random);
            for (LoopLoad load : loads) {
                double s = LoopSimulator.cpuSeconds(costs, speculation, load, random);
                out.add(new RunCost(s * Math.exp(noise * normal.sample()), 2 * s, 0, 0, 0));
            }
            return out;
        }
    }

    private static LiveLoop.Report loop(double noise, int repeats) throws IOException, InterruptedException {
        return LiveLoop.run(
                new KnownServer(noise),
                CalibrationPlan.standard(),
                LiveLoop.settings(),
                LiveLoop.loads(),
                repeats,
                1,
                s -> {});
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
    void theIntervalOfASingleRunCovers() throws IOException, InterruptedException {
        LiveLoop.Report r = loop(0.0, 1);
        long inside = r.rows().stream()
                .filter(x -> x.predicted().low() * 0.98 <= x.measured()
                        && x.measured() <= x.predicted().high() * 1.02)
                .count();
        assertTrue(
                inside >= r.rows().size() * 3 / 4,
                () -> inside + " of " + r.rows().size() + " inside");
    }

    @Test
    void rowsBeyondTheCalibratedAreFlagged() throws IOException, InterruptedException {
        CalibratedCosts costs = CpuCalibration.measure(new KnownServer(0.01), CalibrationPlan.standard(), s -> {})
                .fit(1);
        assertFalse(costs.predict(ForcedSpeculation.geometric(Kind.NGRAM, 15, 0.9), new LoopLoad(8, 8, 65), 1)
                .calibrated());
        assertTrue(costs.predict(ForcedSpeculation.geometric(Kind.NGRAM, 7, 0.9), new LoopLoad(4, 8, 65), 1)
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
                (sequences, drafts, m) -> rows.merge(m, 1, Integer::sum),
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
                (sequences, drafts, m) -> rounds[0]++,
                n -> {});
        assertEquals(13, rounds[0]);
    }

    @Test
    void nonsenseIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new ForcedSpeculation(Kind.NGRAM, 2, List.of(0.5, 0.6)));
        assertThrows(IllegalArgumentException.class, () -> new ForcedSpeculation(Kind.NONE, 1, List.of(0.5)));
        assertThrows(IllegalArgumentException.class, () -> new LoopLoad(4, 2, 8));
        assertThrows(IllegalArgumentException.class, () -> new RunCost(0, 1, 0, 0, 0));
    }
}
