package dev.foretoken.calibration.acceptance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.Parameter;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Fits find the parameters that made the rounds, and their intervals hold them as often as they say. */
class SrtRecoveryTest {
    private static final AcceptanceForm.Srt TRUTH =
            AcceptanceForm.Srt.of(2.2, 0.13, -1.2, 1.3, 0.32, 0.64, 7, 8).withDependence(0.56, 0.16);
    private static final double LEVEL = 0.9;

    private static Parameter[] parameters(AcceptanceForm.Srt f) {
        return new Parameter[] {f.a(), f.b(), f.c1(), f.sigma(), f.rho(), f.kappa()};
    }

    @Test
    void intervalsCoverTheTruthWithAChainRunAndATreeHistogram() {
        int seeds = 20;
        int[] covered = new int[SrtParameters.COUNT];
        // designs that no round was seen at
        List<Design> unseen =
                List.of(new Design.Chain(4), new Design.Tree(7, 8, 6, false), new Design.Tree(7, 8, 48, false));
        int[] predicted = new int[unseen.size()];
        double phi = 0;
        double share = 0;
        for (int seed = 1; seed <= seeds; seed++) {
            Evidence.RequestRounds tree = Synthetic.rounds(TRUTH, new Design.Tree(7, 8, 16, false), 128, 32, seed);
            Evidence.RequestRounds chain = Synthetic.rounds(TRUTH, new Design.Chain(7), 128, 32, seed);
            SrtFitter fitter = new SrtFitter(List.of(tree, chain), 7, 8);
            SrtFitter.Point best = fitter.fit();
            SrtIntervals intervals = SrtIntervals.of(fitter, best, LEVEL);
            Parameter[] found = parameters(intervals.form());
            for (int k = 0; k < found.length; k++) {
                double truth = parameters(TRUTH)[k].value();
                covered[k] += found[k].lo() <= truth && truth <= found[k].hi() ? 1 : 0;
            }
            SamplingError sampling = new SamplingError(fitter, best, intervals);
            for (int i = 0; i < unseen.size(); i++) {
                double truth = EvidenceModel.mean(EvidenceModel.pmf(TRUTH, unseen.get(i)));
                double fit = EvidenceModel.mean(EvidenceModel.pmf(best.form(), unseen.get(i)));
                double half = sampling.halfWidth(unseen.get(i));
                assertTrue(half > 0 && half < 0.1 * truth, "half-width " + half + " of " + truth);
                predicted[i] += Math.abs(fit - truth) <= half ? 1 : 0;
            }
            Dependence d = Dependence.of(List.of(tree, chain), best.form());
            phi += d.autocorrelation() / seeds;
            share += d.requestShare() / seeds;
        }
        for (int k = 0; k < covered.length; k++) {
            assertTrue(
                    covered[k] >= 15,
                    SrtParameters.NAMES[k] + " covered in " + covered[k] + " of " + seeds + ": "
                            + Arrays.toString(covered));
        }
        for (int n : predicted) {
            assertTrue(n >= 15, "accept lengths of unseen designs covered " + Arrays.toString(predicted));
        }
        assertEquals(0.56, phi, 0.08);
        assertEquals(0.16, share, 0.05);
    }

    @Test
    void chainCountersAloneLeaveKappaOpenAndSayWhatWouldCloseIt() {
        Evidence.Histogram chain = Evidence.Histogram.ofChainCounters(8000, 7000, 5800, 4700, 3800, 3000, 2400, 1900);
        SrtFitter fitter = new SrtFitter(List.of(chain), 7, 8);
        SrtFitter.Point best = fitter.fit();
        SrtIntervals intervals = SrtIntervals.of(fitter, best, LEVEL);
        assertEquals(0, intervals.form().kappa().lo());
        assertEquals(1, intervals.form().kappa().hi());
        assertFalse(intervals.identified().get(SrtParameters.KAPPA));
        // 1 + the survival: 28600/8000 accepted drafts per round
        assertEquals(1 + 28600.0 / 8000, EvidenceModel.mean(EvidenceModel.pmf(best.form(), new Design.Chain(7))), 0.02);
        NextRun today = NextRun.today(fitter, best, intervals);
        List<NextRun> ranked = NextRun.rank(fitter, best, intervals, 4000);
        assertTrue(today.kappaHalfWidth() > 0.4);
        assertTrue(ranked.get(0).kappaHalfWidth() < 0.1, ranked.get(0).toString());
        assertTrue(
                ranked.stream().filter(r -> r.run().startsWith("a chain run")).allMatch(r -> r.kappaHalfWidth() > 0.4));
    }

    @Test
    void probesPinRhoAndKappa() {
        Evidence.Histogram chain = Evidence.Histogram.ofChainCounters(8000, 7000, 5800, 4700, 3800, 3000, 2400, 1900);
        // of 6000 first misses 4000 took rank 1, 1300 rank 2, 450 rank 3: about a third each time
        Evidence.FirstMissRank ranks = new Evidence.FirstMissRank(7, List.of(4000.0, 1300.0, 450.0), 250);
        Evidence.AfterSibling sibling = new Evidence.AfterSibling(7, 2000, 900);
        SrtFitter fitter = new SrtFitter(List.of(chain, ranks, sibling), 7, 8);
        SrtFitter.Point best = fitter.fit();
        SrtIntervals intervals = SrtIntervals.of(fitter, best, LEVEL);
        assertTrue(
                intervals.form().rho().value() > 0.25 && intervals.form().rho().value() < 0.45);
        Parameter kappa = intervals.form().kappa();
        assertTrue(kappa.hi() - kappa.lo() < 0.2, kappa.toString());
        assertTrue(intervals.identified().get(SrtParameters.RHO)
                && intervals.identified().get(SrtParameters.KAPPA));
    }

    @Test
    void meansAtTwoBudgetsAndCountersGiveAWideKappa() {
        Design.Chain chain = new Design.Chain(7);
        Evidence counters = new Evidence.Histogram(
                chain,
                Arrays.stream(EvidenceModel.pmf(TRUTH, chain))
                        .map(p -> 8000 * p)
                        .boxed()
                        .toList());
        Design small = new Design.Tree(7, 8, 16, false);
        Design large = new Design.Tree(7, 8, 64, false);
        SrtFitter fitter = new SrtFitter(
                List.of(
                        counters,
                        new Evidence.MeanTokens(small, EvidenceModel.mean(EvidenceModel.pmf(TRUTH, small)), 4000),
                        new Evidence.MeanTokens(large, EvidenceModel.mean(EvidenceModel.pmf(TRUTH, large)), 4000)),
                7,
                8);
        SrtFitter.Point best = fitter.fit();
        Parameter kappa = SrtIntervals.of(fitter, best, LEVEL).form().kappa();
        assertTrue(kappa.lo() <= 0.64 && kappa.hi() >= 0.64, kappa.toString());
        assertTrue(kappa.hi() - kappa.lo() > 0.1, kappa.toString());
    }
}
