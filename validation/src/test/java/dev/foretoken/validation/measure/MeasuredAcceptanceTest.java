package dev.foretoken.validation.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.foretoken.formats.json.Json;
import dev.foretoken.validation.client.RequestRecord;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which source of acceptance counts: the engine's totals say 2 tokens per round (21 tokens, the first from prefill, 10 accepted). */
class MeasuredAcceptanceTest {
    private static MeasuredAcceptance measured(int bursts) throws Exception {
        double[] gaps = new double[20];
        for (int i = 0; i < gaps.length; i++) {
            gaps[i] = i % (gaps.length / bursts) == 0 ? 40 : 0.1;
        }
        RequestRecord plain = RoundRecoveryTest.request(gaps, null);
        RequestRecord r = new RequestRecord(
                plain.index(),
                plain.segment(),
                plain.phase(),
                plain.workload(),
                plain.status(),
                null,
                0,
                0,
                plain.firstTokenNs(),
                plain.lastTokenNs(),
                plain.endNs(),
                plain.maxTokens(),
                10L,
                0L,
                21L,
                plain.tokenSource(),
                plain.chunkNs(),
                plain.chunkTokens(),
                "length",
                10,
                null,
                Json.mapper()
                        .readTree("{\"timings\":{\"cache_n\":0,\"prompt_n\":10,\"prompt_ms\":5.0,\"predicted_n\":21,"
                                + "\"predicted_ms\":400.0,\"draft_n\":30,\"draft_n_accepted\":10}}"),
                List.of());
        return MeasuredAcceptance.of(List.of(r), null, RoundRecovery.recover(List.of(r), 5));
    }

    @Test
    void roundsReadOffArrivalTimesCountWhileTheEngineAgrees() throws Exception {
        MeasuredAcceptance m = measured(10);
        assertEquals("events", m.source());
        assertEquals(2, m.acceptLength(), 1e-9);
        assertNotNull(m.survival());
        assertEquals(0, m.disagreement(), 1e-9);
    }

    /** A late client merges rounds: naive 4 tokens per round, right 2. */
    @Test
    void theEnginesTotalsCountWhenTheyDisagree() throws Exception {
        MeasuredAcceptance m = measured(5);
        assertEquals("requests", m.source());
        assertEquals(2, m.acceptLength(), 1e-9);
        assertNull(m.survival());
        assertEquals(1, m.disagreement(), 1e-9);
    }
}
