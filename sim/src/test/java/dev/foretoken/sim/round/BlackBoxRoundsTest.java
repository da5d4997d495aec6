package dev.foretoken.sim.round;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class BlackBoxRoundsTest {
    private static BlackBoxKnot knot(int rows, double context, double ms) {
        return new BlackBoxKnot(rows, context, ms, null);
    }

    private static final BlackBoxRounds ONE_CONTEXT =
            BlackBoxRounds.of(List.of(knot(9, 0, 27), knot(1, 0, 20), knot(8, 0, 21), knot(16, 0, 28)), 0.5);

    @Test
    void exactAtKnotsAndLinearBetween() {
        assertEquals(20, ONE_CONTEXT.targetMs(1, 0));
        assertEquals(21, ONE_CONTEXT.targetMs(8, 0));
        assertEquals(27, ONE_CONTEXT.targetMs(9, 0));
        assertEquals(20 + 3.0 / 7, ONE_CONTEXT.targetMs(4, 0), 1e-12);
        assertEquals(27 + 3.0 / 7, ONE_CONTEXT.targetMs(12, 0), 1e-12);
    }

    @Test
    void linearAboveTheLastKnotAndFlagged() {
        assertEquals(28 + 16.0 / 7, ONE_CONTEXT.targetMs(32, 0), 1e-12);
        assertTrue(ONE_CONTEXT.extrapolated(32, 0));
        assertFalse(ONE_CONTEXT.extrapolated(16, 0));
    }

    @Test
    void firstKnotsValueBelowIt() {
        BlackBoxRounds rounds = BlackBoxRounds.of(List.of(knot(4, 0, 20), knot(8, 0, 22)), 0);
        assertEquals(20, rounds.targetMs(1, 0));
        assertTrue(rounds.extrapolated(1, 0));
    }

    @Test
    void aSingleKnotIsAConstantFlaggedAbove() {
        BlackBoxRounds rounds = BlackBoxRounds.of(List.of(knot(2, 0, 20)), 0);
        assertEquals(20, rounds.targetMs(64, 0));
        assertTrue(rounds.extrapolated(64, 0));
        assertFalse(rounds.extrapolated(2, 0));
    }

    @Test
    void fallingKnotsAreKeptWithAWarning() {
        BlackBoxRounds rounds = BlackBoxRounds.of(List.of(knot(1, 0, 20), knot(2, 0, 18)), 0);
        assertEquals(18, rounds.targetMs(2, 0));
        assertEquals(1, rounds.warnings().size());
        assertTrue(rounds.targetMs(1000, 0) > 0, "time stays positive far beyond a falling last segment");
    }

    @Test
    void linearInContextBetweenAndClampedOutside() {
        BlackBoxRounds rounds =
                BlackBoxRounds.of(List.of(knot(1, 0, 10), knot(4, 0, 13), knot(1, 1000, 12), knot(4, 1000, 21)), 0);
        assertEquals(11, rounds.targetMs(1, 500), 1e-12);
        assertEquals(12, rounds.targetMs(1, 9999), 1e-12);
        // 4 rows of one request of width 4 at context 1000 read one cache: the lookup is at 250.
        assertEquals(13 + 0.25 * 8, rounds.forArm(4, 0, 0).targetMs(4, 1000), 1e-12);
        assertEquals(21, rounds.forArm(4, 0, 0).atFullContext().targetMs(4, 1000), 1e-12);
    }

    @Test
    void draftHostAndPrefillAreAdded() {
        BlackBoxRounds arm = ONE_CONTEXT.forArm(8, 4, 0.5);
        assertEquals(25.5, arm.roundMs(1, 8, 0, 0), 1e-12);
        assertEquals(25.5 + 50, arm.mixedRoundMs(1, 8, 0, 0, 100, 0), 1e-12);
        assertEquals(50, arm.mixedRoundMs(0, 0, 0, 0, 100, 0), 1e-12);
        RoundTime explained = arm.explain(1, 8, 0, 0);
        assertEquals(
                explained.roundMs(),
                explained.termsMs().values().stream()
                                .mapToDouble(Double::doubleValue)
                                .sum()
                        - explained.hiddenMs(),
                1e-12);
        assertEquals(
                List.of("target", "draft", "host"),
                List.copyOf(explained.termsMs().keySet()));
    }

    @Test
    void refusesRepeatedKnotsAndMixedContexts() {
        assertThrows(
                IllegalArgumentException.class, () -> BlackBoxRounds.of(List.of(knot(1, 0, 20), knot(1, 0, 21)), 0));
        assertThrows(
                IllegalArgumentException.class,
                () -> BlackBoxRounds.of(List.of(knot(1, 0, 20), new BlackBoxKnot(2, null, 21, null)), 0));
        assertThrows(IllegalArgumentException.class, () -> BlackBoxRounds.of(List.of(), 0));
        assertThrows(IllegalArgumentException.class, () -> new BlackBoxKnot(1, 0.0, Double.NaN, null));
    }
}
