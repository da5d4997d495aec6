package dev.foretoken.sim.analytical;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.IntToDoubleFunction;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class BirthDeathTest {
    private static Station station(double rounds, IntToDoubleFunction roundMs, double prefillMs, int max) {
        return new Station() {
            @Override
            public StationState at(int n) {
                return new StationState(rounds, roundMs.applyAsDouble(n), prefillMs, n);
            }

            @Override
            public int maxResident() {
                return max;
            }
        };
    }

    /** One server at a time, exponential service: M/M/1 with L = rho / (1 - rho). */
    @Test
    void openLoopWithOneSlotIsTheSingleServerQueue() {
        Steady s = BirthDeath.open(station(10, n -> 1.0, 0, 1), 0.08);
        assertEquals(0.08, s.requestsPerMs(), 1e-12);
        assertEquals(4.0, s.inSystem(), 1e-9);
        assertEquals(50.0, s.e2eMs(), 1e-9);
        assertEquals(40.0, s.waitMs(), 1e-9);
        assertEquals(0.8, s.busyShare(), 1e-12);
        assertEquals(0.8, s.waitProbability(), 1e-12);
    }

    @Test
    void overloadedOpenLoopHasNoSteadyState() {
        assertNull(BirthDeath.open(station(10, n -> 1.0, 0, 1), 0.1));
        assertNull(BirthDeath.open(station(10, n -> 1.0 * n, 0, Integer.MAX_VALUE), 0.11));
    }

    @Test
    void saturatedClosedLoopIsTheWholeBatchPerCycle() {
        Steady s = BirthDeath.closed(station(100, n -> 20 + n, 5, Integer.MAX_VALUE), 8, 0);
        assertEquals(8 / (100 * 28.0 + 8 * 5), s.requestsPerMs(), 1e-15);
        assertEquals(8, s.resident());
        assertEquals(40 / (2800.0 + 40), s.prefillShare(), 1e-12);
    }

    @Test
    void clientsAboveTheBatchWait() {
        Steady s = BirthDeath.closed(station(100, n -> 20 + n, 0, 4), 10, 0);
        assertEquals(4 / 2400.0, s.requestsPerMs(), 1e-15);
        assertEquals(6, s.waiting());
        assertEquals(10, s.requestsPerMs() * s.e2eMs(), 1e-9);
    }

    /** Machine repair, N = 4, Z = 1, mu = 2 (oracle: X 1.8095, N in system 2.1905). */
    @Test
    void closedLoopWithThinkTimeIsMachineRepair() {
        Steady s = BirthDeath.closed(station(1, n -> 0.5, 0, 1), 4, 1.0);
        assertEquals(1.809523809523809, s.requestsPerMs(), 1e-12);
        assertEquals(2.190476190476191, s.inSystem(), 1e-12);
        assertEquals(1.210526315789474, s.e2eMs(), 1e-12);
    }

    @Test
    void manyClientsDoNotOverflow() {
        Steady s = BirthDeath.closed(station(1, n -> 1e-3, 0, 1), 5000, 1e6);
        assertTrue(Double.isFinite(s.requestsPerMs()) && s.requestsPerMs() > 0);
        assertEquals(5000, s.requestsPerMs() * (s.e2eMs() + 1e6), 1e-6);
    }

    @Property(tries = 200)
    void littlesLawAndBounds(
            @ForAll @IntRange(min = 1, max = 60) int clients,
            @ForAll @DoubleRange(min = 0, max = 5000) double think,
            @ForAll @DoubleRange(min = 1, max = 300) double rounds,
            @ForAll @DoubleRange(min = 0, max = 50) double prefill,
            @ForAll @IntRange(min = 1, max = 80) int max) {
        Station station = station(rounds, n -> 20 + 0.3 * n, prefill, max);
        Steady s = BirthDeath.closed(station, clients, think);
        assertEquals(clients, s.requestsPerMs() * (s.e2eMs() + think), 1e-7 * clients);
        double alone = rounds * 20.3 + prefill;
        assertTrue(s.requestsPerMs() <= clients / (alone + think) * (1 + 1e-9), "X <= N / (D + Z)");
        assertTrue(s.ttftMs() <= s.e2eMs());
        assertTrue(s.prefillShare() >= 0 && s.prefillShare() < 1);
        assertTrue(s.resident() <= Math.min(clients, max) + 1e-9);
    }
}
