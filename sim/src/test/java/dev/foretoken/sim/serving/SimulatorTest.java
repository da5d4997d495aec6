package dev.foretoken.sim.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.ForcedAcceptance;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.acceptance.PmfLaw;
import dev.foretoken.sim.acceptance.Renewal;
import dev.foretoken.sim.random.CounterRandom;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole points: loads, acceptance, adaptive budgets, statistics, and what is refused. */
class SimulatorTest {
    private static final SimulationOptions OPTIONS = SimulationOptions.DEFAULT;
    private static final AcceptanceLaw CHAIN = PmfLaw.ofSurvival(0.8, 0.6, 0.4);

    private static RoundOption chain(double ms) {
        return RoundOption.drafting(3, 4, ConstantRounds.of(ms));
    }

    private static ServedWorkload workload(int isl, int osl, AcceptanceLaw law) {
        return ServedWorkload.of("w", LengthSampler.fixed(isl), LengthSampler.fixed(osl), law);
    }

    private static SimulationPoint closed(RoundOption option, AcceptanceLaw law, int clients, SimulationOptions o) {
        return Simulator.simulate(
                EngineSetup.of("sglang"),
                ServedArm.of(option),
                List.of(workload(10, 65, law)),
                Load.Closed.of(clients),
                o);
    }

    /** Within four standard errors of the interval and half a percent. */
    private static void assertNear(double expected, Estimate e) {
        assertTrue(
                Math.abs(e.value() - expected) <= 2.1 * e.halfWidth() + 1e-9 * Math.abs(expected),
                "expected " + expected + ", simulated " + e);
        assertTrue(e.halfWidth() <= 0.02 * Math.abs(expected), e.toString());
    }

    // Loads.

    @Test
    void clientsThatStartTogetherInLockstepFinishTogether() {
        // 8 requests, 100 tokens by rounds of 4, t = 10 + 0.1 x 8 x 8 = 16.4 ms: 25 rounds, 0.41 s, 1951.22 tok/s.
        RoundOption octets = RoundOption.drafting(7, 8, new ConstantRounds(rows -> 10 + 0.1 * rows, 0));
        TraceRequest[] eight = new TraceRequest[8];
        Arrays.fill(eight, Runs.at(0, 1, 101));
        Runs run = Runs.trace(EngineSetup.of("sglang"), octets, PmfLaw.of(0, 0, 0, 1), eight);
        for (ServedRequest r : run.served) {
            assertEquals(25, r.rounds());
            assertEquals(410.0, r.e2eMs());
        }
        assertEquals(8 * 101 / 0.41, run.point.outputTokS().value(), 1e-6);
        assertEquals(1, run.point.batches() - 7);
    }

    @Test
    void autoregressiveDecodingIsExactToRounding() {
        double ms = 20 + 1.0 / 3;
        SimulationPoint p = closed(RoundOption.autoregressive(ConstantRounds.of(ms)), null, 5, OPTIONS);
        double expected = 1000 * 5 * 65 / (64 * ms);
        assertEquals(expected, p.outputTokS().value(), 1e-9 * expected);
        assertEquals(ms, p.tpotMs().mean().value(), 1e-9 * ms);
        assertEquals(0, p.outputTokS().halfWidth(), 1e-9 * expected);
        assertEquals(5.0, p.residentRequests().value());
        assertEquals(5.0, p.rowsPerRound().value());
        assertEquals(ms, p.roundGapMs().p95().value(), 1e-6);
    }

    @Test
    void thinkTimeLowersTheNumberInTheEngineByLittlesLaw() {
        Load load = new Load.Closed(6, Load.ThinkTime.exponential(2000), true);
        SimulationPoint p = Simulator.simulate(
                EngineSetup.of("sglang"), ServedArm.of(chain(10)), List.of(workload(10, 65, CHAIN)), load, OPTIONS);
        // Unlimited engine with constant rounds: a request takes its rounds and half a round of waiting or less.
        double rounds = new Renewal(CHAIN, 64).mean(64);
        double cycle = 2000 + rounds * 10;
        assertEquals(
                6 * 65 * 1000 / cycle,
                p.outputTokS().value(),
                0.005 * p.outputTokS().value());
        Load fixed = new Load.Closed(6, Load.ThinkTime.fixed(2000), false);
        SimulationPoint q = Simulator.simulate(
                EngineSetup.of("sglang"), ServedArm.of(chain(10)), List.of(workload(10, 65, CHAIN)), fixed, OPTIONS);
        assertEquals(
                p.outputTokS().value(),
                q.outputTokS().value(),
                0.01 * p.outputTokS().value());
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.25, 1, 4})
    void burstierArrivalsWaitLonger(double burstiness) {
        Load load = new Load.Arrivals(8, burstiness);
        SimulationPoint p = Simulator.simulate(
                EngineSetup.of("sglang").withMaxRunning(4),
                ServedArm.of(chain(10)),
                List.of(workload(10, 65, CHAIN)),
                load,
                OPTIONS.withRelHalfWidth(0.05));
        assertEquals(8.0, p.requestsPerS().value());
        assertEquals(8 * 65.0, p.outputTokS().value());
        double smooth = 30;
        assertTrue(burstiness < 1 ? p.queueMs().value() > smooth : p.queueMs().value() < smooth, p.queueMs()::toString);
    }

    @Test
    void lengthsOfAMixFollowTheShares() {
        ServedWorkload small = new ServedWorkload(
                "small", LengthSampler.fixed(5), LengthSampler.fixed(33), 3, Arrays.asList((AcceptanceLaw) null));
        ServedWorkload large = new ServedWorkload(
                "large", LengthSampler.fixed(5), LengthSampler.ofPmf(65, new double[] {0.5, 0.5}), 1, List.of(CHAIN));
        List<ServedRequest> served = new ArrayList<>();
        SimulationPoint p = Simulator.simulate(
                EngineSetup.of("sglang"),
                ServedArm.of(chain(10)),
                List.of(small, large),
                Load.Closed.of(4),
                OPTIONS,
                new EngineListener() {
                    @Override
                    public void completed(ServedRequest r) {
                        served.add(r);
                    }
                });
        double share = served.stream().filter(r -> r.workload().equals("small")).count() / (double) served.size();
        assertEquals(0.75, share, 0.04);
        assertEquals(
                Set.of(33, 65, 66),
                served.stream()
                        .filter(r -> !r.partial())
                        .map(ServedRequest::osl)
                        .collect(Collectors.toSet()));
        double mean = 0.75 * 32 + 0.25 * new Renewal(CHAIN, 64).mean(64);
        assertEquals(mean, p.roundsPerRequest().value(), 0.03 * mean);
    }

    @Test
    void aTraceNamesWorkloads() {
        ServedWorkload a = new ServedWorkload(
                "a", LengthSampler.fixed(1), LengthSampler.fixed(1), 1, Arrays.asList((AcceptanceLaw) null));
        ServedWorkload b = new ServedWorkload(
                "b", LengthSampler.fixed(1), LengthSampler.fixed(1), 1, List.of(PmfLaw.of(0, 0, 0, 1)));
        Runs run = Runs.trace(
                EngineSetup.of("sglang"),
                ServedArm.of(chain(10)),
                List.of(a, b),
                new TraceRequest(0, 1, 9, "a", 0),
                new TraceRequest(0, 1, 9, "b", 0));
        assertEquals(8, run.request(0).rounds());
        assertEquals(2, run.request(1).rounds());
    }

    // Acceptance.

    @Test
    void ngramDraftsFireWithTheirRateAndWidthsVary() {
        RoundOption ngram = new RoundOption(12, 13, 0.28, ConstantRounds.of(10));
        AcceptanceLaw whenFired = PmfLaw.iid(0.7, 12);
        SimulationPoint p = closed(ngram, whenFired, 4, OPTIONS);
        assertNear(4 * (1 + 0.28 * 12), p.rowsPerRound());
        assertNear(1 + 0.28 * (whenFired.acceptLength() - 1), p.acceptLength());
    }

    @Test
    void sglangsForcedLengthIsOneForTheWholeBatch() {
        AcceptanceLaw forced = new ForcedAcceptance.Sglang(2.4).law(3);
        ServedArm arm = ServedArm.of(chain(10)).withBatchLaw(forced);
        TraceRequest[] four = new TraceRequest[4];
        Arrays.fill(four, Runs.at(0, 1, 200));
        Runs run = Runs.trace(EngineSetup.of("sglang"), arm, List.of(workload(1, 1, CHAIN)), four);
        assertEquals(
                1,
                run.served.stream().map(ServedRequest::rounds).distinct().count(),
                "requests of one batch commit the same tokens");
        SimulationPoint p = Simulator.simulate(
                EngineSetup.of("sglang"), arm, List.of(workload(1, 65, CHAIN)), Load.Closed.of(4), OPTIONS);
        assertNear(2.4, p.acceptLength());
    }

    @Test
    void forcedRatesPerRequestAreDrawnApart() {
        AcceptanceLaw forced = new ForcedAcceptance.PerRequest(List.of(0.9, 0.5, 0.2)).law(3);
        SimulationPoint p = closed(chain(10), forced, 4, OPTIONS);
        assertNear(2.6, p.acceptLength());
    }

    @Test
    void roundsThatDependOnEachOtherKeepTheirMeanAndVaryMore() {
        AcceptanceForm.Srt form =
                (AcceptanceForm.Srt) AcceptanceForm.Srt.of(2.219, 0.128, -1.203, 1.354, 0.319, 0.643, 15, 24);
        Design tree = new Design.Tree(15, 24, 64, false);
        AcceptanceLaw apart = Laws.of(form, tree).central();
        AcceptanceLaw together = Laws.of(form.withDependence(0.56, 0.16), tree).central();
        RoundOption option = RoundOption.drafting(64, 65, ConstantRounds.of(10));
        SimulationOptions many = OPTIONS.withRelHalfWidth(0.004);
        SimulationPoint a = closed(option, apart, 4, many);
        SimulationPoint b = closed(option, together, 4, many);
        assertNear(apart.acceptLength(), a.acceptLength());
        // By rounds, slow requests count more: the mean over rounds is below the law's.
        assertTrue(b.acceptLength().value() < apart.acceptLength());
        assertTrue(b.roundsPerRequest().value() > 1.01 * a.roundsPerRequest().value());
        double spread = b.outputTokS().halfWidth() * Math.sqrt(b.requests());
        assertTrue(spread > 1.3 * a.outputTokS().halfWidth() * Math.sqrt(a.requests()));
    }

    // Adaptive budgets.

    private static final List<RoundOption> LADDER = List.of(
            RoundOption.autoregressive(new ConstantRounds(rows -> Math.max(10, rows), 0)),
            RoundOption.drafting(3, 4, new ConstantRounds(rows -> Math.max(10, rows), 0)),
            RoundOption.drafting(7, 8, new ConstantRounds(rows -> Math.max(10, rows), 0)));

    private static ServedWorkload ladder(String id, double alpha) {
        return new ServedWorkload(
                id,
                LengthSampler.fixed(1),
                LengthSampler.fixed(65),
                1,
                Arrays.asList(null, PmfLaw.iid(alpha, 3), PmfLaw.iid(alpha, 7)));
    }

    private static SimulationPoint adaptive(BudgetPolicy policy, int clients, ServedWorkload... workloads) {
        return Simulator.simulate(
                EngineSetup.of("sglang"),
                ServedArm.of(LADDER, policy),
                List.of(workloads),
                Load.Closed.of(clients),
                OPTIONS);
    }

    @Test
    void budgetsFollowTheNumberOfRunningRequests() {
        BudgetPolicy policy = BudgetPolicy.byConcurrency(Map.of(1, 2, 4, 1, 8, 0));
        for (int[] clientsAndRows : new int[][] {{1, 8}, {3, 24}, {4, 16}, {7, 28}, {8, 8}, {20, 20}}) {
            SimulationPoint p = adaptive(policy, clientsAndRows[0], ladder("w", 0.8));
            assertEquals(clientsAndRows[1], p.rowsPerRound().value(), clientsAndRows[0] + " clients");
        }
    }

    @Test
    void theCostAwareBudgetIsTheBestOfAll() {
        for (int clients : new int[] {1, 2, 3, 8}) {
            double best = 0;
            for (int o = 0; o < LADDER.size(); o++) {
                best = Math.max(
                        best,
                        adaptive(BudgetPolicy.fixed(o), clients, ladder("w", 0.6))
                                .outputTokS()
                                .value());
            }
            double got = adaptive(BudgetPolicy.costAware(), clients, ladder("w", 0.6))
                    .outputTokS()
                    .value();
            assertEquals(best, got, 1e-9 * best, clients + " clients");
        }
    }

    @Test
    void aTotalOfNodesGoesWhereItIsWorthMost() {
        // Two requests each of an easy and a hard workload share 14 nodes: the easy ones get 7 each.
        ServedWorkload easy = ladder("easy", 0.95);
        ServedWorkload hard = ladder("hard", 0.1);
        TraceRequest e = new TraceRequest(0, 1, 200, "easy", 0);
        TraceRequest h = new TraceRequest(0, 1, 20, "hard", 0);
        Runs run = Runs.trace(
                EngineSetup.of("sglang"), ServedArm.of(LADDER, BudgetPolicy.topC(14)), List.of(easy, hard), h, e, h, e);
        long rows = run.steps.stream()
                .filter(s -> s.requests() == 4)
                .mapToLong(EngineStep::rows)
                .max()
                .orElseThrow();
        assertEquals(8 + 8 + 1 + 1, rows);
        assertEquals(19, run.request(0).rounds(), "the hard ones decode plainly beside the easy ones");
    }

    // Statistics.

    @Test
    void theSeedDecidesEverything() {
        SimulationPoint a = closed(chain(10), CHAIN, 4, OPTIONS.withSeed(7));
        assertEquals(a, closed(chain(10), CHAIN, 4, OPTIONS.withSeed(7)));
        assertFalse(a.equals(closed(chain(10), CHAIN, 4, OPTIONS.withSeed(8))));
    }

    @Test
    void seriesAreBoundedAndShowResidentsAndTheDistribution() {
        SimulationPoint p = Simulator.simulate(
                EngineSetup.of("vllm").withMaxRunning(3),
                ServedArm.of(chain(10)),
                List.of(workload(10, 65, CHAIN)),
                Load.Closed.of(8),
                OPTIONS.withRelHalfWidth(1e-6));
        RunSeries s = p.series();
        assertTrue(
                s.running().size() > 60 && s.running().size() <= RunSeries.INTERVALS,
                s.running().size() + "");
        assertEquals(3.0, s.running().get(40), 0.05);
        assertEquals(5.0, s.queued().get(40), 0.05);
        assertEquals(101, s.ttftMs().size());
        assertEquals(p.ttftMs().p50().value(), s.ttftMs().get(50), 1e-3);
        assertEquals(p.ttftMs().p95().value(), s.ttftMs().get(95), 1e-3);
    }

    @Test
    void theCapIsReportedWhenTheTargetIsNotMet() {
        SimulationPoint p =
                closed(chain(10), CHAIN, 4, OPTIONS.withRelHalfWidth(1e-6).withMaxRequests(500));
        assertFalse(p.targetMet());
        assertTrue(p.notes().get(0).contains("max_requests 500"), p.notes()::toString);
        assertTrue(p.requests() + p.deletedRequests() <= 500);
        SimulationPoint q = closed(chain(10), CHAIN, 4, OPTIONS);
        assertTrue(q.targetMet());
        assertEquals(List.of(), q.notes());
    }

    @Test
    void intervalsOfATraceComeFromReplicationsAndOfALongOneFromBatches() {
        List<TraceRequest> requests = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            requests.add(Runs.at(50.0 * i, 10, 65));
        }
        Load load = new Load.Trace(TraceSource.of("trace", requests));
        SimulationPoint p = Simulator.simulate(
                EngineSetup.of("sglang"), ServedArm.of(chain(10)), List.of(workload(1, 1, CHAIN)), load, OPTIONS);
        assertTrue(p.batches() >= 10 && p.batches() <= 30, p.batches() + " replications");
        assertEquals(40L * p.batches(), p.requests());
        assertEquals(0, p.deletedRequests());
        SimulationPoint q = Simulator.simulate(
                EngineSetup.of("sglang"),
                ServedArm.of(chain(10)),
                List.of(workload(1, 1, CHAIN)),
                load,
                OPTIONS.withMaxRequests(100));
        assertEquals(40, q.requests());
        assertTrue(q.notes().get(0).contains("one pass over the trace"), q.notes()::toString);
        SimulationPoint r = Simulator.simulate(
                EngineSetup.of("sglang"),
                ServedArm.of(RoundOption.autoregressive(ConstantRounds.of(10))),
                List.of(workload(1, 1, null)),
                load,
                OPTIONS);
        assertEquals(0, r.outputTokS().halfWidth(), "nothing is random");
        assertTrue(r.targetMet());
    }

    @Test
    void whatDoesNotApplyIsAbsent() {
        Runs run = Runs.trace(
                EngineSetup.of("sglang"),
                RoundOption.autoregressive(ConstantRounds.of(10, 0.1)),
                null,
                Runs.at(0, 10, 1));
        assertNull(run.point.tpotMs());
        assertNull(run.point.roundGapMs());
        assertNull(run.point.roundMs());
        assertNull(run.point.acceptLength());
        assertEquals(1000.0, run.point.outputTokS().value(), 1e-9);
    }

    @Test
    void aRoundAllocatesNothingInSteadyState() {
        RunLog log = new RunLog(64, 0, true);
        long runKey = CounterRandom.runKey(1, 0);
        ServingEngine engine = new ServingEngine(
                EngineSetup.of("vllm").withBatchesInFlight(2),
                ServedArm.of(chain(10)),
                List.of(workload(100, 2000, CHAIN)),
                new ClosedArrivals(Load.Closed.of(64), runKey),
                log,
                List.of(),
                runKey,
                Long.MAX_VALUE);
        engine.runUntil(1024);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        engine.runUntil(2048);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        double requestRounds = 1024 * new Renewal(CHAIN, 1999).mean(1999);
        assertTrue(
                allocated < 4_000_000,
                allocated + " bytes for " + requestRounds + " request-rounds: per-batch sums only");
    }

    // What is refused.

    private static SimulationRefused refused(EngineSetup setup, Load load) {
        return assertThrows(
                SimulationRefused.class,
                () -> Simulator.simulate(
                        setup, ServedArm.of(chain(10)), List.of(workload(100, 100, CHAIN)), load, OPTIONS));
    }

    @Test
    void aRequestLargerThanMemoryIsRefused() {
        EngineSetup setup = EngineSetup.of("sglang").withMemory(MemoryLimits.kv(12, 16));
        SimulationRefused e = refused(setup, Load.Closed.of(2));
        assertEquals(SimulationRefused.Reason.REQUEST_TOO_LARGE, e.reason());
        assertTrue(e.getMessage().contains("needs 13 KV pages of 12"), e.getMessage());
        SimulationRefused slots = refused(
                EngineSetup.of("vllm").withMemory(new MemoryLimits(MemoryLimits.UNLIMITED, 1, 0, 3, 4, 1)),
                Load.Arrivals.poisson(1));
        assertTrue(slots.getMessage().contains("needs 8 recurrent-state slots of 3"), slots.getMessage());
    }

    @Test
    void requestsOfATraceThatNeverFitAreCounted() {
        EngineSetup setup = EngineSetup.of("sglang").withMemory(MemoryLimits.kv(12, 16));
        Runs run = Runs.trace(setup, chain(10), CHAIN, Runs.at(0, 10, 10), Runs.at(1, 500, 10), Runs.at(2, 10, 10));
        assertEquals(1, run.point.refusedRequests());
        assertEquals(2, run.served.size());
        assertTrue(run.point.notes().stream().anyMatch(n -> n.contains("could never fit")));
    }

    @Test
    void arrivalsFasterThanServiceAreRefused() {
        // 4 resident requests of 99 tokens at 10 ms rounds of 2.8 tokens serve some 11 a second.
        SimulationRefused e = refused(EngineSetup.of("sglang").withMaxRunning(4), Load.Arrivals.poisson(20));
        assertEquals(SimulationRefused.Reason.NEVER_DRAINS, e.reason());
        SimulationRefused flood = refused(EngineSetup.of("sglang").withMaxRunning(1), Load.Arrivals.poisson(1e6));
        assertEquals(SimulationRefused.Reason.NEVER_DRAINS, flood.reason());
    }

    @Test
    void aLoadInWhichNothingTakesTimeIsRefused() {
        SimulationRefused e = assertThrows(
                SimulationRefused.class,
                () -> Simulator.simulate(
                        EngineSetup.of("sglang"),
                        ServedArm.of(chain(10)),
                        List.of(workload(10, 1, CHAIN)),
                        Load.Closed.of(2),
                        OPTIONS));
        assertTrue(e.getMessage().contains("nothing takes time"), e.getMessage());
    }

    @Test
    void roundsWithoutTimeAreRefused() {
        RoundOption instant = RoundOption.autoregressive(ConstantRounds.of(0));
        SimulationRefused e = assertThrows(
                SimulationRefused.class, () -> Runs.trace(EngineSetup.of("sglang"), instant, null, Runs.at(0, 1, 5)));
        assertEquals(SimulationRefused.Reason.NO_PROGRESS, e.reason());
    }

    /** A scheduler that never works on anyone, and one that throws out whomever it let in: a watchdog ends both. */
    @Test
    void anEngineWithoutProgressIsEndedAndSaysWhy() {
        SimulationRefused idle = assertThrows(SimulationRefused.class, () -> scheduledBy(engine -> {}));
        assertEquals(SimulationRefused.Reason.NO_PROGRESS, idle.reason());
        assertTrue(idle.getMessage().contains("nothing is left to happen; 0 requests run, 2 wait"), idle.getMessage());
        SimulationRefused spinning = assertThrows(
                SimulationRefused.class,
                () -> scheduledBy(engine -> {
                    while (engine.runningCount() > 0) {
                        engine.preempt(engine.running(0), false);
                    }
                    int slot = engine.waitingHead();
                    engine.admitHead(1);
                    engine.addChunk(slot, 1);
                }));
        assertEquals(SimulationRefused.Reason.NO_PROGRESS, spinning.reason());
        assertTrue(
                spinning.getMessage().contains(ServingEngine.STALLED_STEPS + " steps returned without a token"),
                spinning.getMessage());
    }

    private static void scheduledBy(Scheduler scheduler) {
        long runKey = CounterRandom.runKey(1, 0);
        RunLog log = new RunLog(1, 0, true);
        new ServingEngine(
                        EngineSetup.of("sglang"),
                        scheduler,
                        ServedArm.of(chain(10)),
                        List.of(workload(100, 100, CHAIN)),
                        new ClosedArrivals(new Load.Closed(2, Load.ThinkTime.fixed(0), false), runKey),
                        log,
                        List.of(),
                        runKey,
                        Long.MAX_VALUE)
                .runUntil(1);
    }

    @Test
    void emptyUnsortedAndForeignTracesAreRefused() {
        SimulationRefused empty =
                assertThrows(SimulationRefused.class, () -> Runs.trace(EngineSetup.of("sglang"), chain(10), CHAIN));
        assertTrue(empty.getMessage().contains("no requests"), empty.getMessage());
        SimulationRefused unsorted = assertThrows(
                SimulationRefused.class,
                () -> Runs.trace(EngineSetup.of("sglang"), chain(10), CHAIN, Runs.at(5, 1, 1), Runs.at(1, 1, 1)));
        assertTrue(unsorted.getMessage().contains("not sorted"), unsorted.getMessage());
        SimulationRefused foreign = assertThrows(
                SimulationRefused.class,
                () -> Runs.trace(EngineSetup.of("sglang"), chain(10), CHAIN, new TraceRequest(0, 1, 5, "x", 0)));
        assertTrue(foreign.getMessage().contains("known: [w]"), foreign.getMessage());
    }

    @Test
    void lawsThatDoNotBelongToTheArmAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> closed(chain(10), PmfLaw.iid(0.5, 9), 1, OPTIONS));
        assertThrows(
                IllegalArgumentException.class,
                () -> Simulator.simulate(
                        EngineSetup.of("sglang"),
                        ServedArm.of(LADDER, BudgetPolicy.costAware()),
                        List.of(workload(1, 5, CHAIN)),
                        Load.Closed.of(1),
                        OPTIONS));
        assertThrows(
                IllegalArgumentException.class, () -> ServedArm.of(LADDER, BudgetPolicy.byConcurrency(Map.of(1, 9))));
        assertThrows(
                IllegalArgumentException.class,
                () -> ServedArm.of(List.of(LADDER.get(1), LADDER.get(0)), BudgetPolicy.topC(4)));
    }
}
