package dev.foretoken.calibration.acceptance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.calibration.study.AcceptanceStudy;
import dev.foretoken.calibration.study.AcceptanceStudy.Known;
import dev.foretoken.calibration.study.Collected;
import dev.foretoken.formats.acceptance.readers.AcceptanceKey;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.LawBand;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.acceptance.Parameter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Fits that leave rho and kappa wide, or at their bounds: what is said of them must agree. */
class WideFitsTest {
    private static final int DEPTH = 15;
    private static final int RHO = 4;
    private static final int KAPPA = 5;
    private static final Design TREE = new Design.Tree(DEPTH, 4, 16, false);

    private static AcceptanceStudy study(Evidence evidence) {
        Collected c = new Collected(AcceptanceKey.UNKNOWN, List.of(evidence), true, 0, 0, 0, null, Map.of());
        return AcceptanceStudy.of(c, new AcceptanceStudy.Options(DEPTH, 24, 0.9, 2000));
    }

    private static double mean(Evidence.RequestRounds rounds) {
        double n = 0;
        double tokens = 0;
        double[] counts = rounds.counts();
        for (int j = 0; j < counts.length; j++) {
            n += counts[j];
            tokens += (j + 1) * counts[j];
        }
        return tokens / n;
    }

    private static void agrees(AcceptanceStudy s) {
        Parameter rho = s.parameters().get(RHO);
        Parameter kappa = s.parameters().get(KAPPA);
        assertEquals((kappa.hi() - kappa.lo()) / 2, s.today().kappaHalfWidth(), 1e-12);
        assertEquals((rho.hi() - rho.lo()) / 2, s.today().rhoHalfWidth(), 1e-12);
        for (NextRun run : s.next()) {
            assertTrue(run.kappaHalfWidth() <= s.today().kappaHalfWidth(), run.toString());
            assertTrue(run.rhoHalfWidth() <= s.today().rhoHalfWidth(), run.toString());
        }
    }

    private static void holds(Parameter interval, double observed, double widest) {
        assertTrue(interval.lo() <= observed && observed <= interval.hi(), interval + " without " + observed);
        assertTrue(interval.hi() - interval.lo() < widest, interval + " is wider than " + widest);
    }

    @Test
    void aTreeWithoutGainFromItsBranchesLeavesKappaOpen() {
        AcceptanceForm.Srt truth = AcceptanceForm.Srt.of(1.4, 0.1, 0, 0.7, 0.999, 0.5, DEPTH, 24);
        Evidence.RequestRounds seen = Synthetic.rounds(truth, TREE, 60, 60, 11);
        AcceptanceStudy s = study(seen);
        agrees(s);
        assertTrue(s.parameters().get(RHO).lo() > 0.8, s.parameters().get(RHO).toString());
        assertEquals(Known.NO, s.known(KAPPA), s.parameters().get(KAPPA).toString());
        assertEquals(Known.YES, s.known(0));
        assertTrue(
                s.next().get(0).kappaHalfWidth() < 0.5 * s.today().kappaHalfWidth(),
                s.next().toString());
        assertNotNull(s.joint());
        holds(s.acceptLength(TREE), mean(seen), 0.5);
    }

    @Test
    void aMeasuredDesignKeepsANarrowIntervalWhereRhoAndKappaAreWide() {
        AcceptanceForm.Srt truth = AcceptanceForm.Srt.of(1.8, 0.1, 0.3, 1.0, 0.32, 0.64, DEPTH, 24);
        Evidence.RequestRounds seen = Synthetic.rounds(truth, TREE, 12, 15, 5);
        AcceptanceStudy s = study(seen);
        agrees(s);
        assertNotNull(s.joint(), s.parameters().toString());
        assertTrue(
                s.known(RHO) != Known.YES || s.known(KAPPA) != Known.YES,
                s.parameters().toString());
        Parameter measured = s.acceptLength(TREE);
        LawBand corners = Laws.of(s.form(), TREE);
        double width = measured.hi() - measured.lo();
        holds(measured, mean(seen), 1.25);
        assertTrue(
                width
                        < 0.75
                                * (corners.highAcceptLength()
                                        - corners.lowAcceptLength()
                                        + 2 * s.sampling().halfWidth(TREE)),
                measured + " beside corners " + corners.lowAcceptLength() + " to " + corners.highAcceptLength());
        Parameter unseen = s.acceptLength(new Design.Tree(DEPTH, 24, 256, false));
        assertTrue(unseen.hi() - unseen.lo() > width, unseen + " beside " + measured);
    }

    @Test
    void chainsLeaveRhoAndKappaAsTheyArePrinted() {
        AcceptanceForm.Srt truth = AcceptanceForm.Srt.of(1.8, 0.1, 0.3, 1.0, 0.32, 0.64, DEPTH, 24);
        AcceptanceStudy s = study(Synthetic.rounds(truth, new Design.Chain(DEPTH), 60, 30, 7));
        agrees(s);
        assertEquals(0.5, s.today().kappaHalfWidth(), 1e-12);
        assertEquals(0.15, s.today().rhoHalfWidth(), 1e-12);
        assertEquals(Known.NO, s.known(RHO));
        assertNull(s.joint());
        assertTrue(s.next().get(0).kappaHalfWidth() < 0.25, s.next().toString());
        LawBand corners = Laws.of(s.form(), TREE);
        Parameter tree = s.acceptLength(TREE);
        assertTrue(tree.lo() <= corners.lowAcceptLength() && tree.hi() >= corners.highAcceptLength(), tree.toString());
    }
}
