package dev.foretoken.validation.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.validation.client.RequestRecord.Status;
import dev.foretoken.validation.client.RequestRecord.TokenSource;
import dev.foretoken.validation.measure.RoundRecovery;
import dev.foretoken.validation.measure.RunMeasures;
import dev.foretoken.validation.testserver.Dialect;
import dev.foretoken.validation.testserver.EngineTruth;
import dev.foretoken.validation.testserver.FakeServer;
import dev.foretoken.validation.testserver.Faults;
import dev.foretoken.validation.testserver.Faults.Fault;
import dev.foretoken.validation.testserver.Harness;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What breaks on the server is booked as what it is, and the rest of the run goes on. */
class FaultsTest {
    private static final EngineTruth FAST = new EngineTruth(rows -> 1, 4, () -> new double[] {0.4, 0.3, 0.3}, 0, 64, 3);

    private static RunResult run(Dialect dialect, Map<Long, Fault> faults) throws Exception {
        return Harness.real(
                FAST,
                FakeServer.Behaviour.of(dialect).withFaults(new Faults(0, faults)),
                new RunPlan(Load.Closed.of(1), 0, 8, 1, Duration.ofSeconds(60)),
                Harness.fixed(5, 24),
                Duration.ofMillis(400));
    }

    private static RequestRecord number(RunResult run, long index) {
        return run.records().stream()
                .filter(r -> r.index() == index)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void brokenStreamsAreFailuresOfTheirKind() throws Exception {
        RunResult run = run(
                Dialect.VLLM,
                Map.of(
                        0L, Fault.ERROR_CHUNK,
                        1L, Fault.HANG,
                        2L, Fault.RESET,
                        3L, Fault.TRUNCATE,
                        4L, Fault.SILENT_END,
                        5L, Fault.HTTP_500_ECHOING_KEY));
        assertEquals(Status.STREAM_ERROR, number(run, 0).status());
        assertTrue(number(run, 0).error().contains("out of memory"));
        assertEquals(Status.TIMED_OUT, number(run, 1).status());
        assertEquals(Status.CONNECTION_LOST, number(run, 2).status());
        assertEquals(Status.CONNECTION_LOST, number(run, 3).status());
        assertEquals(Status.TRUNCATED, number(run, 4).status());
        assertEquals(Status.HTTP_ERROR, number(run, 5).status());
        assertTrue(run.complete());
        assertEquals(2, run.measured().size());
        assertEquals(6, run.failed().size());
        for (long i : new long[] {0, 1, 3, 4}) {
            assertNotNull(number(run, i).firstTokenNs(), "what came before the fault is kept: " + i);
        }
        RunMeasures m = RunMeasures.of(run, null);
        assertEquals(2, m.requests());
        assertEquals(6, m.failed());
    }

    @Test
    void wrongUsageIsNotBelieved() throws Exception {
        RunResult run = run(Dialect.VLLM, Map.of(0L, Fault.WRONG_USAGE, 1L, Fault.NO_USAGE, 2L, Fault.NO_DONE));
        RequestRecord wrong = number(run, 0);
        assertEquals(24, wrong.completionTokens()); // usage said 240
        assertTrue(wrong.tokenSource() != TokenSource.USAGE);
        assertTrue(
                wrong.anomalies().stream().anyMatch(s -> s.contains("not used")),
                wrong.anomalies().toString());
        assertEquals(24, number(run, 1).completionTokens());
        assertEquals(TokenSource.CONTINUOUS_USAGE, number(run, 1).tokenSource());
        assertEquals(Status.OK, number(run, 2).status());
        assertTrue(number(run, 2).anomalies().contains("no [DONE] at the end"));
    }

    @Test
    void duplicatedEventsAddNoTokens() throws Exception {
        RunResult run = run(Dialect.VLLM, Map.of(0L, Fault.DUPLICATE));
        RequestRecord r = number(run, 0);
        assertEquals(24, r.completionTokens());
        assertEquals(24, java.util.Arrays.stream(r.chunkTokens()).sum());
    }

    @Test
    void withoutAnyUsageEventsAreCountedAndSaid() throws Exception {
        RunResult run = run(Dialect.LLAMA_CPP, Map.of(0L, Fault.NO_USAGE));
        RequestRecord r = number(run, 0);
        assertEquals(TokenSource.CHUNKS, r.tokenSource());
        assertEquals(24, r.completionTokens());
        RunMeasures m = RunMeasures.of(run, null);
        assertTrue(m.notes().stream().anyMatch(s -> s.contains("counted as events")));
    }

    @Test
    void splitWritesAndCarriageReturnsChangeNothing() throws Exception {
        RunResult run = Harness.real(
                FAST,
                FakeServer.Behaviour.of(Dialect.SGLANG).withWire(true, true),
                new RunPlan(Load.Closed.of(4), 4, 12, 1, Duration.ofSeconds(60)),
                Harness.fixed(5, 40),
                Duration.ofSeconds(20));
        assertEquals(12, run.measured().size());
        for (RequestRecord r : run.measured()) {
            assertEquals(40, r.completionTokens());
            assertTrue(r.anomalies().isEmpty(), r.anomalies().toString());
        }
    }

    @Test
    void bundledRoundsAreNotTakenForRounds() throws Exception {
        Harness.Outcome o = Harness.virtual(
                new EngineTruth(rows -> 10, 3, () -> new double[] {0.4, 0.3, 0.3}, 0, 64, 3),
                FakeServer.Behaviour.of(Dialect.SGLANG).withRoundsPerEvent(3),
                Harness.plan(Load.Closed.of(4), 4, 16),
                Harness.fixed(5, 40));
        RoundRecovery.Rounds known = RoundRecovery.recover(o.run().measured(), 3);
        assertEquals(RoundRecovery.Mode.UNKNOWN, known.mode());
        assertTrue(known.reason().contains("bundle"));
        assertNull(known.acceptLength());
    }

    @Test
    void aJumpOfTheWallClockIsSaidAndChangesNoFigure() throws Exception {
        RunResult plain = run(Dialect.VLLM, Map.of());
        RunResult jumped = new RunResult(
                plain.records(),
                plain.originNs(),
                plain.windowStartNs(),
                plain.windowEndNs(),
                true,
                null,
                -3_600_000,
                plain.lag());
        RunMeasures a = RunMeasures.of(plain, null);
        RunMeasures b = RunMeasures.of(jumped, null);
        assertEquals(a.tpotMs(), b.tpotMs());
        assertTrue(b.notes().stream().anyMatch(s -> s.contains("wall clock jumped")));
    }

    @Test
    void aDeadServerStopsTheRunAfterTwentyFailures() throws Exception {
        RunPlan plan = new RunPlan(Load.Closed.of(4), 0, 1000, 1, Duration.ofSeconds(60));
        try (RealTime time = new RealTime();
                StreamClient client = new StreamClient(
                        Endpoint.of("http://127.0.0.1:9", null, ApiKey.NONE), time, Duration.ofSeconds(2))) {
            RunResult run = new LoadRunner(
                            client,
                            time,
                            plan,
                            Harness.fixed(3, 4),
                            "/v1/completions",
                            Harness::body,
                            null,
                            0,
                            java.util.Set.of())
                    .start()
                    .get(30, java.util.concurrent.TimeUnit.SECONDS);
            assertTrue(run.stoppedBecause().contains("20 requests in a row"), run.stoppedBecause());
            assertTrue(run.records().size() < 40);
        }
    }
}
