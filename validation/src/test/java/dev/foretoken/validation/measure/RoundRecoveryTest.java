package dev.foretoken.validation.measure;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.validation.client.Phase;
import dev.foretoken.validation.client.RequestRecord;
import dev.foretoken.validation.measure.RoundRecovery.Mode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RoundRecoveryTest {
    static RequestRecord request(double[] gapsMs, int[] tokens) {
        long[] ns = new long[gapsMs.length + 1];
        ns[0] = 1_000_000;
        for (int i = 0; i < gapsMs.length; i++) {
            ns[i + 1] = ns[i] + Math.round(gapsMs[i] * 1e6);
        }
        int[] n = tokens;
        if (n == null) {
            n = new int[ns.length];
            Arrays.fill(n, 1);
        }
        return new RequestRecord(
                0,
                0,
                Phase.MEASURED,
                "w",
                RequestRecord.Status.OK,
                null,
                0,
                0,
                ns[0],
                ns[ns.length - 1],
                ns[ns.length - 1],
                100,
                10L,
                0L,
                (long) Arrays.stream(n).sum(),
                RequestRecord.TokenSource.USAGE,
                ns,
                n,
                "length",
                10,
                null,
                null,
                List.of());
    }

    /** Gaps of one request as aiperf recorded them from a llama.cpp server with three drafts. */
    @Test
    void recordedBurstsOfLlamaCpp() {
        double[] gaps = {
            707.375371,
            0.195293,
            0.111164,
            161.414499,
            0.127755,
            175.386466,
            0.331809,
            0.153558,
            0.096508,
            172.48737,
            155.483022,
            3.92544,
            0.0,
            0.0,
            182.454002,
            0.180304,
            0.113731,
            0.084307,
            178.841913,
            0.173458,
            0.078335,
            0.082265,
            138.560839
        };
        RoundRecovery.Rounds r = RoundRecovery.recover(List.of(request(gaps, null)), 4);
        assertEquals(Mode.BURSTS, r.mode());
        // bursts after the first token: 3, 2, 4, 1, 4, 4, 4, 1 tokens
        assertEquals(8, r.rounds());
        assertEquals(23, r.tokens());
        assertArrayEquals(new long[] {2, 1, 1, 4}, r.histogram());
        assertEquals(23 / 8.0, r.acceptLength(), 1e-12);
    }

    @Test
    void autoregressiveStreamsAreNotSplitByPrefillStalls() {
        Random random = new Random(2);
        double[] gaps = new double[400];
        for (int i = 0; i < gaps.length; i++) {
            gaps[i] = (i % 20 == 0 ? 180 : 12) * (1 + 0.03 * random.nextGaussian());
        }
        RoundRecovery.Rounds r = RoundRecovery.recover(List.of(request(gaps, null)), null);
        assertEquals(Mode.SINGLE_TOKENS, r.mode());
        assertEquals(1.0, r.acceptLength());
        assertEquals(12, r.roundGapMs().p50(), 0.3);
    }

    @Test
    void burstsAreSplitBelowPrefillStalls() {
        Random random = new Random(2);
        List<Double> gaps = new ArrayList<>();
        long rounds = 0;
        for (int i = 0; i < 300; i++) {
            gaps.add((i % 20 == 0 ? 300 : 25) * (1 + 0.03 * random.nextGaussian()));
            rounds++;
            for (int k = 0; k < i % 4; k++) {
                gaps.add(0.05 + 0.2 * random.nextDouble());
            }
        }
        double[] array = gaps.stream().mapToDouble(Double::doubleValue).toArray();
        RoundRecovery.Rounds r = RoundRecovery.recover(List.of(request(array, null)), 4);
        assertEquals(Mode.BURSTS, r.mode());
        assertEquals(rounds, r.rounds());
        assertEquals(2.5, r.acceptLength(), 0.01);
    }

    @Test
    void unclearGapsAreSaidToBeUnclear() {
        Random random = new Random(2);
        double[] gaps = new double[300];
        for (int i = 0; i < gaps.length; i++) {
            gaps[i] = Math.exp(Math.log(0.05) + random.nextDouble() * Math.log(400));
        }
        RoundRecovery.Rounds r = RoundRecovery.recover(List.of(request(gaps, null)), null);
        assertEquals(Mode.UNKNOWN, r.mode());
        assertTrue(r.reason().contains("group"), r.reason());
        assertNull(r.acceptLength());
    }

    /** Q02: one event is one round of 2, 4, 8 or 16 tokens; counting events reads 7.5 times too little. */
    @Test
    void q02EventsAreRoundsNotTokens() {
        int[] tokens = new int[51];
        double[] gaps = new double[50];
        Arrays.fill(gaps, 40);
        tokens[0] = 1;
        long sum = 1;
        for (int i = 1; i < tokens.length; i++) {
            tokens[i] = new int[] {2, 4, 8, 16}[i % 4];
            sum += tokens[i];
        }
        RequestRecord r = request(gaps, tokens);
        double seconds = 50 * 0.040;
        double naive = 50 / seconds; // events per second
        double right = (sum - 1) / seconds;
        assertEquals(25, naive, 1e-9);
        assertEquals(7.46 * naive, right, 0.05 * naive);
        assertEquals(1000 / right, r.tpotMs(), 1e-9);
        RoundRecovery.Rounds rounds = RoundRecovery.recover(List.of(r), 16);
        assertEquals(Mode.EVENT_PER_ROUND, rounds.mode());
        assertEquals((sum - 1) / 50.0, rounds.acceptLength(), 1e-12);
    }

    /** Q03: tokens that appear in usage without an event of their own come with the next one. */
    @Test
    void q03BufferedTokensAreNotInstant() {
        double[] gaps = {184, 20, 20};
        RequestRecord r = request(gaps, new int[] {1, 16, 1, 1});
        double naiveTpot = 40 / 18.0; // a client that starts its clock at the second event
        assertEquals(224 / 18.0, r.tpotMs(), 1e-9);
        assertTrue(naiveTpot < 0.2 * r.tpotMs());
        RequestRecord together = request(new double[] {0}, new int[] {1, 16});
        assertNull(together.tpotMs(), "no time passed: invalid, not fast");
    }

    @Test
    void withoutTokensPerEventNothingIsClaimed() {
        RequestRecord r = request(new double[] {10, 10, 10}, null);
        RequestRecord unknown = r.withEvents(r.chunkNs(), null);
        RoundRecovery.Rounds rounds = RoundRecovery.recover(List.of(unknown), 4);
        assertEquals(Mode.UNKNOWN, rounds.mode());
        assertTrue(rounds.reason().contains("how many tokens"));
    }
}
