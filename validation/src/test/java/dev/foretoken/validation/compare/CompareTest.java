package dev.foretoken.validation.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.validation.compare.Equivalence.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CompareTest {
    private static final Conditions A = new Conditions(
            "rtx-pro-6000-server",
            4,
            "qwen3.6-27b",
            "fp8",
            1024.0,
            512.0,
            "c=8",
            "sglang",
            "0.5.23",
            48,
            600.0,
            true,
            true,
            false);

    @Test
    void equivalenceNeedsFiveRunsAndLittleNoise() {
        assertEquals(
                Verdict.UNDECIDED, Equivalence.of(100, new double[] {100}, true).verdict());
        assertEquals(
                Verdict.UNDECIDED,
                Equivalence.of(100, new double[] {100, 101, 99, 100}, true).verdict());
        double[] close = {100, 101, 99, 100.5, 99.5};
        assertEquals(Verdict.EQUIVALENT, Equivalence.of(100, close, true).verdict());
        double[] far = {120, 121, 119, 120.5, 119.5};
        assertEquals(Verdict.DIFFERENT, Equivalence.of(100, far, true).verdict());
        double[] noisy = {80, 120, 95, 130, 85};
        Equivalence e = Equivalence.of(100, noisy, false);
        assertEquals(Verdict.UNDECIDED, e.verdict());
        assertTrue(e.reason().contains("vary"), e.reason());
        double[] edge = {104, 107, 103, 106, 105};
        assertEquals(Verdict.UNDECIDED, Equivalence.of(100, edge, true).verdict());
        assertEquals(Verdict.EQUIVALENT, Equivalence.of(100, edge, false).verdict());
    }

    /** The two one-sided tests at 5 % call no more than about 5 % of cases at the edge of the band equivalent. */
    @Test
    void falseEquivalenceIsRare() {
        Random random = new Random(5);
        int wrong = 0;
        int n = 2000;
        double edge = 100 * Math.exp(Equivalence.band(false));
        for (int i = 0; i < n; i++) {
            double[] runs = new double[6];
            for (int k = 0; k < runs.length; k++) {
                runs[k] = edge * Math.exp(0.03 * random.nextGaussian());
            }
            wrong += Equivalence.of(100, runs, false).verdict() == Verdict.EQUIVALENT ? 1 : 0;
        }
        double z = (wrong - 0.05 * n) / Math.sqrt(n * 0.05 * 0.95);
        assertTrue(z <= 4, wrong + " of " + n);
    }

    @Test
    void conditionsThatDifferAreRefusedByName() {
        assertEquals(List.of(), A.differences(A));
        Conditions b = new Conditions(
                "rtx-pro-6000-server",
                4,
                "qwen3.6-27b",
                "fp8",
                1024.0,
                512.0,
                "c=8",
                "sglang",
                "0.5.23",
                48,
                450.0,
                false,
                true,
                false);
        var e = assertThrows(Guards.RefusedException.class, () -> Guards.comparable("two rows", A, b, Set.of()));
        assertTrue(e.getMessage().contains("power limit: 600.0 against 450.0"), e.getMessage());
        assertTrue(e.getMessage().contains("peer-to-peer"), e.getMessage());
        assertEquals(
                2,
                Guards.comparable("two rows", A, b, Set.of("power limit", "peer-to-peer"))
                        .size());
        assertEquals(2, Guards.comparable("two rows", A, b, Set.of("all")).size());
    }

    @Test
    void overlapAndServerSlotsAreConditions() {
        Conditions overlap = new Conditions(
                "rtx-pro-6000-server",
                4,
                "qwen3.6-27b",
                "fp8",
                1024.0,
                512.0,
                "c=8",
                "sglang",
                "0.5.23",
                48,
                600.0,
                true,
                true,
                true);
        assertEquals(List.of("overlap scheduling: false against true"), A.differences(overlap));
        Conditions slots = new Conditions(
                "rtx-pro-6000-server",
                4,
                "qwen3.6-27b",
                "fp8",
                1024.0,
                512.0,
                "c=8",
                "sglang",
                "0.5.23",
                2,
                600.0,
                true,
                true,
                false);
        assertEquals(List.of("server slots: 48 against 2"), A.differences(slots));
    }

    @Test
    void spellingsOfOneThingAgreeAndUnknownNeverDiffers() {
        assertTrue(Conditions.sameName("rtx-pro-6000-server", "NVIDIA RTX PRO 6000 Blackwell Server Edition"));
        assertTrue(Conditions.sameName("qwen3-8b", "Qwen/Qwen3-8B"));
        assertFalse(Conditions.sameName("h100", "NVIDIA H200"));
        assertFalse(Conditions.sameName("qwen3.6-27b", "Qwen3.5-27B"));
        assertEquals(List.of(), A.differences(Conditions.UNKNOWN));
        assertEquals(List.of("card", "tp", "model", "quantisation", "load", "context"), Conditions.UNKNOWN.missing());
    }

    @Test
    void warningsOfTheBrief() {
        List<String> w = Guards.warnings(new Guards.Facts(1, 20.0, 414.75, 111.0, 0.6, 300.0, false, true));
        assertEquals(7, w.size(), w.toString());
        assertEquals(List.of(), Guards.warnings(new Guards.Facts(12, 512.0, 300.0, 340.0, 0.05, 900.0, true, false)));
        assertEquals(4 * 3.0 * 1600e9 * 2 / 54e9, Guards.rooflineTokS(54e9, 1600e9, 2, 3.0, 4), 1e-9);
    }

    @Test
    void errorSummaryByHand() {
        ErrorSummary e = ErrorSummary.of(List.of(
                new ErrorSummary.Pair(110, 100, new double[] {90, 115}),
                new ErrorSummary.Pair(180, 200, new double[] {170, 190}),
                new ErrorSummary.Pair(300, 300, null)));
        assertEquals((10 + 10 + 0) / 3.0, e.meanAbsolutePercent(), 1e-9);
        assertEquals(10, e.medianAbsolutePercent(), 1e-9);
        assertEquals(1, e.tooHigh());
        assertEquals(0.5, e.coverage());
        assertEquals(1.0, e.kendallTauB());
        assertEquals((Math.log(1.1) + Math.log(0.9)) / 3, e.biasLogRatio(), 1e-12);
        assertThrows(IllegalArgumentException.class, () -> ErrorSummary.Pair.of(0, 1));
    }

    /** Coverage of the bootstrap interval of a mean over 12 runs: near 90 %. */
    @Test
    void bootstrapCovers() {
        Random random = new Random(8);
        int covered = 0;
        int n = 300;
        for (int i = 0; i < n; i++) {
            double[] runs = new double[12];
            for (int k = 0; k < runs.length; k++) {
                runs[k] = 50 + 4 * random.nextGaussian();
            }
            double[] ci = Bootstrap.mean(runs, 0.9, i);
            covered += ci[0] <= 50 && ci[1] >= 50 ? 1 : 0;
        }
        double z = (covered - 0.87 * n) / Math.sqrt(n * 0.87 * 0.13);
        assertTrue(Math.abs(z) <= 4, covered + " of " + n);
        assertEquals(
                Bootstrap.mean(new double[] {1, 2, 3}, 0.9, 4)[0], Bootstrap.mean(new double[] {1, 2, 3}, 0.9, 4)[0]);
        assertThrows(IllegalArgumentException.class, () -> Bootstrap.mean(new double[] {1}, 0.9, 1));
    }

    private static Residuals.CellFacts cell(boolean spec, int clients, double rows, double predicted, double measured) {
        return new Residuals.CellFacts(
                spec,
                clients,
                rows,
                predicted,
                measured,
                100.0,
                100.0,
                100 * predicted / measured,
                10.0,
                10.0,
                100.0,
                null);
    }

    /** Each term, planted alone, comes out first with its size. */
    @Test
    void plantedTermsAreFound() {
        List<Residuals.CellFacts> draft = new ArrayList<>();
        List<Residuals.CellFacts> verify = new ArrayList<>();
        List<Residuals.CellFacts> wide = new ArrayList<>();
        for (int c : new int[] {1, 2, 4, 8}) {
            draft.add(cell(false, c, c, 20, 20));
            draft.add(cell(true, c, 4 * c, 25, 29));
            verify.add(cell(false, c, c, 20, 26));
            verify.add(cell(true, c, 4 * c, 25, 31));
            wide.add(cell(false, c, c, 20, 20));
            wide.add(cell(true, c, 4 * c, 25, 25 + 0.5 * (4 * c - 4)));
        }
        TermResidual d = Residuals.explain(draft).get(0);
        assertEquals("draft_and_host", d.term());
        assertEquals(4, d.ms(), 1e-9);
        TermResidual v = Residuals.explain(verify).get(0);
        assertEquals("verify", v.term(), "a flat curve does not tell a constant from a factor");
        assertEquals(6, v.ms(), 1e-9);
        List<Residuals.CellFacts> constant = new ArrayList<>();
        List<Residuals.CellFacts> factor = new ArrayList<>();
        for (int c : new int[] {1, 2, 4, 8}) {
            constant.add(cell(false, c, c, 20 + c, 31.5 + c));
            factor.add(cell(false, c, c, 20 + c, 1.4 * (20 + c)));
        }
        TermResidual host = Residuals.explain(constant).get(0);
        assertEquals("host", host.term());
        assertEquals(11.5, host.ms(), 1e-9);
        assertTrue(host.evidence().contains("more than any host"), host.evidence());
        assertEquals("verify", Residuals.explain(factor).get(0).term());
        TermResidual w = Residuals.explain(wide).get(0);
        assertEquals("verify", w.term());
        assertTrue(w.evidence().contains("0.5000 ms per row"), w.evidence());
        List<Residuals.CellFacts> prefill = List.of(
                new Residuals.CellFacts(false, 1, 1.0, 20.0, 20.0, 100.0, 100.0, 99.0, 10.0, 40.0, 1000.0, 3000.0));
        TermResidual p = Residuals.explain(prefill).get(0);
        assertEquals("prefill", p.term());
        assertEquals(0.03, p.ms(), 1e-12);
        List<Residuals.CellFacts> acceptance = List.of(
                new Residuals.CellFacts(true, 4, 16.0, 25.0, 25.0, 150.0, 100.0, 100.0, 10.0, 10.0, 100.0, null));
        assertEquals("acceptance", Residuals.explain(acceptance).get(0).term());
        assertEquals(List.of(), Residuals.explain(List.of()));
    }

    @Test
    void cellsAndFigures() {
        assertEquals("1/chat/c=4", new Cell(1, "ar", null, null, "chat", "c=4").rivals());
        assertNull(new Figures(java.util.Map.of()).get(Figure.TPOT_MS));
        assertThrows(IllegalArgumentException.class, () -> new Figures(java.util.Map.of(Figure.TPOT_MS, -1.0)));
        assertEquals(Figure.OUTPUT_TOK_S, Figure.byKey("output_tok_s").orElseThrow());
    }

    /** Names are accepted however their words are joined; a name that nothing has is refused with the nearest one. */
    @Test
    void namesOfDifferences() {
        assertEquals(
                Set.of("output length", "CUDA graphs", "peer-to-peer", "all"),
                Guards.allowed(List.of("output-length", "output_length", "cuda graphs", "peer_to_peer", "all")));
        var e = assertThrows(IllegalArgumentException.class, () -> Guards.allowed(List.of("outputlength")));
        assertTrue(e.getMessage().contains("did you mean output-length?"), e.getMessage());
        Conditions other = A.orElse(Conditions.UNKNOWN);
        assertEquals(List.of(), A.differences(other));
        Conditions all =
                new Conditions("h100", 1, "other", "int4", 9.0, 9.0, "c=1", "vllm", "1", 1, 1.0, false, false, true);
        assertEquals(
                Conditions.NAMES,
                A.differences(all).stream()
                        .map(d -> d.substring(0, d.indexOf(':')))
                        .toList(),
                "every difference can be allowed by its name");
        var r = assertThrows(Guards.RefusedException.class, () -> Guards.comparable("a", A, all, Set.of("card")));
        assertTrue(r.getMessage().contains("--allow-different tp,model,quantisation,load,context,output-length"));
    }

    /** What a term explains is of throughput: a time to first token that is 4 times as long is 1 % of a 3 s answer. */
    @Test
    void sharesAreOfThroughput() {
        TermResidual p = Residuals.explain(List.of(new Residuals.CellFacts(
                        false, 1, 1.0, 20.0, 20.0, 100.0, 100.0, 99.0, 10.0, 40.0, 1000.0, 3000.0)))
                .get(0);
        assertEquals(Math.log(3030.0 / 3000), p.share(), 1e-12);
        assertTrue(p.evidence().contains("time to first token is off by +300.0 %"), p.evidence());
        List<TermResidual> unknown = Residuals.explain(List.of(
                new Residuals.CellFacts(false, 1, 1.0, null, null, 100.0, 100.0, 80.0, 10.0, 40.0, 1000.0, 3000.0)));
        assertEquals(
                List.of("not_told_apart", "prefill"),
                unknown.stream().map(TermResidual::term).toList());
        assertEquals(
                Math.log(100 / 80.0),
                unknown.get(0).share() + unknown.get(1).share(),
                1e-12,
                "the parts are the whole");
        List<TermResidual> rest = Residuals.explain(List.of(
                new Residuals.CellFacts(false, 1, 1.0, 20.0, 20.0, 100.0, 100.0, 60.0, 10.0, 10.0, 1000.0, 3000.0)));
        assertEquals("not_told_apart", rest.get(0).term());
        assertEquals(Math.log(100 / 60.0), rest.get(0).share(), 1e-12);
    }

    @Test
    void cellsOfArmsThatOneParameterTellsApart() {
        Cell two = new Cell(1, "mtp", null, null, java.util.Map.of("steps", 2), "chat", "c=4");
        assertEquals("tp 1 mtp steps=2 chat c=4", two.toString());
        assertEquals(two, new Cell(1, "mtp", null, null, java.util.Map.of("steps", 2.0), "chat", "c=4"));
        assertFalse(two.equals(new Cell(1, "mtp", null, null, java.util.Map.of("steps", 3), "chat", "c=4")));
        assertEquals(two.rivals(), new Cell(1, "ar", null, null, "chat", "c=4").rivals());
    }
}
