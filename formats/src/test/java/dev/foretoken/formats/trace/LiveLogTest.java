package dev.foretoken.formats.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.whitebox.AttentionBackend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two live vLLM runs, replayed from published kernel tables: see docs/live-logs.md. */
class LiveLogTest {

    @ParameterizedTest
    @EnumSource
    void nothingFittedIsNearTheLiveServer(LiveRuns run) throws IOException {
        LiveLogReplay replay = run.replay(run.rounds());
        assertEquals(0, replay.tpot().mean(), 0.04, "tpot");
        assertEquals(0, replay.e2e().mean(), 0.06, "e2e");
        assertEquals(0, replay.ttft().mean(), 0.10, "ttft");
        assertEquals(0, replay.decodeMs(128, run.decodeKv) / run.decodeMs - 1, 0.04, "decode at 128");
    }

    @ParameterizedTest
    @EnumSource
    void oneConstantPerStepTransfersToTheOtherRun(LiveRuns fitted) throws IOException {
        LiveRuns other = fitted == LiveRuns.LLAMA ? LiveRuns.QWEN : LiveRuns.LLAMA;
        LiveLogReplay replay = other.replay(LiveRuns.plus(other.rounds(), fitted.fitPerStepMs()));
        assertEquals(0, replay.tpot().mean(), 0.015, "tpot");
        assertEquals(0, replay.e2e().mean(), 0.015, "e2e");
        assertEquals(0, replay.ttft().mean(), 0.03, "ttft");
    }

    @ParameterizedTest
    @EnumSource
    void aSynchronousEngineIsTooQuickFromScheduleToFirstToken(LiveRuns run) throws IOException {
        double twoInFlight = run.replay(run.rounds()).scheduledToFirst().mean();
        double one = run.replay(LiveRuns.engine().withBatchesInFlight(1), run.rounds(), true)
                .scheduledToFirst()
                .mean();
        assertTrue(Math.abs(twoInFlight) < 0.12, "two in flight: " + twoInFlight);
        assertTrue(one < -0.30, "synchronous: " + one);
    }

    /** The whole table of docs/live-logs.md; printed with -Dforetoken.print=true. */
    @Test
    void everyVariantIsTabled() throws IOException {
        List<String> table = new ArrayList<>();
        for (LiveRuns run : LiveRuns.values()) {
            row(table, "all rules, nothing fitted", run, run.replay(run.rounds()));
            row(table, "equal KV lengths", run, run.replay(LiveRuns.equalLengths(run.rounds())));
            row(table, "mixed attention as if apart", run, run.replay(LiveRuns.attentionApart(run.rounds())));
            row(table, "both of these", run, run.replay(LiveRuns.equalLengths(LiveRuns.attentionApart(run.rounds()))));
            row(table, "no prefix hits", run, run.replay(LiveRuns.engine(), run.rounds(), false));
            row(
                    table,
                    "synchronous engine",
                    run,
                    run.replay(LiveRuns.engine().withBatchesInFlight(1), run.rounds(), true));
            row(
                    table,
                    "FlashInfer attention",
                    run,
                    run.replay(run.rounds(LiveRuns.PROFILE, LiveRuns.SLOW_PAIR, AttentionBackend.FLASHINFER)));
            row(
                    table,
                    "SGLang's kernels",
                    run,
                    run.replay(
                            run.rounds("rtx-pro-6000-server/sglang-0.5.14", LiveRuns.SLOW_PAIR, AttentionBackend.FA2)));
            if (run.tp > 1) {
                row(
                        table,
                        "fast pair",
                        run,
                        run.replay(run.rounds(LiveRuns.PROFILE, "pcie5-fast", AttentionBackend.FA2)));
            }
            for (LiveRuns fitted : LiveRuns.values()) {
                double ms = fitted.fitPerStepMs();
                String name = String.format(Locale.ROOT, "plus %.2f ms per step, fitted on %s", ms, fitted.folder);
                row(table, name, run, run.replay(LiveRuns.plus(run.rounds(), ms)));
            }
        }
        assertEquals(21, table.size());
        if (Boolean.getBoolean("foretoken.print")) {
            table.forEach(System.out::println);
        }
    }

    private static void row(List<String> table, String variant, LiveRuns run, LiveLogReplay r) {
        table.add(String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s | %s | %s | %+.1f | %+.1f |",
                variant,
                run.folder,
                show(r.tpot()),
                show(r.e2e()),
                show(r.ttft()),
                show(r.scheduledToFirst()),
                100 * r.duration(),
                100 * (r.decodeMs(128, run.decodeKv) / run.decodeMs - 1)));
    }

    private static String show(LiveLogReplay.Errors e) {
        return String.format(Locale.ROOT, "%+.1f/%+.1f/%+.1f", 100 * e.mean(), 100 * e.median(), 100 * e.p90());
    }
}
