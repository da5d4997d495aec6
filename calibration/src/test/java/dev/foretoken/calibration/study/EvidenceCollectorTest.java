package dev.foretoken.calibration.study;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.calibration.acceptance.Evidence;
import dev.foretoken.formats.acceptance.readers.AcceptanceKey;
import dev.foretoken.formats.acceptance.readers.AcceptanceObservation;
import dev.foretoken.formats.acceptance.readers.DraftDesign;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.AcceptanceForm.CountedAt;
import dev.foretoken.sim.acceptance.Design;
import java.util.List;
import org.junit.jupiter.api.Test;

class EvidenceCollectorTest {
    private static final AcceptanceKey KEY = new AcceptanceKey("w", "m", null, null);

    @Test
    void countersByPositionStayByPosition() {
        EvidenceCollector c = new EvidenceCollector(DesignHints.NONE);
        DraftDesign chain = new DraftDesign(3, null, null);
        c.accept(AcceptanceObservation.ofSurvivors(KEY, chain, null, 1000, new long[] {800, 500, 200}, 3000L));
        c.accept(AcceptanceObservation.ofSurvivors(KEY, chain, null, 100, new long[] {80, 50, 20}, 300L));
        assertEquals(
                new AcceptanceForm.PerPosition(List.of(0.8, 0.5, 0.2), false),
                c.groups().get(0).plain());
    }

    @Test
    void theMostThatARoundDraftedIsTheLength() {
        EvidenceCollector c = new EvidenceCollector(DesignHints.NONE);
        long[][] rounds = {{3, 3}, {3, 1}, {2, 0}};
        for (long[] r : rounds) {
            long[] histogram = new long[(int) r[1] + 1];
            histogram[(int) r[1]] = 1;
            c.accept(AcceptanceObservation.ofHistogram(
                    KEY, DraftDesign.UNKNOWN, "q0", histogram, r[0], new int[] {(int) r[1]}));
        }
        Collected got = c.groups().get(0);
        Evidence.RequestRounds e =
                assertInstanceOf(Evidence.RequestRounds.class, got.evidence().get(0));
        assertEquals(new Design.Chain(3), e.design());
        assertEquals(new AcceptanceForm.Histogram(List.of(1.0, 1.0, 0.0, 1.0), new CountedAt.Chain(3)), got.plain());
        assertTrue(
                got.unused().keySet().iterator().next().contains("length 3"),
                got.unused().toString());
    }
}
