package dev.foretoken.sim.analytical;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class JoiningTest {
    private static Station station(IntToDoubleFunction prefill, int perChunk) {
        return new Station() {
            @Override
            public StationState at(int n) {
                return new StationState(10, 5, prefill.applyAsDouble(1), n);
            }

            @Override
            public int maxResident() {
                return Integer.MAX_VALUE;
            }

            @Override
            public double prefillMs(int prompts) {
                return prefill.applyAsDouble(prompts);
            }

            @Override
            public int promptsPerChunk() {
                return perChunk;
            }
        };
    }

    @Test
    void linearPrefillCostsTheSameTogether() {
        Station s = station(k -> 7.0 * k, 8);
        for (int n : new int[] {1, 2, 16, 200}) {
            assertEquals(7, Joining.independent(s, n, 12.5).perPromptMs(), 1e-12);
            assertEquals(7, Joining.staggered(s, n, 12.5).perPromptMs(), 1e-12);
        }
        assertEquals(7, Joining.poisson(s, 3).perPromptMs(), 1e-12);
    }

    /** Every subset of three requests that may end in a round, by hand: chance 1/4 each. */
    @Test
    void independentEndsByEnumeration() {
        IntToDoubleFunction prefill = k -> 10 + 2.0 * k;
        double q = 0.25;
        double total = 0;
        double prompts = 0;
        double first = 0;
        for (int set = 1; set < 8; set++) {
            int k = Integer.bitCount(set);
            double p = Math.pow(q, k) * Math.pow(1 - q, 3 - k);
            total += p * prefill.applyAsDouble(k);
            prompts += p * k;
            first += p * k * prefill.applyAsDouble(k);
        }
        Joining j = Joining.independent(station(prefill, 8), 3, 4);
        assertEquals(total / prompts, j.perPromptMs(), 1e-12);
        assertEquals(first / prompts, j.firstTokenMs(), 1e-12);
    }

    @Test
    void oneAfterAnotherWhereAChunkHoldsOne() {
        Joining j = Joining.staggered(station(k -> 3.0 * k, 1), 8, 2);
        // four join at each boundary: their first tokens come after 1, 2, 3 and 4 prompts
        assertEquals(3 * (1 + 2 + 3 + 4) / 4.0, j.firstTokenMs(), 1e-12);
    }

    @Test
    void staggeredAnswersOfOneLengthMeetNobodyWhileTheyAreFew() {
        Station s = station(k -> 10 + 2.0 * k, 8);
        assertEquals(12, Joining.staggered(s, 5, 31).firstTokenMs(), 1e-12);
        assertTrue(Joining.independent(s, 5, 31).firstTokenMs() > 12);
        // 40 requests of 16 rounds: two or three join, 2.5 on average
        assertEquals((0.5 * 14 + 0.5 * 16) / 2.5, Joining.staggered(s, 40, 16).perPromptMs(), 1e-12);
    }

    @Test
    void arrivalsOfARoundArePoisson() {
        IntToDoubleFunction prefill = k -> 10 + 2.0 * k;
        double first = 0;
        double p = Math.exp(-1.5);
        for (int others = 0; others < 60; others++) {
            first += p * prefill.applyAsDouble(others + 1);
            p *= 1.5 / (others + 1);
        }
        assertEquals(first, Joining.poisson(station(prefill, 100), 1.5).firstTokenMs(), 1e-9);
    }

    @Test
    void noPrefillTakesNoTime() {
        assertEquals(new Joining(0, 0), Joining.independent(station(k -> 0, 8), 64, 100));
    }

    @Test
    void answersOfOneTokenFillTheChunks() {
        Joining j = Joining.staggered(station(k -> 10 + 2.0 * k, 4), 16, 0);
        assertEquals(18 / 4.0, j.perPromptMs(), 1e-12);
    }
}
