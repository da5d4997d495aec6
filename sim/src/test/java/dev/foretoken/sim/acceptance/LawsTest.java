package dev.foretoken.sim.acceptance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.acceptance.AcceptanceForm.AcceptLength;
import dev.foretoken.sim.acceptance.AcceptanceForm.AcceptLengthByBudget;
import dev.foretoken.sim.acceptance.AcceptanceForm.CountedAt;
import dev.foretoken.sim.acceptance.AcceptanceForm.Histogram;
import dev.foretoken.sim.acceptance.AcceptanceForm.PerPosition;
import dev.foretoken.sim.acceptance.AcceptanceForm.Srt;
import dev.foretoken.sim.tree.TreeOptions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What each form gives for which design, and what it refuses. */
class LawsTest {
    private static final Srt SRT = Srt.of(2.219, 0.128, -1.203, 1.354, 0.319, 0.643, 15, 24);

    private static AcceptLengthByBudget curve(Map<Integer, Double> tokens) {
        return new AcceptLengthByBudget(new TreeMap<>(tokens));
    }

    private static void refused(String part, AcceptanceForm form, Design design) {
        AcceptanceRefused e = assertThrows(AcceptanceRefused.class, () -> Laws.of(form, design));
        assertTrue(e.getMessage().contains(part), e.getMessage());
    }

    private static Design.Tree tree(int topK, int budget) {
        return new Design.Tree(15, topK, budget, false);
    }

    @Test
    void acceptLengthGivesChainsOnly() {
        AcceptLength form = new AcceptLength(2.5);
        assertEquals(2.5, Laws.of(form, new Design.Chain(3)).central().acceptLength(), 1e-14);
        assertEquals(2.5, Laws.of(form, tree(1, 8)).central().acceptLength(), 1e-14);
        assertEquals(2.5, Laws.of(form, new Design.Eagle(4, 1, 99)).central().acceptLength(), 1e-14);
        refused("accept_length", form, tree(8, 8));
        refused("accept_length", form, new Design.Eagle(4, 2, 8));
        refused("outside [1, 2]", form, new Design.Chain(1));
        assertThrows(IllegalArgumentException.class, () -> new AcceptLength(0.9));
        assertThrows(IllegalArgumentException.class, () -> new AcceptLength(Double.NaN));
    }

    @Test
    void perPositionIsExactUpToItsLengthAndExtendsOnRequest() {
        PerPosition form = new PerPosition(List.of(0.8, 0.6), false);
        assertArrayEquals(
                new double[] {0.2, 0.2, 0.6},
                Laws.of(form, new Design.Chain(2)).central().pmf(),
                1e-15);
        assertArrayEquals(
                new double[] {0.2, 0.8},
                Laws.of(form, new Design.Chain(1)).central().pmf(),
                1e-15);
        refused("extend: geometric", form, new Design.Chain(3));
        refused("extend: geometric", form, tree(4, 8));
        PerPosition extended = new PerPosition(List.of(0.8, 0.6), true);
        // 0.6/0.8 = 0.75 goes on: 0.45
        assertEquals(
                1 + 0.8 + 0.6 + 0.45,
                Laws.of(extended, new Design.Chain(3)).central().acceptLength(),
                1e-15);
        assertArrayEquals(
                new double[] {0.5, 0.3},
                PerPosition.ofConditional(List.of(0.5, 0.6), false).toArray(),
                1e-15);
        assertThrows(IllegalArgumentException.class, () -> new PerPosition(List.of(0.5, 0.6), false));
        assertThrows(IllegalArgumentException.class, () -> new PerPosition(List.of(1.5), false));
        assertThrows(IllegalArgumentException.class, () -> new PerPosition(List.of(), false));
    }

    @Test
    void aSpineInATreeIsScoredAtTypicalBranchesWithABand() {
        PerPosition form = new PerPosition(List.of(0.9, 0.78, 0.66, 0.55, 0.45, 0.37, 0.30), false);
        LawBand band = Laws.of(form, new Design.Tree(7, 8, 16, false));
        assertEquals(4, band.corners().size());
        assertTrue(band.reason().contains("rho in [0.2, 0.5], kappa in [0, 1]"), band.reason());
        assertTrue(band.lowAcceptLength() < band.central().acceptLength());
        // a chain has no branches: exact
        assertFalse(Laws.of(form, new Design.Tree(7, 1, 16, false)).hasBand());
        // a causal head continues as well off the spine: only rho is open
        LawBand causal = Laws.of(form, new Design.Tree(7, 8, 16, false, 1));
        assertEquals(2, causal.corners().size());
    }

    @Test
    void histogramsSpeakForTheirOwnDesign() {
        Histogram chain = new Histogram(List.of(10.0, 20.0, 30.0, 40.0), new CountedAt.Chain(3));
        assertArrayEquals(
                new double[] {0.1, 0.2, 0.7},
                Laws.of(chain, new Design.Chain(2)).central().pmf(),
                1e-15);
        refused("3 drafts", chain, new Design.Chain(4));
        refused("counted with a chain", chain, tree(8, 8));
        Histogram counted = new Histogram(List.of(1.0, 0.0, 3.0), new CountedAt.Tree(8, 4));
        assertEquals(2.5, Laws.of(counted, tree(4, 8)).central().acceptLength(), 1e-15);
        refused("budget 8, top_k 4; budget 9, top_k 4", counted, tree(4, 9));
        refused("no top_k", counted, tree(TreeOptions.UNLIMITED, 8));
        refused("counted with a tree", counted, new Design.Chain(2));
        refused("rounds of 3 tokens", counted, new Design.Tree(1, 4, 8, false));
        assertThrows(IllegalArgumentException.class, () -> new Histogram(List.of(0.0, 0.0), new CountedAt.Chain(1)));
        assertThrows(IllegalArgumentException.class, () -> new Histogram(List.of(-1.0, 2.0), new CountedAt.Chain(1)));
        assertThrows(
                IllegalArgumentException.class, () -> new Histogram(List.of(1.0, 2.0, 3.0), new CountedAt.Chain(1)));
    }

    @Test
    void budgetCurvesAreRefusedOutsideAndWhenTheyFall() {
        AcceptLengthByBudget form = curve(Map.of(8, 3.0, 16, 4.0));
        assertEquals(3.5, Laws.of(form, tree(8, 12)).central().acceptLength(), 1e-14);
        assertEquals(1, Laws.of(form, tree(8, 0)).central().acceptLength());
        assertEquals(3.5, Laws.of(form, new Design.Eagle(5, 8, 13)).central().acceptLength(), 1e-14);
        refused("outside the budgets", form, tree(8, 4));
        refused("outside the budgets", form, tree(8, 17));
        refused("accept_length_by_budget", form, new Design.Chain(3));
        refused("top_k 1", form, tree(1, 8));
        refused("falls", curve(Map.of(8, 3.0, 16, 2.9)), tree(8, 8));
        refused("drafted positions", form, new Design.Tree(2, 8, 16, false));
        assertThrows(IllegalArgumentException.class, () -> curve(Map.of(0, 1.5)));
        assertThrows(IllegalArgumentException.class, () -> curve(Map.of(2, 3.5)));
        assertThrows(IllegalArgumentException.class, () -> curve(Map.of(-1, 1.0)));
    }

    @Test
    void costAwareTreesNeedThePerRoundProbabilities() {
        Design.CostAware design = new Design.CostAware(15, 8, 64, false, n -> 10 + 0.1 * n);
        refused("srt, file or trace", curve(Map.of(8, 3.0)), design);
        refused("srt, file or trace", new PerPosition(List.of(0.5), true), design);
        SpineTreeLaw law = (SpineTreeLaw) Laws.of(SRT, design).central();
        assertTrue(law.meanBudget() > 1 && law.meanBudget() < 64);
        // easy rounds get larger trees than hard ones: more than one budget is in use
        int used = 0;
        for (double p : law.budgetPmf()) {
            used += p > 0 ? 1 : 0;
        }
        assertTrue(used > 3, "budgets in use: " + used);
    }

    @Test
    void intervalsOfTheLatentFamilyGiveCorners() {
        Srt open = new Srt(
                Parameter.exact(2.219),
                Parameter.exact(0.128),
                Parameter.exact(-1.203),
                Parameter.exact(1.354),
                Parameter.between(0.3, 0.34),
                Parameter.between(0, 1),
                15,
                24,
                0,
                0);
        LawBand band = Laws.of(open, tree(8, 64));
        assertEquals(4, band.corners().size());
        assertTrue(band.reason().contains("kappa in [0.0, 1.0]"), band.reason());
        // neither rho nor kappa matters on a chain
        assertFalse(Laws.of(open, new Design.Chain(7)).hasBand());
        assertTrue(Laws.of(open, new Design.Chain(20)).notes().get(0).contains("15 positions"));
        assertThrows(IllegalArgumentException.class, () -> Srt.of(1, 0, 0, -1, 0.3, 0.5, 15, 24));
        assertThrows(IllegalArgumentException.class, () -> Srt.of(1, 0, 0, 1, 0.3, 1.5, 15, 24));
        assertThrows(IllegalArgumentException.class, () -> Srt.of(Double.NaN, 0, 0, 1, 0.3, 0.5, 15, 24));
        assertThrows(IllegalArgumentException.class, () -> Srt.of(1, 0, 0, 1, 0.3, 0.5, 0, 24));
        assertThrows(IllegalArgumentException.class, () -> Parameter.between(1, 0));
    }

    @Test
    void forcedLengthsAreFloorCeilMixtures() {
        ForcedAcceptance.Sglang forced = new ForcedAcceptance.Sglang(3.2);
        assertArrayEquals(new double[] {0, 0, 0.8, 0.2, 0}, forced.law(4).pmf(), 1e-12);
        assertTrue(forced.sharedByBatch());
        assertArrayEquals(
                new double[] {0, 1}, new ForcedAcceptance.Sglang(2).law(1).pmf());
        assertThrows(AcceptanceRefused.class, () -> forced.law(2));
        ForcedAcceptance.PerRequest rates = new ForcedAcceptance.PerRequest(List.of(0.8, 0.5));
        assertArrayEquals(new double[] {0.2, 0.8}, rates.law(1).pmf(), 1e-15);
        assertEquals(2.3, rates.law(5).acceptLength(), 1e-15);
        assertThrows(IllegalArgumentException.class, () -> new ForcedAcceptance.PerRequest(List.of(0.5, 0.8)));
    }

    @Test
    void firingMixesWithOneToken() {
        FiringLaw law = new FiringLaw(PmfLaw.ofSurvival(0.5, 0.4), 0.25);
        // (1 - .25) + .25 * .5; .25 * .1; .25 * .4
        assertArrayEquals(new double[] {0.875, 0.025, 0.1}, law.pmf(), 1e-15);
        assertEquals(1.225, law.acceptLength(), 1e-15);
        RoundSampler sampler = law.sampler();
        double mean = 0;
        int n = 100_000;
        for (int i = 0; i < n; i++) {
            mean += sampler.tokens(0, 0, (i + 0.5) / n) / (double) n;
        }
        assertEquals(1.225, mean, 1e-4);
        assertArrayEquals(new double[] {1, 0}, new FiringLaw(PmfLaw.ofSurvival(0.5), 0).pmf());
    }

    @Test
    void renewalAveragesOverLengthsInOnePass() {
        Renewal renewal = new Renewal(new double[] {0.5, 0.5}, 4);
        // S(1) = 1, S(2) = 1 + .5 * 1 = 1.5, S(3) = 1 + .5 * 1.5 + .5 * 1 = 2.25
        assertEquals(2.25, renewal.mean(3), 1e-15);
        // lengths 1 (no round), 3 (S(2)) and 4 (S(3))
        assertEquals(0.5 * 1.5 + 0.25 * 2.25, renewal.meanPerAnswer(new double[] {0.25, 0, 0.5, 0.25}), 1e-15);
        assertThrows(IllegalArgumentException.class, () -> renewal.mean(5));
        assertEquals(0, renewal.mean(0));
    }
}
