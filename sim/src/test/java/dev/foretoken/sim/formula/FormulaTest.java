package dev.foretoken.sim.formula;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class FormulaTest {

    @Test
    void thinkTimeOfZeroKeepsEveryClientInTheStation() {
        ClosedLoop c = ClosedLoop.of(5, 0, n -> 2 * n);
        assertEquals(10, c.throughput(), 1e-15);
        assertEquals(5, c.inStation(), 1e-15);
        assertEquals(0.5, c.responseTime(), 1e-15);
        assertEquals(0, ClosedLoop.of(0, 1, n -> 1).throughput());
    }

    @Test
    void manyClientsDoNotOverflow() {
        ClosedLoop c = ClosedLoop.of(4096, 0.001, n -> 1.0);
        assertEquals(1, c.throughput(), 1e-9);
        assertTrue(c.inStation() > 4095.9);
        double bound = ClosedLoop.throughputBound(4096, 1, 0.001);
        assertTrue(c.throughput() <= bound + 1e-12);
    }

    @Test
    void closedLoopObeysTheResponseTimeLaw() {
        ClosedLoop c = ClosedLoop.of(7, 3, n -> 0.5 + 0.1 * n);
        // N = X (R + Z)
        assertEquals(7, c.throughput() * (c.responseTime() + 3), 1e-12);
    }

    /** Direct simulation of the engine's clock: requests of k rounds join at the next round start, an idle engine starts. */
    @Test
    void waitsOfAnEngineInRoundsAgreeWithADirectSimulation() {
        for (int rounds : new int[] {1, 3}) {
            double lambda = 20;
            double t = 0.05;
            Random random = new Random(11);
            double clock = 0;
            double boundary = 0;
            double lastEnd = 0;
            double sum = 0;
            double squares = 0;
            int n = 400_000;
            for (int i = 0; i < n; i++) {
                clock += -Math.log(1 - random.nextDouble()) / lambda;
                double start;
                if (clock >= lastEnd) {
                    boundary = clock;
                    start = clock;
                } else {
                    start = boundary + Math.ceil((clock - boundary) / t) * t;
                }
                lastEnd = Math.max(lastEnd, start + rounds * t);
                sum += start - clock;
                squares += (start - clock) * (start - clock);
            }
            double mean = sum / n;
            double se = Math.sqrt((squares / n - mean * mean) / n);
            assertEquals(RoundClock.syncEngineWait(lambda, t, rounds), mean, 4 * se);
        }
        assertEquals(0, RoundClock.syncEngineWait(0, 1, 1));
    }

    @Test
    void nonsenseIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Queues.mm1(1, 1));
        assertThrows(IllegalArgumentException.class, () -> Queues.mg1(-1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> ClosedLoop.of(1, 1, n -> 0));
        assertThrows(IllegalArgumentException.class, () -> Speedup.optimalLength(1, 0.1));
        assertThrows(IllegalArgumentException.class, () -> KvCapacity.requests(1, 0, 1, 1));
    }

    @Test
    void paddingRunsEagerlyAboveTheLargestGraph() {
        assertEquals(65, Padding.toCaptured(65, 32, 64));
        assertEquals(32, Padding.toCaptured(3, 64, 32));
        assertEquals(9, Padding.toCaptured(9));
    }

    @Test
    void aBatchThatMeetsTheLimitExactlyCounts() {
        // 0.3 * 1 / (0.1 * 1) is 2.9999999999999996 in doubles
        assertEquals(3, Speedup.largestBatch(0.3, 1, 0.1, 0.1, 0));
        assertEquals(0, Speedup.largestBatch(0.001, 4, 0.02, 0.1, 7));
    }
}
