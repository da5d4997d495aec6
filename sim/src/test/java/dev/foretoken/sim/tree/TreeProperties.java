package dev.foretoken.sim.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

class TreeProperties {

    /** Probabilities by depth and rank: random, or on a coarse grid so that exact ties are common. */
    @Provide
    Arbitrary<double[][]> marginals() {
        return Arbitraries.longs().map(seed -> {
            Random random = new Random(seed);
            boolean ties = random.nextBoolean();
            double[][] p = new double[1 + random.nextInt(4)][];
            for (int d = 0; d < p.length; d++) {
                int k = 1 + random.nextInt(4);
                double[] row = new double[k];
                double sum = 0;
                for (int r = 0; r < k; r++) {
                    row[r] = ties ? Math.pow(2, -1 - random.nextInt(4)) : random.nextDouble() + 1e-3;
                    sum += row[r];
                }
                double scale = ties ? 0.25 : (0.5 + random.nextDouble() / 2) / sum;
                for (int r = 0; r < k; r++) {
                    row[r] *= scale;
                }
                Arrays.sort(row);
                for (int r = 0; r < k / 2; r++) {
                    double swap = row[r];
                    row[r] = row[k - 1 - r];
                    row[k - 1 - r] = swap;
                }
                p[d] = row;
            }
            return p;
        });
    }

    private static RankScores logs(double[][] p) {
        double[][] lp = new double[p.length][];
        for (int d = 0; d < p.length; d++) {
            lp[d] = Arrays.stream(p[d]).map(Math::log).toArray();
        }
        return RankScores.logProbs(lp);
    }

    @Property(seed = "1", tries = 400)
    void bestFirstIsTheSortedPrefix(
            @ForAll("marginals") double[][] p,
            @ForAll @IntRange(max = 40) int budget,
            @ForAll @IntRange(min = 1, max = 5) int topK) {
        TreeOptions options = TreeOptions.budget(budget).withTopK(topK);
        for (RankScores s : List.of(logs(p), RankScores.probabilities(p))) {
            assertArrayEquals(RankPaths.firstBySorting(s, options), RankPaths.of(BestFirst.build(s, options)));
        }
    }

    @Property(seed = "2", tries = 100)
    void noPrefixClosedSetIsBetter(@ForAll("marginals") double[][] p, @ForAll @IntRange(max = 4) int budget) {
        RankScores s = RankScores.probabilities(p);
        double best = BestFirst.build(s, TreeOptions.budget(budget)).expectedTokens(s);
        int[][] all = RankPaths.all(s, 3);
        int[][] some = Arrays.copyOf(all, Math.min(14, all.length));
        for (int set = 0; set < 1 << some.length; set++) {
            if (Integer.bitCount(set) <= budget) {
                assertTrue(value(some, set, s) <= best + 1e-12);
            }
        }
    }

    private static double value(int[][] paths, int set, RankScores s) {
        Set<String> in = new HashSet<>();
        double sum = 1;
        for (int i = 0; i < paths.length; i++) {
            if ((set >> i & 1) == 1) {
                in.add(Arrays.toString(paths[i]));
            }
        }
        for (int i = 0; i < paths.length; i++) {
            if ((set >> i & 1) == 0) {
                continue;
            }
            double w = 1;
            for (int d = 1; d <= paths[i].length; d++) {
                if (!in.contains(Arrays.toString(Arrays.copyOf(paths[i], d)))) {
                    return 0;
                }
                w *= s.at(d, paths[i][d - 1]);
            }
            sum += w;
        }
        return sum;
    }

    @Property(seed = "3", tries = 300)
    void nodesOfABudgetAreAPrefixOfTheNext(
            @ForAll("marginals") double[][] p, @ForAll @IntRange(max = 40) int budget, @ForAll boolean chainSeed) {
        RankScores s = logs(p);
        TreeOptions options = TreeOptions.budget(budget).withChainSeed(chainSeed);
        DraftTree small = BestFirst.build(s, options);
        DraftTree large = BestFirst.build(s, options.withBudget(budget + 1));
        assertArrayEquals(RankPaths.of(small), RankPaths.of(large.prefix(budget)));
        assertTrue(large.expectedTokens(s) >= small.expectedTokens(s));
    }

    @Property(seed = "4", tries = 300)
    void incrementsFallOnlyWithoutKappa(
            @ForAll("marginals") double[][] p, @ForAll @DoubleRange(min = 0, max = 1) double kappa) {
        RankScores s = logs(p);
        DraftTree tree = BestFirst.build(s, TreeOptions.budget(60));
        double[] gains = tree.pathProbabilities(s);
        for (int n = 1; n < gains.length; n++) {
            assertTrue(gains[n] <= gains[n - 1] * (1 + 1e-12));
        }
        double[] lower = tree.pathProbabilities(s, kappa);
        for (int n = 0; n < gains.length; n++) {
            assertTrue(lower[n] >= 0 && lower[n] <= gains[n]);
        }
        assertTrue(tree.expectedTokens(s, kappa) <= tree.expectedTokens(s, (1 + kappa) / 2) + 1e-12);
    }

    @Property(seed = "5", tries = 200)
    void topKOfOneIsTheChain(@ForAll("marginals") double[][] p, @ForAll @IntRange(max = 10) int budget) {
        RankScores s = logs(p);
        DraftTree tree = BestFirst.build(s, TreeOptions.budget(budget).withTopK(1));
        assertEquals(Math.min(budget, p.length), tree.size());
        for (int n = 0; n < tree.size(); n++) {
            assertEquals(n - 1, tree.parent(n));
            assertEquals(n + 1, tree.depth(n));
            assertEquals(0, tree.rank(n));
        }
    }

    @Property(seed = "6", tries = 200)
    void tauIsBounded(@ForAll("marginals") double[][] p, @ForAll @IntRange(max = 80) int budget) {
        RankScores s = RankScores.probabilities(p);
        double tau = BestFirst.build(s, TreeOptions.budget(budget)).expectedTokens(s);
        assertTrue(tau >= 1 && tau <= 1 + Math.min(budget, p.length) + 1e-12);
    }

    @Property(seed = "7", tries = 200)
    void treesAreClosedAndTheMaskShowsAncestors(
            @ForAll("marginals") double[][] p, @ForAll @IntRange(max = 80) int budget) {
        DraftTree tree = BestFirst.build(logs(p), TreeOptions.budget(budget));
        long[][] mask = tree.ancestorMask();
        assertEquals(tree.size() + 1, mask.length);
        for (int row = 0; row < mask.length; row++) {
            Set<Integer> seen = new HashSet<>();
            seen.add(0);
            for (int n = row - 1; n >= 0; n = tree.parent(n)) {
                seen.add(n + 1);
                assertTrue(tree.parent(n) < n);
            }
            for (int j = 0; j < mask.length; j++) {
                assertEquals(
                        seen.contains(j), (mask[row][j >> 6] >>> (j & 63) & 1) == 1, "row " + row + " column " + j);
            }
        }
    }

    @Property(seed = "8", tries = 200)
    void walkAcceptsTheLongestPathInTheTree(@ForAll("marginals") double[][] p, @ForAll @IntRange(max = 30) int budget) {
        RankScores s = logs(p);
        DraftTree tree = BestFirst.build(s, TreeOptions.budget(budget));
        Set<String> nodes = new HashSet<>();
        for (int[] path : RankPaths.of(tree)) {
            nodes.add(Arrays.toString(path));
        }
        for (int[] target : RankPaths.all(s, 4)) {
            int longest = 0;
            while (longest < target.length && nodes.contains(Arrays.toString(Arrays.copyOf(target, longest + 1)))) {
                longest++;
            }
            assertEquals(longest, tree.accepted(target));
        }
    }

    @Property(seed = "9", tries = 200)
    void widthProfileLimitsEveryDepth(
            @ForAll("marginals") double[][] p, @ForAll @IntRange(max = 30) int budget, @ForAll boolean chainSeed) {
        List<Integer> widths = List.of(2, 1, 3, 0);
        DraftTree tree = BestFirst.build(
                logs(p), TreeOptions.budget(budget).withChainSeed(chainSeed).withWidthProfile(widths));
        int[] counts = tree.nodesByDepth();
        for (int d = 0; d < counts.length; d++) {
            assertTrue(counts[d] <= widths.get(d));
        }
        assertEquals(new HashSet<>(paths(tree)).size(), tree.size());
    }

    private static List<String> paths(DraftTree tree) {
        List<String> out = new ArrayList<>();
        for (int[] path : RankPaths.of(tree)) {
            out.add(Arrays.toString(path));
        }
        return out;
    }

    @Property(seed = "10", tries = 200)
    void eagleTreeIsTheBestOfItsPool(
            @ForAll("marginals") double[][] p,
            @ForAll @IntRange(min = 1, max = 4) int steps,
            @ForAll @IntRange(min = 1, max = 3) int topK,
            @ForAll @IntRange(min = 1, max = 12) int draftTokens) {
        RankScores s = logs(p);
        DraftTree tree = EagleTree.build(s, new EagleTree.Settings(steps, topK, draftTokens));
        int width = topK == 1 ? steps + 1 : draftTokens;
        assertTrue(tree.size() <= width - 1);
        assertTrue(tree.maxDepth() <= Math.min(steps, p.length));
        if (steps == 1 || topK == 1) {
            DraftTree same = BestFirst.build(
                    RankScores.logProbs(Arrays.copyOf(values(s), Math.min(steps, p.length))),
                    TreeOptions.budget(width - 1).withTopK(topK));
            assertEquals(sorted(paths(same)), sorted(paths(tree)));
        }
    }

    private static double[][] values(RankScores s) {
        double[][] out = new double[s.depth()][];
        for (int d = 1; d <= out.length; d++) {
            out[d - 1] = new double[s.ranks(d)];
            for (int r = 0; r < out[d - 1].length; r++) {
                out[d - 1][r] = s.at(d, r);
            }
        }
        return out;
    }

    private static List<String> sorted(List<String> list) {
        Collections.sort(list);
        return list;
    }

    @Property(seed = "11", tries = 200)
    void fullSearchIsNeverWorseThanStoppingAtTheFirstDecrease(@ForAll("marginals") double[][] p, @ForAll long seed) {
        RankScores s = RankScores.probabilities(p);
        double[] gains = BestFirst.build(s, TreeOptions.budget(50)).pathProbabilities(s);
        Random random = new Random(seed);
        double[] stairs = new double[gains.length + 1];
        double c = 5;
        for (int n = 0; n < stairs.length; n++) {
            c += random.nextInt(5) == 0 ? 2 * random.nextDouble() : 0;
            stairs[n] = c;
        }
        int greedy = CostAwareBudget.firstDecrease(gains, n -> stairs[n]);
        int best = CostAwareBudget.best(gains, n -> stairs[n]);
        assertTrue(CostAwareBudget.rate(gains, n -> stairs[n], best)
                >= CostAwareBudget.rate(gains, n -> stairs[n], greedy));
        int convex = CostAwareBudget.firstDecrease(gains, n -> 5 + 0.1 * n);
        assertEquals(
                CostAwareBudget.rate(gains, n -> 5 + 0.1 * n, CostAwareBudget.best(gains, n -> 5 + 0.1 * n)),
                CostAwareBudget.rate(gains, n -> 5 + 0.1 * n, convex),
                1e-12);
    }
}
