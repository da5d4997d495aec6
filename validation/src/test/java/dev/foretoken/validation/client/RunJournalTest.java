package dev.foretoken.validation.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.validation.measure.RunMeasures;
import dev.foretoken.validation.testserver.Dialect;
import dev.foretoken.validation.testserver.EngineTruth;
import dev.foretoken.validation.testserver.FakeServer;
import dev.foretoken.validation.testserver.Harness;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Interruptions: what was measured is on disk, a resumed run goes on, nothing counts twice. */
class RunJournalTest {
    @TempDir
    Path dir;

    private static final EngineTruth TRUTH =
            new EngineTruth(rows -> 3, 3, () -> new double[] {0.5, 0.3, 0.2}, 0, 64, 3);
    private static final int MEASURED = 40;

    private static RunHeader header(String fingerprint) {
        return new RunHeader(
                RunHeader.SCHEMA,
                "run",
                fingerprint,
                0,
                0,
                "http://127.0.0.1",
                "m",
                "vllm",
                "closed 4",
                4,
                MEASURED,
                "s",
                Map.of(),
                List.of());
    }

    private RunResult segment(FakeServer server, RunJournal journal, int number, Set<Long> done, int stopAfter)
            throws Exception {
        try (RealTime time = new RealTime();
                StreamClient client = new StreamClient(
                        new Endpoint(server.uri(), "fake-model", ApiKey.NONE), time, Duration.ofSeconds(2))) {
            RunPlan plan = new RunPlan(Load.Closed.of(4), 4, MEASURED, 1, Duration.ofSeconds(60));
            LoadRunner runner = new LoadRunner(
                    client, time, plan, Harness.fixed(4, 30), "/v1/completions", Harness::body, journal, number, done);
            CompletableFuture<RunResult> future = runner.start();
            if (stopAfter > 0) {
                while (client.counters().ended() < stopAfter) {
                    Thread.sleep(2);
                }
                runner.interrupt();
            }
            RunResult result = future.get(60, TimeUnit.SECONDS);
            journal.end(number, result.stoppedBecause());
            return result;
        }
    }

    @Test
    void anInterruptedRunGoesOnAndNothingCountsTwice() throws Exception {
        Path file = dir.resolve("run.jsonl");
        try (RealTime time = new RealTime();
                FakeServer server = new FakeServer(TRUTH, FakeServer.Behaviour.of(Dialect.VLLM), time)) {
            try (RunJournal journal = RunJournal.create(file, header("f"))) {
                RunResult first = segment(server, journal, 0, Set.of(), 15);
                assertFalse(first.complete());
                assertEquals("interrupted", first.stoppedBecause());
            }
            RunJournal.Content before = RunJournal.read(file);
            Set<Long> done = before.completed().keySet();
            assertTrue(done.size() > 5 && done.size() < MEASURED);
            try (RunJournal journal = RunJournal.resume(file, header("f"), before, 1)) {
                assertTrue(segment(server, journal, 1, done, 0).complete());
            }
        }
        RunJournal.Content all = RunJournal.read(file);
        assertEquals(2, all.headers().size());
        assertEquals(1, all.headers().get(1).segment());
        assertEquals(MEASURED, all.completed().size());
        List<Long> counted = new ArrayList<>();
        for (RequestRecord r : all.records()) {
            if (r.ok() && r.phase() == Phase.MEASURED) {
                counted.add(r.index());
            }
        }
        assertEquals(counted.size(), new HashSet<>(counted).size(), "no request was measured twice");
        RunMeasures m = RunMeasures.of(all.segments(), 3);
        assertEquals(MEASURED, m.requests());
        assertEquals(4, m.concurrency(), 0.5);
        assertTrue(m.notes().stream().anyMatch(s -> s.contains("resumed")));
    }

    @Test
    void aCutLastLineIsIgnoredAndTheFileGoesOn() throws Exception {
        Path file = dir.resolve("cut.jsonl");
        try (RealTime time = new RealTime();
                FakeServer server = new FakeServer(TRUTH, FakeServer.Behaviour.of(Dialect.VLLM), time);
                RunJournal journal = RunJournal.create(file, header("f"))) {
            segment(server, journal, 0, Set.of(), 0);
        }
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, java.util.Arrays.copyOf(bytes, bytes.length - 150));
        RunJournal.Content cut = RunJournal.read(file);
        assertEquals(1, cut.damagedLines());
        try (RunJournal journal = RunJournal.resume(file, header("f"), cut, 1)) {
            journal.end(1, null);
        }
        RunJournal.Content again = RunJournal.read(file);
        assertEquals(2, again.headers().size());
        assertEquals(cut.records().size(), again.records().size());
    }

    @Test
    void anotherRunIsNotResumedAndNoFileOverwritten() throws Exception {
        Path file = dir.resolve("other.jsonl");
        RunJournal.create(file, header("a")).close();
        RunJournal.Content content = RunJournal.read(file);
        var e = assertThrows(IllegalArgumentException.class, () -> RunJournal.resume(file, header("b"), content, 1));
        assertTrue(e.getMessage().contains("another run"));
        assertThrows(IllegalArgumentException.class, () -> RunJournal.create(file, header("a")));
        Path text = dir.resolve("text");
        Files.writeString(text, "hello\n");
        assertThrows(IllegalArgumentException.class, () -> RunJournal.read(text));
    }

    @Test
    void aFullDiskStopsTheRunWithAMessage() throws Exception {
        Path full = Path.of("/dev/full");
        Assumptions.assumeTrue(Files.exists(full), "no /dev/full on this system");
        Path file = dir.resolve("full.jsonl");
        RunJournal.create(file, header("f")).close();
        RunJournal.Content content = RunJournal.read(file);
        assertThrows(java.io.IOException.class, () -> RunJournal.create(full, header("f")));
        try (RealTime time = new RealTime();
                FakeServer server = new FakeServer(TRUTH, FakeServer.Behaviour.of(Dialect.VLLM), time)) {
            RunJournal journal = RunJournal.toFullDisk(file, 2000);
            RunResult run = segment(server, journal, 0, content.completed().keySet(), 0);
            assertEquals("the run file cannot be written", run.stoppedBecause());
            assertTrue(run.records().size() < MEASURED);
            var e = assertThrows(UncheckedIOException.class, journal::check);
            assertTrue(e.getMessage().contains("--resume"), e.getMessage());
            journal.close();
        }
        assertTrue(RunJournal.read(file).records().size() > 0, "what was written before is on disk");
    }
}
