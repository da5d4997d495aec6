package dev.foretoken.sim.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.acceptance.PmfLaw;
import dev.foretoken.sim.round.GraphPadding;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Schedulers against what their engines do, on examples small enough to follow by hand: rounds of 10 ms, prompts of 0.1 ms
 * per token.
 */
class SchedulersTest {
    private static final RoundOption PLAIN = RoundOption.autoregressive(ConstantRounds.of(10, 0.1));

    static Stream<String> names() {
        return Schedulers.all().stream().map(Schedulers.Entry::name);
    }

    @Test
    void anUnknownSchedulerIsNamedWithTheKnownOnes() {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> EngineSetup.of("vllmm"));
        assertTrue(e.getMessage().contains("[sglang, vllm]"), e.getMessage());
    }

    // What every scheduler must do.

    @ParameterizedTest
    @MethodSource("names")
    void anIdleEngineStartsAtOnceAndOneRequestTakesPromptAndRounds(String name) {
        Runs run = Runs.trace(EngineSetup.of(name), PLAIN, null, Runs.at(0, 100, 1), Runs.at(7, 50, 4));
        // The second arrives while the first one's prompt (0..10 ms) runs; its own takes 5 ms, then 3 rounds.
        assertEquals(15.0 - 7, run.request(1).ttftMs());
        assertEquals(45.0 - 7, run.request(1).e2eMs());
        assertEquals(10.0, run.request(1).tpotMs());
    }

    @ParameterizedTest
    @MethodSource("names")
    void requestsBeyondMaxRunningWaitFirstComeFirstServed(String name) {
        Runs run = Runs.trace(
                EngineSetup.of(name).withMaxRunning(1),
                RoundOption.autoregressive(ConstantRounds.of(10)),
                null,
                Runs.at(0, 1, 3),
                Runs.at(1, 1, 3),
                Runs.at(2, 1, 3));
        assertEquals(20.0, run.request(0).e2eMs());
        assertEquals(39.0, run.request(1).e2eMs());
        assertEquals(58.0, run.request(2).e2eMs());
        assertTrue(run.point.waitForRunningShare() > 0);
    }

    @ParameterizedTest
    @MethodSource("names")
    void prefixHitsAreNotComputedButOneTokenAlwaysIs(String name) {
        TraceRequest half = new TraceRequest(0, 100, 1, null, 50);
        TraceRequest whole = new TraceRequest(1_000_000_000L, 100, 1, null, 100);
        Runs run = Runs.trace(EngineSetup.of(name), PLAIN, null, half, whole);
        assertEquals(5.0, run.request(0).ttftMs());
        assertEquals(0.1, run.request(1).ttftMs());
    }

    @ParameterizedTest
    @MethodSource("names")
    void whoeverIsPreemptedComputesItsPromptAndOutputAgainAndFinishes(String name) {
        // 28 pages of 10 tokens: two requests of 50 + 100 tokens need 30.
        EngineSetup setup = EngineSetup.of(name).withMemory(MemoryLimits.kv(28, 10));
        Runs run = Runs.trace(setup, PLAIN, null, Runs.at(0, 50, 100), Runs.at(0, 50, 100));
        assertEquals(2, run.served.size());
        assertEquals(1, run.served.stream().mapToInt(ServedRequest::preemptions).sum());
        long prompts = run.steps.stream().mapToLong(EngineStep::prefillTokens).sum();
        ServedRequest preempted = run.served.stream()
                .max(Comparator.comparingInt(ServedRequest::preemptions))
                .orElseThrow();
        // Both prompts once, and one again with the 91 tokens it had emitted when 140 tokens filled 14 pages each.
        assertEquals(50 + 50 + 50 + 91, prompts);
        assertEquals(100 - 2, preempted.rounds());
        assertEquals(0.5, run.point.preemptions());
        assertEquals(28, run.point.peakKvPages());
    }

    @ParameterizedTest
    @MethodSource("names")
    void recurrentStateSlotsLimitResidents(String name) {
        // 7 slots, 3 per request of width 2 (1 + 1 per node): two fit.
        EngineSetup setup = EngineSetup.of(name).withMemory(new MemoryLimits(MemoryLimits.UNLIMITED, 1, 0, 7, 1, 1));
        RoundOption pairs = RoundOption.drafting(1, 2, ConstantRounds.of(10));
        Runs run = Runs.trace(setup, pairs, PmfLaw.of(0.5, 0.5), Runs.at(0, 1, 9), Runs.at(0, 1, 9), Runs.at(0, 1, 9));
        assertEquals(2, run.steps.stream().mapToInt(EngineStep::resident).max().orElseThrow());
        assertTrue(run.point.waitForMemoryShare() > 0);
    }

    @ParameterizedTest
    @MethodSource("names")
    void draftsAreCutOnlyWhereTheEngineCutsThem(String name) {
        RoundOption quads = RoundOption.drafting(3, 4, ConstantRounds.of(10));
        Runs full = Runs.trace(EngineSetup.of(name), quads, PmfLaw.of(0, 0, 0, 1), Runs.at(0, 1, 7));
        assertEquals(List.of(4L, 4L), rows(full));
        Runs cut = Runs.trace(EngineSetup.of(name).withCutDrafts(true), quads, PmfLaw.of(0, 0, 0, 1), Runs.at(0, 1, 7));
        assertEquals(List.of(4L, 2L), rows(cut));
        assertEquals(full.request(0).e2eMs(), cut.request(0).e2eMs());
    }

    private static List<Long> rows(Runs run) {
        return run.steps.stream()
                .filter(s -> s.requests() > 0)
                .map(EngineStep::rows)
                .toList();
    }

    // SGLang.

    @Test
    void sglangStallsResidentsForPrompts() {
        Runs run = Runs.trace(EngineSetup.of("sglang"), PLAIN, null, Runs.at(0, 10, 5), Runs.at(12, 300, 2));
        // 0: prompt 1 ms, rounds end at 11, 21; prompt of the second 21..51; rounds end at 61, 71.
        assertEquals(71.0, run.request(0).e2eMs());
        assertEquals(51.0 - 12, run.request(1).ttftMs());
        assertEquals(40.0, run.point.roundGapMs().p99().value(), 0.05);
    }

    @Test
    void sglangPrefillsALongPromptInChunksBackToBack() {
        Runs run = Runs.trace(
                EngineSetup.of("sglang").withChunkTokens(128), PLAIN, null, Runs.at(0, 10, 3), Runs.at(2, 300, 2));
        // A chunk is filled up with the next request's prompt.
        List<Long> chunks = run.steps.stream()
                .map(EngineStep::prefillTokens)
                .filter(t -> t > 0)
                .toList();
        assertEquals(List.of(10L, 128L, 128L, 44L), chunks);
        Runs together = Runs.trace(
                EngineSetup.of("sglang").withChunkTokens(128),
                PLAIN,
                null,
                Runs.at(0, 100, 2),
                Runs.at(0, 100, 2),
                Runs.at(0, 100, 2));
        assertEquals(
                List.of(128L, 128L, 44L),
                together.steps.stream()
                        .map(EngineStep::prefillTokens)
                        .filter(t -> t > 0)
                        .toList());
    }

    @Test
    void sglangRetractsTheLongestPromptAmongEqualsAndWithSpeculationWhoCameLast() {
        // 28 pages of 10 tokens; 60 + 100 and 40 + 100 tokens need 30.
        EngineSetup setup = EngineSetup.of("sglang").withMemory(MemoryLimits.kv(28, 10));
        TraceRequest[] requests = {Runs.at(0, 60, 100), Runs.at(0, 40, 100)};
        Runs plain = Runs.trace(setup, PLAIN, null, requests);
        assertEquals(1, plain.request(0).preemptions());
        assertEquals(0, plain.request(1).preemptions());
        RoundOption pairs = RoundOption.drafting(1, 2, ConstantRounds.of(10, 0.1));
        Runs speculative = Runs.trace(setup, pairs, PmfLaw.of(1, 0), requests);
        assertEquals(0, speculative.request(0).preemptions());
        assertEquals(1, speculative.request(1).preemptions());
    }

    @Test
    void sglangAdmitsOnlyWhatIsExpectedToFit() {
        // Prompt 50 and output 20 are admitted beside 0.7 of the other's remaining output: 70 < 120 - 50 - 14 does not
        // hold.
        EngineSetup setup = EngineSetup.of("sglang").withMemory(MemoryLimits.kv(12, 10));
        Runs run = Runs.trace(setup, PLAIN, null, Runs.at(0, 50, 20), Runs.at(0, 50, 20));
        assertEquals(0.0, run.point.preemptions());
        assertEquals(1, run.steps.stream().mapToInt(EngineStep::resident).max().orElseThrow());
    }

    @Test
    void sglangPadsToCapturedNumbersOfRequests() {
        EngineSetup setup = EngineSetup.of("sglang").withPadding(new GraphPadding(List.of(1, 4), true));
        RoundOption pairs = RoundOption.drafting(1, 2, ConstantRounds.of(10));
        TraceRequest one = Runs.at(0, 1, 3);
        Runs run = Runs.trace(setup, pairs, PmfLaw.of(1, 0), one, one);
        assertEquals(List.of(8L, 8L), rows(run));
        Runs eager = Runs.trace(setup, pairs, PmfLaw.of(1, 0), one, one, one, one, one);
        assertEquals(List.of(10L, 10L), rows(eager));
    }

    // vLLM.

    @Test
    void vllmMixesDecodeRowsAndChunksUnderOneBudget() {
        EngineSetup setup = EngineSetup.of("vllm").withMaxBatchedTokens(100);
        Runs run = Runs.trace(setup, PLAIN, null, Runs.at(0, 50, 6), Runs.at(1, 250, 2));
        // 0..5 prompt of the first; then its row beside 99, 99 and 52 prompt tokens of the second, then both decode.
        assertEquals(
                List.of(50L, 99L, 99L, 52L, 0L, 0L),
                run.steps.stream().map(EngineStep::prefillTokens).toList());
        assertEquals(
                List.of(0, 1, 1, 1, 2, 1),
                run.steps.stream().map(EngineStep::requests).toList());
        assertEquals(5 + 19.9 + 19.9 + 15.2 - 1, run.request(1).ttftMs(), 1e-6);
    }

    @Test
    void vllmWithTwoBatchesInFlightSchedulesOneStepAhead() {
        EngineSetup setup = EngineSetup.of("vllm").withMaxBatchedTokens(100).withBatchesInFlight(2);
        Runs run = Runs.trace(setup, PLAIN, null, Runs.at(0, 150, 3), Runs.at(6, 40, 2));
        // Steps 0 and 1 (100 and 50 tokens) are scheduled at 0. Step 0 returns at 10: step 2 is scheduled, in it the
        // first
        // decode row of request 0 and the prompt of request 1, which was read then and not before.
        assertEquals(10.0, run.request(1).queuedNs() / 1e6);
        assertEquals(10.0, run.request(1).scheduledNs() / 1e6);
        assertEquals(15.0, run.request(0).firstTokenNs() / 1e6);
        // Step 1 ends at 15, step 2 takes 10 + 4 ms.
        assertEquals(29.0, run.request(1).firstTokenNs() / 1e6);
        assertEquals(
                List.of(0, 0, 1, 2),
                run.steps.stream().map(EngineStep::requests).toList());
    }

    @Test
    void vllmPreemptsTheLastOfTheRunningListToTheFrontOfTheQueue() {
        EngineSetup setup = EngineSetup.of("vllm").withMemory(MemoryLimits.kv(13, 10));
        Runs run = Runs.trace(
                setup, PLAIN, null, Runs.at(0, 50, 20), Runs.at(1, 50, 20), Runs.at(2, 50, 20), Runs.at(3, 5, 20));
        assertEquals(0, run.request(0).preemptions());
        assertTrue(run.request(1).preemptions() > 0);
        assertTrue(run.request(1).lastTokenNs() < run.request(2).lastTokenNs());
    }

    /** Ten pages of ten tokens: while the first holds five, a prompt of 60 waits although its first chunk would fit. */
    @Test
    void vllmAdmitsOnlyWhereTheWholePromptFits() {
        EngineSetup setup = EngineSetup.of("vllm").withMaxBatchedTokens(45).withMemory(MemoryLimits.kv(10, 10));
        Runs run = Runs.trace(setup, PLAIN, null, Runs.at(0, 40, 8), Runs.at(1, 60, 2), Runs.at(2, 10, 2));
        assertEquals(run.request(0).lastTokenNs(), run.request(1).scheduledNs());
        assertTrue(run.request(2).scheduledNs() >= run.request(1).scheduledNs(), "first come, first served");
        assertEquals(0, run.request(1).preemptions());
    }

    @Test
    void vllmPadsToCapturedNumbersOfTokens() {
        EngineSetup setup = EngineSetup.of("vllm").withPadding(new GraphPadding(List.of(1, 2, 4, 8), false));
        RoundOption triples = RoundOption.drafting(2, 3, ConstantRounds.of(10));
        TraceRequest one = Runs.at(0, 1, 3);
        assertEquals(List.of(8L, 8L), rows(Runs.trace(setup, triples, PmfLaw.of(1, 0, 0), one, one)));
        assertEquals(List.of(9L, 9L), rows(Runs.trace(setup, triples, PmfLaw.of(1, 0, 0), one, one, one)));
    }
}
