package dev.foretoken.calibration.acceptance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.acceptance.AcceptanceRefused;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.LawBand;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.tree.BestFirst;
import dev.foretoken.sim.tree.EagleTree;
import dev.foretoken.sim.tree.RankScores;
import dev.foretoken.sim.tree.TreeOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class MarginalReplayTest {
    private static final AcceptanceForm.Srt SRT = AcceptanceForm.Srt.of(2.2, 0.13, -1.2, 1.3, 0.32, 0.64, 7, 8);

    private static MarginalRound random(Random random, int depth, int ranks, int known) {
        double[][] logs = new double[depth][ranks];
        for (double[] row : logs) {
            for (int r = 0; r < ranks; r++) {
                row[r] = random.nextInt(3) == 0 ? -1 - random.nextInt(3) : -4 * random.nextDouble();
            }
            Arrays.sort(row);
            for (int r = 0; r < ranks / 2; r++) {
                double swap = row[r];
                row[r] = row[ranks - 1 - r];
                row[ranks - 1 - r] = swap;
            }
        }
        return new MarginalRound(logs, random.ints(known, -1, ranks).toArray());
    }

    /** Accepted drafts by listing and sorting every path. */
    private static int brute(MarginalRound round, int budget, int topK, boolean chainSeed) {
        List<int[]> paths = new ArrayList<>();
        list(round.logProbs(), topK, new int[0], paths);
        paths.sort(Comparator.<int[]>comparingDouble(p -> -score(round.logProbs(), p))
                .thenComparing(p -> p, Arrays::compare));
        List<String> tree = new ArrayList<>();
        if (chainSeed) {
            for (int d = 1; d <= Math.min(budget, round.depth()); d++) {
                tree.add(Arrays.toString(new int[d]));
            }
        }
        for (int[] p : paths) {
            if (tree.size() < budget && !tree.contains(Arrays.toString(p))) {
                tree.add(Arrays.toString(p));
            }
        }
        int d = 0;
        while (d < round.depth() && tree.contains(Arrays.toString(Arrays.copyOf(round.targetRanks(), d + 1)))) {
            d++;
        }
        return d;
    }

    private static double score(double[][] logs, int[] path) {
        double s = 0;
        for (int d = 0; d < path.length; d++) {
            s += logs[d][path[d]];
        }
        return s;
    }

    private static void list(double[][] logs, int topK, int[] prefix, List<int[]> out) {
        if (prefix.length == logs.length) {
            return;
        }
        for (int r = 0; r < Math.min(topK, logs[prefix.length].length); r++) {
            int[] path = Arrays.copyOf(prefix, prefix.length + 1);
            path[prefix.length] = r;
            out.add(path);
            list(logs, topK, path, out);
        }
    }

    @Property(seed = "1", tries = 400)
    void replayIsBruteForce(
            @ForAll long seed,
            @ForAll @IntRange(max = 30) int budget,
            @ForAll @IntRange(min = 1, max = 3) int topK,
            @ForAll boolean chainSeed) {
        MarginalRound round = random(new Random(seed), 4, 3, 4);
        TreeOptions options = TreeOptions.budget(budget).withTopK(topK).withChainSeed(chainSeed);
        MarginalReplay.Tally tally = new MarginalReplay.Tally(new MarginalReplay.Rule.BestFirstTree(4, options));
        assertEquals(brute(round, budget, topK, chainSeed), tally.add(round));
    }

    @Example
    void meanOverATraceOfTheFamilyIsTheLawsPrediction() {
        List<MarginalRound> trace = Synthetic.trace(SRT, 20_000, 3);
        MarginalReplay replay = new MarginalReplay(trace, 7, 8);
        List<Design> designs = List.of(
                new Design.Chain(7),
                new Design.Chain(3),
                new Design.Tree(7, 8, 16, false),
                new Design.Tree(7, 4, 32, true),
                new Design.Eagle(5, 4, 12),
                new Design.CostAware(7, 8, 24, false, n -> 10 + 0.3 * n + (n > 12 ? 2 : 0)));
        for (Design design : designs) {
            LawBand band = replay.law(design);
            assertFalse(band.hasBand());
            AcceptanceLaw observed = band.central();
            AcceptanceLaw predicted = Laws.of(SRT, design).central();
            double se = Math.sqrt(EvidenceModel.variance(predicted.pmf()) / trace.size());
            double z = (observed.acceptLength() - predicted.acceptLength()) / se;
            assertTrue(Math.abs(z) <= 4, design + ": z = " + z);
        }
    }

    @Example
    void openRoundsAreBoundedByKappa() {
        // one round: the target took rank 1 and was logged no further; the tree goes on below it
        double half = Math.log(0.5);
        MarginalRound round = new MarginalRound(
                new double[][] {{half, Math.log(0.4)}, {half, Math.log(0.3)}, {half, Math.log(0.1)}}, new int[] {1});
        MarginalReplay replay = new MarginalReplay(List.of(round), 3, 2);
        LawBand band = replay.law(new Design.Tree(3, 2, 100, false));
        assertTrue(band.hasBand());
        assertEquals(2, band.lowAcceptLength(), 1e-12);
        // with kappa 1: 1 + 1 + .8 + .8 * .6
        assertEquals(2 + 0.8 + 0.48, band.highAcceptLength(), 1e-12);
        // known to the end, or not in the tree: nothing is open
        assertFalse(replay.law(new Design.Tree(3, 1, 3, false)).hasBand());
        assertEquals(1, replay.law(new Design.Tree(3, 1, 3, false)).central().acceptLength());
    }

    @Example
    void designsBeyondTheTraceAreRefused() {
        MarginalReplay replay = new MarginalReplay(List.of(random(new Random(1), 3, 4, 3)), 3, 4);
        assertThrows(AcceptanceRefused.class, () -> replay.law(new Design.Tree(4, 4, 8, false)));
        assertThrows(AcceptanceRefused.class, () -> replay.law(new Design.Tree(3, 5, 8, false)));
        assertTrue(replay.law(new Design.Tree(3, TreeOptions.UNLIMITED, 8, false))
                .notes()
                .get(0)
                .contains("4 candidates"));
        assertThrows(AcceptanceRefused.class, () -> new MarginalReplay(List.of(), 3, 4).law(new Design.Chain(1)));
    }

    @Property(seed = "2", tries = 100)
    void bonusesWidthsAndEagleFollowTheirTrees(@ForAll long seed) {
        MarginalRound round = random(new Random(seed), 4, 3, 4);
        RankScores scores = RankScores.logProbs(round.logProbs());
        for (TreeOptions options : List.of(
                TreeOptions.budget(9).withBonus(0.5, 0.2),
                TreeOptions.budget(9).withWidthProfile(List.of(1, 2, 2)),
                TreeOptions.budget(9).withChainSeed(true).withBonus(-0.5, 1))) {
            assertEquals(
                    BestFirst.build(scores, options).accepted(round.targetRanks()),
                    new MarginalReplay.Tally(new MarginalReplay.Rule.BestFirstTree(4, options)).add(round));
        }
        EagleTree.Settings settings = new EagleTree.Settings(3, 2, 7);
        int[] reachable = Arrays.copyOf(round.targetRanks(), 3);
        assertEquals(
                EagleTree.build(scores, settings).accepted(reachable),
                new MarginalReplay.Tally(new MarginalReplay.Rule.Eagle(3, settings)).add(round));
    }
}
