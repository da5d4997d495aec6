package dev.foretoken.sim.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.acceptance.PmfLaw;
import dev.foretoken.sim.random.CounterRandom;
import dev.foretoken.sim.random.CounterRandom.Purpose;
import dev.foretoken.sim.round.GraphPadding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What holds in every run, whatever the engine, memory, load and acceptance. */
class ServingProperties {

    /** A small run: an engine, an arm and a trace. */
    record Case(EngineSetup setup, ServedArm arm, ServedWorkload workload, List<TraceRequest> requests, long seed) {
        TraceSource source() {
            return TraceSource.of("trace", requests);
        }

        Recorder run() {
            RunLog log = new RunLog(1, 0, false);
            Recorder recorder = new Recorder();
            ServingEngine engine = new ServingEngine(
                    setup,
                    arm,
                    List.of(workload),
                    new TraceArrivals("trace", requests.iterator()),
                    log,
                    List.of(recorder),
                    CounterRandom.runKey(seed, 0),
                    Long.MAX_VALUE);
            for (int done = 1; done <= requests.size(); done++) {
                engine.runUntil(done);
                engine.verify();
            }
            engine.runUntil(Long.MAX_VALUE);
            recorder.drained = engine.drained();
            recorder.leftPages = engine.usedPages();
            return recorder;
        }
    }

    /** Everything a listener is told. */
    static final class Recorder implements EngineListener {
        final Map<Long, ServedRequest> served = new TreeMap<>();
        final List<EngineStep> steps = new ArrayList<>();
        long inSystem;
        long lastNs;
        long customerNs;
        long leftPages;
        boolean drained;

        private void advance(long timeNs) {
            assertTrue(timeNs >= lastNs, "the clock went back from " + lastNs + " to " + timeNs);
            customerNs += inSystem * (timeNs - lastNs);
            lastNs = timeNs;
        }

        @Override
        public void arrived(long timeNs) {
            advance(timeNs);
            inSystem++;
        }

        @Override
        public void completed(ServedRequest request) {
            advance(request.lastTokenNs());
            inSystem--;
            assertNull(served.put(request.id(), request), "served twice");
        }

        @Override
        public void stepped(EngineStep step) {
            advance(step.endNs());
            steps.add(step);
        }
    }

    @Provide
    Arbitrary<AcceptanceLaw> laws() {
        return Arbitraries.doubles()
                .between(0, 1)
                .list()
                .ofMinSize(1)
                .ofMaxSize(6)
                .map(s -> PmfLaw.ofSurvival(s.stream()
                        .sorted((a, b) -> Double.compare(b, a))
                        .mapToDouble(Double::doubleValue)
                        .toArray()));
    }

    @Provide
    Arbitrary<List<TraceRequest>> traces() {
        Arbitrary<TraceRequest> request = Combinators.combine(
                        Arbitraries.integers().between(0, 2000),
                        Arbitraries.integers().between(1, 300),
                        Arbitraries.integers().between(1, 60),
                        Arbitraries.integers().between(-1, 200))
                .as((ms, isl, osl, cached) -> new TraceRequest(ms * 1_000_000L, isl, osl, null, Math.min(cached, isl)));
        return request.list().ofMinSize(1).ofMaxSize(30).map(list -> {
            List<TraceRequest> sorted = new ArrayList<>(list);
            sorted.sort((a, b) -> Long.compare(a.arrivalNs(), b.arrivalNs()));
            return sorted;
        });
    }

    @Provide
    Arbitrary<EngineSetup> setups() {
        return Combinators.combine(
                        Arbitraries.of(Schedulers.all()).map(Schedulers.Entry::name),
                        Arbitraries.integers().between(1, 9),
                        Arbitraries.integers().between(16, 600),
                        Arbitraries.integers().between(1, 3),
                        Arbitraries.integers().between(0, 60),
                        Arbitraries.of(1, 16),
                        Arbitraries.of(0.0, 0.5, 1.0),
                        Arbitraries.of(true, false))
                .as((scheduler, maxRunning, tokens, depth, spare, page, hits, cut) -> EngineSetup.of(scheduler)
                        .withMaxRunning(maxRunning)
                        .withMaxBatchedTokens(tokens)
                        .withChunkTokens(tokens)
                        .withBatchesInFlight(scheduler.equals("vllm") ? depth : 1)
                        // Room for the largest request and a little more, so that memory runs out often.
                        .withMemory(new MemoryLimits(370 / page + 2 + 10L * spare / page, page, 1, 40, 1, 1))
                        .withPadding(new GraphPadding(List.of(1, 2, 4, 8), scheduler.equals("sglang")))
                        .withPrefixHitRate(hits)
                        .withCutDrafts(cut));
    }

    @Provide
    Arbitrary<Case> cases() {
        return Combinators.combine(
                        setups(),
                        laws(),
                        traces(),
                        Arbitraries.longs(),
                        Arbitraries.of(0.0, 0.01),
                        Arbitraries.of(1.0, 0.3))
                .as((setup, law, requests, seed, prefill, fire) -> {
                    int width = law.maxAccepted() + 1;
                    RoundOption option = new RoundOption(
                            width - 1, width, fire, new ConstantRounds(rows -> 5 + 0.1 * rows, prefill));
                    ServedWorkload workload =
                            ServedWorkload.of("w", LengthSampler.fixed(1), LengthSampler.fixed(1), law);
                    return new Case(setup, ServedArm.of(option), workload, requests, seed);
                });
    }

    @Property(tries = 300)
    void everyRequestReceivesItsTokensOnce(@ForAll("cases") Case c) {
        Recorder r = c.run();
        assertEquals(c.requests().size(), r.served.size());
        long tokens = 0;
        for (ServedRequest s : r.served.values()) {
            tokens += s.osl();
            assertTrue(s.rounds() + s.accepted() + 1 <= s.osl(), s.toString());
            assertTrue(s.preemptions() > 0 || s.rounds() + s.accepted() + 1 == s.osl(), s.toString());
            assertTrue(s.arrivalNs() <= s.queuedNs() && s.queuedNs() <= s.scheduledNs(), s.toString());
            assertTrue(s.scheduledNs() <= s.firstTokenNs() && s.firstTokenNs() <= s.lastTokenNs(), s.toString());
        }
        long emitted = r.steps.stream().mapToLong(EngineStep::emitted).sum();
        boolean free = c.arm().options().get(0).rounds().mixedRoundMs(0, 0, 0, 0, 1, 0) == 0;
        if (!free || !c.setup().scheduler().equals("vllm")) {
            assertEquals(tokens, emitted);
        }
    }

    @Property(tries = 300)
    void littlesLawIsExactOnADrainedRun(@ForAll("cases") Case c) {
        Recorder r = c.run();
        assertTrue(r.drained);
        assertEquals(0, r.inSystem);
        long sojourns = r.served.values().stream()
                .mapToLong(s -> s.lastTokenNs() - s.arrivalNs())
                .sum();
        assertEquals(sojourns, r.customerNs);
    }

    @Property(tries = 300)
    void stepsFollowEachOtherAndMemoryIsNeverExceeded(@ForAll("cases") Case c) {
        Recorder r = c.run();
        long end = 0;
        for (EngineStep s : r.steps) {
            assertTrue(s.startNs() >= end, "steps overlap");
            assertTrue(s.endNs() >= s.startNs());
            assertTrue(s.usedPages() <= c.setup().memory().kvPages());
            assertTrue(s.resident() <= c.setup().maxRunning());
            assertTrue(s.prefillTokens() <= c.setup().chunkTokens());
            end = s.endNs();
        }
        assertEquals(0, r.leftPages, "pages are lost");
    }

    @Property(tries = 200)
    void roundsOfARequestDoNotDependOnWhoElseIsServed(
            @ForAll("laws") AcceptanceLaw law, @ForAll("traces") List<TraceRequest> requests, @ForAll long seed) {
        int width = law.maxAccepted() + 1;
        ServedArm arm = ServedArm.of(RoundOption.drafting(width - 1, width, ConstantRounds.of(5, 0.01)));
        ServedWorkload w = ServedWorkload.of("w", LengthSampler.fixed(1), LengthSampler.fixed(1), law);
        Recorder one = new Case(EngineSetup.of("sglang").withMaxRunning(1), arm, w, requests, seed).run();
        Recorder many = new Case(EngineSetup.of("sglang"), arm, w, requests, seed).run();
        Recorder mixed = new Case(EngineSetup.of("vllm").withMaxRunning(3), arm, w, requests, seed).run();
        for (Long id : one.served.keySet()) {
            assertEquals(one.served.get(id).rounds(), many.served.get(id).rounds());
            assertEquals(one.served.get(id).rounds(), mixed.served.get(id).rounds());
        }
    }

    @Property(tries = 200)
    void aLongerChainNeverNeedsMoreRounds(
            @ForAll("laws") AcceptanceLaw law, @ForAll("traces") List<TraceRequest> requests, @ForAll long seed) {
        double[] pmf = law.pmf();
        double[] shorter = new double[pmf.length - 1];
        System.arraycopy(pmf, 0, shorter, 0, shorter.length);
        shorter[shorter.length - 1] += pmf[pmf.length - 1];
        Recorder longer = chain(law, requests, seed);
        Recorder cut = chain(PmfLaw.of(shorter), requests, seed);
        for (Long id : longer.served.keySet()) {
            assertTrue(longer.served.get(id).rounds() <= cut.served.get(id).rounds());
        }
    }

    private static Recorder chain(AcceptanceLaw law, List<TraceRequest> requests, long seed) {
        int width = law.maxAccepted() + 1;
        ServedArm arm = ServedArm.of(RoundOption.drafting(width - 1, width, ConstantRounds.of(5)));
        ServedWorkload w = ServedWorkload.of("w", LengthSampler.fixed(1), LengthSampler.fixed(1), law);
        return new Case(EngineSetup.of("sglang"), arm, w, requests, seed).run();
    }

    @Property(tries = 200)
    void budgetZeroIsAutoregressiveDecoding(
            @ForAll("setups") EngineSetup setup, @ForAll("traces") List<TraceRequest> requests, @ForAll long seed) {
        ConstantRounds rounds = ConstantRounds.of(5, 0.01);
        ServedWorkload plain = ServedWorkload.of("w", LengthSampler.fixed(1), LengthSampler.fixed(1), null);
        ServedWorkload tree = ServedWorkload.of("w", LengthSampler.fixed(1), LengthSampler.fixed(1), PmfLaw.ONE_TOKEN);
        SimulationPoint a = simulate(setup, RoundOption.autoregressive(rounds), plain, requests, seed);
        SimulationPoint b = simulate(setup, RoundOption.drafting(0, 1, rounds), tree, requests, seed);
        assertEquals(a, b);
    }

    @Property(tries = 100)
    void theSameSeedGivesTheSamePoint(@ForAll("cases") Case c) throws InterruptedException {
        Assume.that(c.requests().stream().anyMatch(r -> r.osl() > 1));
        SimulationOptions options = SimulationOptions.DEFAULT.withSeed(c.seed()).withMaxRequests(300);
        SimulationPoint here =
                Simulator.simulate(c.setup(), c.arm(), List.of(c.workload()), new Load.Trace(c.source()), options);
        SimulationPoint[] there = new SimulationPoint[1];
        Thread other = new Thread(() -> there[0] =
                Simulator.simulate(c.setup(), c.arm(), List.of(c.workload()), new Load.Trace(c.source()), options));
        other.start();
        other.join();
        assertEquals(here, there[0]);
    }

    @Property(tries = 100)
    void roundsTwiceAsLongHalveThroughput(@ForAll("laws") AcceptanceLaw law, @ForAll long seed) {
        int width = law.maxAccepted() + 1;
        ServedWorkload w = ServedWorkload.of("w", LengthSampler.fixed(8), LengthSampler.fixed(40), law);
        SimulationPoint[] points = new SimulationPoint[2];
        for (int k = 1; k <= 2; k++) {
            RoundOption option = RoundOption.drafting(width - 1, width, ConstantRounds.of(5.0 * k, 0.01 * k));
            points[k - 1] = Simulator.simulate(
                    EngineSetup.of("sglang"),
                    ServedArm.of(option),
                    List.of(w),
                    Load.Closed.of(3),
                    SimulationOptions.DEFAULT.withSeed(seed).withMaxRequests(200));
        }
        assertEquals(points[0].outputTokS().value() / 2, points[1].outputTokS().value(), 1e-6);
    }

    private static SimulationPoint simulate(
            EngineSetup setup, RoundOption option, ServedWorkload w, List<TraceRequest> requests, long seed) {
        return Simulator.simulate(
                setup,
                ServedArm.of(option),
                List.of(w),
                new Load.Trace(TraceSource.of("trace", requests)),
                SimulationOptions.DEFAULT.withSeed(seed));
    }

    @Property(tries = 200)
    void lengthsFollowTheirDistribution(@ForAll("laws") AcceptanceLaw weights, @ForAll long seed) {
        double[] pmf = weights.pmf();
        LengthSampler sampler = LengthSampler.ofPmf(3, pmf);
        int n = 2000;
        double mean = 0;
        for (int i = 0; i < n; i++) {
            mean += sampler.tokens((i + 0.5) / n) / (double) n;
        }
        assertEquals(weights.acceptLength() + 2, mean, 2.0 * pmf.length / n);
        long key = CounterRandom.streamKey(seed, Purpose.OSL, 1);
        double u = CounterRandom.uniform(key, 0);
        assertTrue(sampler.tokens(u) >= sampler.tokens(u / 2), "not monotone");
    }
}
