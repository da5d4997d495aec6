package dev.foretoken.validation.sweep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.validation.session.PromptBook;
import dev.foretoken.validation.sweep.SweepResult.DraftAndHost;
import dev.foretoken.validation.sweep.SweepResult.Knot;
import dev.foretoken.validation.sweep.SweepResult.SpeculativeRound;
import dev.foretoken.validation.testserver.Dialect;
import dev.foretoken.validation.testserver.EngineTruth;
import dev.foretoken.validation.testserver.FakeServer;
import dev.foretoken.validation.testserver.VirtualSession;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A sweep gives back the curve of a server whose truth is known: a line with a stair at 8 rows. */
class EndpointSweepTest {
    private static final double DRAFT_MS = 3;
    private static final double PREFILL_MS = 0.05;

    private static double curve(int rows) {
        return 10 + 0.25 * rows + (rows > 8 ? 6 : 0);
    }

    private static EndpointSweep.Options options(List<Integer> levels, Integer width) {
        return new EndpointSweep.Options(levels, List.of(30, 120), 24, 1, width, "chat", Duration.ofHours(5));
    }

    @Test
    void autoregressiveKnotsAndPrefill() throws Exception {
        EngineTruth truth = new EngineTruth(EndpointSweepTest::curve, 1, null, PREFILL_MS, 64, 1);
        try (VirtualSession v = new VirtualSession(truth, FakeServer.Behaviour.of(Dialect.VLLM))) {
            SweepResult r =
                    new EndpointSweep(v.session(), PromptBook.bundled(), options(List.of(1, 4, 8, 9, 16), null)).run();
            assertFalse(r.speculative());
            assertEquals(10, r.knots().size());
            for (Knot k : r.knots()) {
                assertEquals(curve(k.rows()), k.ms().estimate(), 0.01 * curve(k.rows()));
                assertTrue(
                        k.ms().lo() <= curve(k.rows()) * 1.0001 && k.ms().hi() >= curve(k.rows()) * 0.9999,
                        k.toString());
            }
            assertEquals(PREFILL_MS, r.prefillMsPerToken().estimate(), 0.02 * PREFILL_MS);
        }
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void draftAndHostFromASpeculativeSweep(Dialect dialect) throws Exception {
        EngineTruth truth = new EngineTruth(
                rows -> curve(rows) + DRAFT_MS, 4, () -> new double[] {0.4, 0.2, 0.2, 0.2}, PREFILL_MS, 64, 1);
        try (VirtualSession v = new VirtualSession(truth, FakeServer.Behaviour.of(dialect))) {
            SweepResult r = new EndpointSweep(v.session(), PromptBook.bundled(), options(List.of(1, 2, 4), 4)).run();
            assertTrue(r.speculative());
            assertTrue(r.knots().isEmpty());
            assertEquals(6, r.rounds().size());
            for (SpeculativeRound k : r.rounds()) {
                double t = curve(4 * k.concurrency()) + DRAFT_MS;
                assertEquals(t, k.ms().estimate(), 0.01 * t);
            }
            List<Knot> knots = java.util.stream.IntStream.of(1, 2, 4, 8, 9, 16)
                    .mapToObj(c -> new Knot(c, 40, new SweepResult.Interval(curve(c), curve(c), curve(c)), 100))
                    .toList();
            DraftAndHost d = EndpointSweep.draftAndHost(knots, r.rounds(), 4);
            assertEquals(DRAFT_MS, d.ms(), 0.05);
            assertEquals(0, d.extrapolated());
        }
    }

    @Test
    void levelsAboveTheServersSlotsGiveNoKnotAndSayWhy() throws Exception {
        EngineTruth truth = new EngineTruth(EndpointSweepTest::curve, 1, null, PREFILL_MS, 2, 1);
        try (VirtualSession v = new VirtualSession(truth, FakeServer.Behaviour.of(Dialect.LLAMA_CPP))) {
            SweepResult r = new EndpointSweep(v.session(), PromptBook.bundled(), options(List.of(1, 2, 6), null)).run();
            assertEquals(4, r.knots().size());
            assertTrue(
                    r.notes().stream().anyMatch(n -> n.contains("concurrency 6")),
                    r.notes().toString());
        }
    }
}
