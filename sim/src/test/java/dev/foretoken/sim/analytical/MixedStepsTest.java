package dev.foretoken.sim.analytical;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MixedStepsTest {
    /** Decode rows alone 10 ms, prompts 5 ms and 0.01 ms per token more. */
    private static double ms(double decoding, double prompt) {
        return (decoding > 0 ? 10 : 0) + (prompt > 0 ? 5 + 0.01 * prompt : 0);
    }

    @Test
    void oneRequestAloneAlternatesBetweenPromptAndRounds() {
        for (boolean fixed : new boolean[] {false, true}) {
            MixedSteps steps = MixedSteps.of(1, 20, 0, 300, m -> 1000, fixed);
            assertEquals(1.0 / 21, steps.perStep(), 1e-12);
            MixedCycle cycle = steps.cycle(MixedStepsTest::ms, 0, 0, 1);
            assertEquals(8 + 20 * 10, cycle.cycleMs(), 1e-9);
            assertEquals(8, cycle.firstTokenMs(), 1e-9);
            assertEquals(8.0 / 208, cycle.prefillShare(), 1e-12);
            assertEquals(10, cycle.roundMs(), 1e-12);
            assertEquals(1, cycle.rows(), 1e-12);
        }
    }

    /** With room for everyone each of n requests is in its prompt with chance 1/(R + 1), independently of the others. */
    @Test
    void withoutCongestionPromptsAreBinomial() {
        int n = 6;
        double rounds = 4;
        MixedSteps steps = MixedSteps.of(n, rounds, 0, 100, m -> 1e6, false);
        assertEquals(n / (rounds + 1), steps.perStep(), 1e-9);
        double none = Math.pow(rounds / (rounds + 1), n);
        double all = Math.pow(1 / (rounds + 1), n);
        double mean = 10 * (1 - all) + 5 * (1 - none) + 0.01 * 100 * n / (rounds + 1);
        assertEquals(
                n / steps.perStep() * mean,
                steps.cycle(MixedStepsTest::ms, 0, 0, 1).cycleMs(),
                1e-6);
    }

    /** Prompts of two and a half steps, by simulating the same chain: budgets in quarters of what a step holds. */
    @Test
    void congestionFollowsTheChain() {
        int n = 5;
        double rounds = 9;
        MixedSteps steps = MixedSteps.of(n, rounds, 1, 250, m -> 100, false);
        SplittableRandom random = new SplittableRandom(7);
        // 250 tokens are five units of 50, and a step serves two of them.
        int backlog = 0;
        long ended = 0;
        int runs = 2_000_000;
        for (int i = 0; i < runs; i++) {
            int inPrompt = (backlog + 4) / 5;
            int joining = 0;
            for (int k = 0; k < n - inPrompt; k++) {
                joining += random.nextDouble() < 0.1 ? 1 : 0;
            }
            backlog = Math.max(0, backlog - 2) + 5 * joining;
            ended += joining;
        }
        assertEquals((double) ended / runs, steps.perStep(), 0.01 * steps.perStep());
        assertTrue(steps.perStep() < 100.0 / 250, "the budget is the limit: " + steps.perStep());
    }

    @Test
    void whereTheBudgetIsTooSmallItSetsThePace() {
        for (boolean fixed : new boolean[] {false, true}) {
            MixedSteps steps = MixedSteps.of(40, 5, 0, 400, m -> 100, fixed);
            assertEquals(0.25, steps.perStep(), 0.002);
        }
        MixedSteps large = MixedSteps.of(900, 5, 0, 400, m -> 100, false);
        assertEquals(0.25, large.perStep(), 0.002);
    }

    @Test
    void answersOfOneTokenAreOnlyPrompts() {
        MixedSteps steps = MixedSteps.of(3, 0, 0, 100, m -> 1000, true);
        assertEquals(3, steps.perStep(), 1e-12);
        assertEquals(8, steps.cycle(MixedStepsTest::ms, 0, 0, 1).cycleMs(), 1e-9);
    }

    @Test
    void aStepInVainIsPaidInRowsAndAnIdleOneInTime() {
        MixedSteps steps = MixedSteps.of(1, 20, 1, 300, m -> 1000, true);
        assertEquals(8 + 21 * 10, steps.cycle(MixedStepsTest::ms, 1, 0, 1).cycleMs(), 1e-9);
        assertThrows(IllegalArgumentException.class, () -> MixedSteps.of(1, 20, 0, 300, m -> 0, true));
    }

    /** Alone, the idle step is one of the request's own rounds, not a mean over its prompt too. */
    @Test
    void anIdleStepTakesWhatStepsBesideThePromptTake() {
        MixedSteps steps = MixedSteps.of(1, 20, 0.5, 300, m -> 1000, true);
        assertEquals(8 + 0.5 * 10, steps.cycle(MixedStepsTest::ms, 1, 0, 1).firstTokenMs(), 1e-9);
        double mean = steps.cycle(MixedStepsTest::ms, 1, 0, 1).cycleMs() * steps.perStep();
        assertEquals(
                8 + 0.5 * 10 + 2 * mean,
                steps.cycle(MixedStepsTest::ms, 1, 2, 1).firstTokenMs(),
                1e-9);
    }
}
