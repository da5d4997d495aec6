package dev.foretoken.validation.testserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.validation.client.Load;
import dev.foretoken.validation.client.RequestRecord;
import dev.foretoken.validation.measure.RoundRecovery;
import dev.foretoken.validation.measure.RunMeasures;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the client says about a server whose truth is known, at 256 concurrent streams on the virtual clock. */
class KnownTruthTest {
    static final AcceptanceLaw LAW = () -> new double[] {0.3, 0.25, 0.2, 0.25};
    static final int N = 256;

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void figuresWithinOnePercentAt256Streams(Dialect dialect) throws Exception {
        EngineTruth truth = new EngineTruth(rows -> 20 + 0.01 * rows, 4, LAW, 0.02, 512, 5);
        Harness.Outcome o = Harness.virtual(
                truth,
                FakeServer.Behaviour.of(dialect),
                Harness.plan(Load.Closed.of(N), N, 2 * N),
                Harness.fixed(100, 48));
        RunMeasures m = RunMeasures.of(o.run(), 4);
        assertEquals(2 * N, m.requests());
        assertEquals(0, m.failed());
        // Requests sent at one time arrive in any order, and some are broken off at the end: the truth goes by name.
        Map<String, FakeEngine.Request> byName = o.server().engine().finished().stream()
                .collect(Collectors.toMap(FakeEngine.Request::user, Function.identity()));
        double ttft = 0;
        double tpot = 0;
        long rounds = 0;
        long tokens = 0;
        List<RequestRecord> good = o.run().measured();
        for (RequestRecord r : good) {
            FakeEngine.Request t = byName.get(Long.toString(r.index()));
            ttft += (t.firstTokenNs() - t.arrivedNs()) / 1e6;
            tpot += (t.lastTokenNs() - t.firstTokenNs()) / 1e6 / (t.produced() - 1);
            rounds += t.rounds();
            tokens += t.produced() - 1;
        }
        near(ttft / good.size(), m.ttftMs().mean());
        near(tpot / good.size(), m.tpotMs().mean());
        assertTrue(m.rounds().mode()
                == (dialect == Dialect.LLAMA_CPP ? RoundRecovery.Mode.BURSTS : RoundRecovery.Mode.EVENT_PER_ROUND));
        near((double) tokens / rounds, m.rounds().acceptLength());
        double window = (o.run().windowEndNs() - o.run().windowStartNs()) / 1e9;
        long truthTokens = o.server()
                .engine()
                .tokensBetween(
                        o.run().originNs() + o.run().windowStartNs(),
                        o.run().originNs() + o.run().windowEndNs() - 1);
        near(truthTokens / window, m.outputTokS());
        near(N, m.concurrency());
        double roundMs = o.server().engine().totals().decodeRoundNs()
                / 1e6
                / o.server().engine().totals().decodeRounds();
        assertTrue(m.rounds().roundGapMs().p50() >= roundMs * 0.99, m.rounds().roundGapMs() + " against " + roundMs);
    }

    /** Without prompts to serve, the gap between commits is the round time itself. */
    @ParameterizedTest
    @EnumSource(Dialect.class)
    void roundTimeWithinOnePercent(Dialect dialect) throws Exception {
        EngineTruth truth = new EngineTruth(rows -> 20 + 0.01 * rows, 4, LAW, 0, 512, 5);
        Harness.Outcome o = Harness.virtual(
                truth,
                FakeServer.Behaviour.of(dialect),
                Harness.plan(Load.Closed.of(64), 64, 128),
                Harness.fixed(10, 64));
        RunMeasures m = RunMeasures.of(o.run(), 4);
        near(20 + 0.01 * 64 * 4, m.rounds().roundGapMs().mean());
        double rounds = (double) m.rounds().rounds() / m.requests();
        near(rounds * m.rounds().roundGapMs().mean() / 63, m.tpotMs().mean());
    }

    private static void near(double truth, double measured) {
        assertEquals(truth, measured, 0.01 * truth);
    }
}
