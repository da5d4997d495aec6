package dev.foretoken.sim.acceptance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.tree.TreeOptions;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

class AcceptanceProperties {

    @Provide
    Arbitrary<AcceptanceForm.Srt> srt() {
        return Arbitraries.longs().map(seed -> {
            Random r = new Random(seed);
            return AcceptanceForm.Srt.of(
                    4 * r.nextDouble() - 0.5,
                    0.4 * r.nextDouble() - 0.05,
                    2 * r.nextDouble() - 1.5,
                    r.nextInt(4) == 0 ? 0 : 2 * r.nextDouble(),
                    r.nextDouble(),
                    r.nextDouble(),
                    1 + r.nextInt(16),
                    1 + r.nextInt(24));
        });
    }

    @Provide
    Arbitrary<double[]> survival() {
        return Arbitraries.longs().map(seed -> {
            Random r = new Random(seed);
            double[] s = new double[1 + r.nextInt(16)];
            double v = 1;
            for (int i = 0; i < s.length; i++) {
                v *= switch (r.nextInt(8)) {
                    case 0 -> 1;
                    case 1 -> i > 2 ? 0 : 0.5;
                    default -> r.nextDouble();
                };
                s[i] = v;
            }
            return s;
        });
    }

    private static void isLaw(AcceptanceLaw law, int most) {
        double[] pmf = law.pmf();
        double sum = 0;
        double mean = 0;
        for (int j = 0; j < pmf.length; j++) {
            assertTrue(pmf[j] >= 0, "probability " + pmf[j]);
            sum += pmf[j];
            mean += (j + 1) * pmf[j];
        }
        assertEquals(1, sum, 1e-12);
        assertEquals(law.acceptLength(), mean, 1e-12);
        assertTrue(law.acceptLength() >= 1 && law.acceptLength() <= 1 + most + 1e-12);
        assertTrue(law.maxAccepted() <= most);
    }

    private static AcceptanceLaw law(AcceptanceForm form, Design design) {
        return Laws.of(form, design).central();
    }

    @Property(seed = "1", tries = 150)
    void treesOfTheLatentFamilyAreLawsAndGrowWithTheBudget(
            @ForAll("srt") AcceptanceForm.Srt form,
            @ForAll @IntRange(max = 70) int budget,
            @ForAll @IntRange(min = 1, max = 9) int topK,
            @ForAll boolean chainSeed) {
        Design.Tree design = new Design.Tree(15, topK, budget, chainSeed);
        AcceptanceLaw small = law(form, design);
        AcceptanceLaw large = law(form, design.withBudget(budget + 1));
        isLaw(small, Math.min(budget, Math.min(15, form.depth())));
        assertTrue(large.acceptLength() >= small.acceptLength() - 1e-12);
        double[] s = Survival.fromPmf(small.pmf());
        double[] l = Survival.fromPmf(large.pmf());
        for (int d = 0; d < s.length; d++) {
            assertTrue(l[d] >= s[d] - 1e-12, "survival at depth " + (d + 1));
        }
        if (topK > 1) {
            double[] curve = Laws.acceptLengthCurve(form, design.withBudget(70));
            assertEquals(curve[budget], small.acceptLength(), 1e-12);
        }
    }

    @Property(seed = "2", tries = 100)
    void incrementsDoNotRiseWhenBranchesContinueAsWellAsTheSpine(@ForAll("srt") AcceptanceForm.Srt form) {
        double[] tau = Laws.acceptLengthCurve(form, new Design.Tree(15, 8, 60, false, 1));
        for (int b = 2; b < tau.length; b++) {
            assertTrue(tau[b] - tau[b - 1] <= tau[b - 1] - tau[b - 2] + 1e-12, "budget " + b);
        }
    }

    @Property(seed = "3", tries = 100)
    void topKOfOneIsTheChainAndBudgetZeroIsOneToken(
            @ForAll("srt") AcceptanceForm.Srt form, @ForAll @IntRange(max = 20) int budget) {
        AcceptanceLaw tree = law(form, new Design.Tree(15, 1, budget, false));
        AcceptanceLaw chain = law(form, new Design.Chain(Math.min(budget, 15)));
        assertArrayEquals(chain.pmf(), tree.pmf(), 1e-15);
        assertArrayEquals(
                new double[] {1}, law(form, new Design.Tree(15, 8, 0, false)).pmf());
        assertArrayEquals(new double[] {1}, law(form, new Design.Eagle(3, 4, 1)).pmf());
    }

    @Property(seed = "13", tries = 150)
    void survivalWithoutOrderIsTheSurvivalOfTheTree(
            @ForAll("srt") AcceptanceForm.Srt form,
            @ForAll @IntRange(max = 90) int budget,
            @ForAll @IntRange(min = 2, max = 9) int topK,
            @ForAll boolean chainSeed) {
        // kappa 1: paths of equal belief are worth the same, so the choice among them does not matter in sum
        Design.Tree design = new Design.Tree(15, topK, budget, chainSeed, 1);
        LatentRound.AtDifficulty at = new LatentRound.AtDifficulty(form, design);
        double[] survival = new double[at.depth()];
        int nodes = form.sigma().value() > 0 ? LatentRound.NODES : 1;
        for (int i = 0; i < nodes; i++) {
            at.addSurvival(nodes == 1 ? 0 : LatentRound.z(i), nodes == 1 ? 1 : LatentRound.weight(i), survival);
        }
        assertEquals(law(form, design).acceptLength(), Survival.acceptLength(survival), 1e-9);
    }

    @Property(seed = "4", tries = 100)
    void kappaIsMonotone(
            @ForAll("srt") AcceptanceForm.Srt form,
            @ForAll @IntRange(min = 1, max = 64) int budget,
            @ForAll @DoubleRange(min = 0, max = 1) double kappa) {
        double low = law(form, new Design.Tree(15, 8, budget, true, kappa)).acceptLength();
        double high =
                law(form, new Design.Tree(15, 8, budget, true, (1 + kappa) / 2)).acceptLength();
        assertTrue(low <= high + 1e-12);
    }

    @Property(seed = "5", tries = 60)
    void eagleTreesAreLaws(
            @ForAll("srt") AcceptanceForm.Srt form,
            @ForAll @IntRange(min = 1, max = 6) int steps,
            @ForAll @IntRange(min = 1, max = 6) int topK,
            @ForAll @IntRange(min = 1, max = 40) int draftTokens) {
        isLaw(law(form, new Design.Eagle(steps, topK, draftTokens)), steps);
    }

    @Property(seed = "6", tries = 60)
    void costAwareTreesLieBelowTheirLargestBudget(
            @ForAll("srt") AcceptanceForm.Srt form, @ForAll @DoubleRange(min = 0, max = 2) double slope) {
        SpineTreeLaw adaptive = (SpineTreeLaw) law(form, new Design.CostAware(15, 8, 32, false, n -> 10 + slope * n));
        isLaw(adaptive, 15);
        assertTrue(adaptive.acceptLength()
                <= law(form, new Design.Tree(15, 9, 32, false)).acceptLength() + 1e-9);
        assertEquals(1, Arrays.stream(adaptive.budgetPmf()).sum(), 1e-12);
        if (slope == 0) {
            assertTrue(adaptive.meanBudget() > 0);
        }
    }

    @Property(seed = "7", tries = 300)
    void survivalConditionalAndHistogramRoundTrip(@ForAll("survival") double[] survival) {
        assertArrayEquals(survival, Survival.fromConditional(Survival.toConditional(survival)), 1e-14);
        assertArrayEquals(survival, Survival.fromPmf(Survival.toPmf(survival)), 1e-14);
        double[] counts =
                Arrays.stream(Survival.toPmf(survival)).map(p -> 1000 * p).toArray();
        assertArrayEquals(survival, Survival.fromPmf(Survival.pmfFromCounts(counts)), 1e-14);
        isLaw(PmfLaw.ofSurvival(survival), survival.length);
        int shorter = survival.length / 2;
        AcceptanceForm.PerPosition form =
                new AcceptanceForm.PerPosition(Arrays.stream(survival).boxed().toList(), false);
        assertEquals(
                Survival.acceptLength(Arrays.copyOf(survival, shorter)),
                law(form, new Design.Chain(shorter)).acceptLength(),
                1e-14);
        AcceptanceForm.Histogram histogram = new AcceptanceForm.Histogram(
                Arrays.stream(counts).boxed().toList(), new AcceptanceForm.CountedAt.Chain(survival.length));
        assertArrayEquals(
                law(form, new Design.Chain(shorter)).pmf(),
                law(histogram, new Design.Chain(shorter)).pmf(),
                1e-12);
    }

    @Property(seed = "8", tries = 300)
    void meanOfTheTruncatedGeometricIsTheOneAskedFor(
            @ForAll @IntRange(min = 1, max = 40) int length, @ForAll @DoubleRange(min = 0, max = 1) double share) {
        double tokens = 1 + share * length;
        double alpha = TruncatedGeometric.alphaFor(tokens, length);
        assertEquals(tokens, TruncatedGeometric.acceptLength(alpha, length), 1e-13 * (length + 1));
    }

    @Property(seed = "9", tries = 100)
    void roundsLieBetweenTheWaldBounds(@ForAll("survival") double[] survival, @ForAll @IntRange(max = 300) int tokens) {
        PmfLaw law = PmfLaw.ofSurvival(survival);
        Renewal renewal = new Renewal(law, tokens);
        double tau = law.acceptLength();
        double mean = renewal.mean(tokens);
        assertTrue(mean >= tokens / tau - 1e-9 && mean <= (tokens + survival.length) / tau + 1e-9);
        assertTrue(renewal.variance(tokens) >= 0);
        double[] cdf = Renewal.roundsCdf(law.pmf(), tokens);
        double fromCdf = 0;
        for (double f : cdf) {
            fromCdf += 1 - f;
        }
        assertEquals(mean, fromCdf, 1e-8 * (1 + mean));
    }

    @Property(seed = "12", tries = 100)
    void renewalIsThePlainRecursion(@ForAll("survival") double[] survival) {
        double[] pmf = Survival.toPmf(survival);
        int n = 2000;
        double[] s = new double[n + 1];
        Renewal renewal = new Renewal(pmf, n);
        for (int t = 1; t <= n; t++) {
            s[t] = 1;
            for (int k = 1; k <= Math.min(pmf.length, t); k++) {
                s[t] += pmf[k - 1] * s[t - k];
            }
            assertEquals(s[t], renewal.mean(t), 1e-12 * s[t]);
        }
    }

    @Property(seed = "10", tries = 100)
    void budgetCurveIsReadBetweenItsBudgets(@ForAll @IntRange(min = 4, max = 32) int budget) {
        TreeMap<Integer, Double> curve = new TreeMap<>(java.util.Map.of(4, 3.6, 8, 4.6, 16, 5.2, 32, 5.5));
        AcceptanceForm form = new AcceptanceForm.AcceptLengthByBudget(curve);
        LawBand band = Laws.of(form, new Design.Tree(7, 8, budget, false));
        isLaw(band.central(), 7);
        int lo = curve.floorKey(budget);
        int hi = curve.ceilingKey(budget);
        assertTrue(band.central().acceptLength() >= curve.get(lo) - 1e-12);
        assertTrue(band.central().acceptLength() <= curve.get(hi) + 1e-12);
        assertTrue(band.notes().get(0).contains("assumed"));
    }

    @Property(seed = "11", tries = 40)
    void aSpineInATreeCarriesABandThatHoldsTheCentralLaw(@ForAll("survival") double[] survival) {
        AcceptanceForm form =
                new AcceptanceForm.PerPosition(Arrays.stream(survival).boxed().toList(), true);
        for (Design d : List.of(new Design.Tree(7, TreeOptions.UNLIMITED, 22, true), new Design.Eagle(5, 4, 12))) {
            LawBand band = Laws.of(form, d);
            isLaw(band.central(), 7);
            assertTrue(band.hasBand());
            assertTrue(band.lowAcceptLength() <= band.central().acceptLength());
            assertTrue(band.highAcceptLength() >= band.central().acceptLength());
        }
    }
}
