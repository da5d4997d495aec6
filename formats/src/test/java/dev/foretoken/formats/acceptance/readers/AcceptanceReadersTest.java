package dev.foretoken.formats.acceptance.readers;

import static dev.foretoken.formats.acceptance.readers.AcceptanceReadersContractTest.fixture;
import static dev.foretoken.formats.acceptance.readers.AcceptanceReadersContractTest.read;
import static dev.foretoken.formats.acceptance.readers.AcceptanceReadersContractTest.source;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.acceptance.readers.AcceptanceReadersContractTest.Reading;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Figures of each reader, by hand. */
class AcceptanceReadersTest {
    private static AcceptanceReader reader(String id) {
        return AcceptanceReaders.byId(id).orElseThrow();
    }

    private static Reading readText(String id, String text) throws IOException {
        return read(reader(id), text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void llamaCppMetricsGrowthBetweenTwoRealScrapes() throws IOException {
        AcceptanceObservation o = read(reader("llamacpp-metrics"), fixture("llamacpp-metrics"))
                .observations()
                .get(0);
        assertEquals(35, o.rounds());
        assertEquals(94, o.acceptedDrafts());
        assertEquals(162, o.draftedTokens());
        assertArrayEquals(new long[] {29, 23, 17, 15, 5, 5}, o.survivors());
    }

    @Test
    void llamaCppLogGivesRoundsBackFromTheMeanLength() throws IOException {
        SurvivalTally tally = new SurvivalTally();
        read(reader("llamacpp-log"), fixture("llamacpp-log")).observations().forEach(tally::add);
        SurvivalCounts c = tally.counts().get(0);
        assertEquals(38, c.rounds()); // the same server's counter: 38 drafts, 110 accepted, 180 drafted
        assertEquals(110, c.acceptedDrafts());
        assertEquals(180, c.draftedTokens());
    }

    @Test
    void llamaCppTimingsCountEveryRoundAfterThePrefill() throws IOException {
        List<AcceptanceObservation> list =
                read(reader("llamacpp-timings"), fixture("llamacpp-timings")).observations();
        assertEquals(4, list.size());
        AcceptanceObservation o = list.get(3); // predicted 48, accepted 34 of 56
        assertEquals(48 - 1 - 34, o.rounds());
        assertEquals(34, o.acceptedDrafts());
    }

    @Test
    void vllmCountersAreSummedOverEngines() throws IOException {
        AcceptanceObservation o = read(reader("vllm-metrics"), fixture("vllm-metrics"))
                .observations()
                .get(0);
        assertEquals(300 + 500, o.rounds());
        assertArrayEquals(new long[] {240 + 390, 168 + 290, 105 + 220}, o.survivors());
        assertEquals(1 + (630 + 458 + 325) / 800.0, o.acceptLength(), 1e-12);
    }

    @Test
    void q08AcceptanceFromCountersWithResetAndTotalSuffix() throws IOException {
        String text = """
                vllm:spec_decode_num_drafts_total{engine="0"} 1000
                vllm:spec_decode_num_accepted_tokens_total{engine="0"} 1500
                vllm:spec_decode_num_drafts_total{engine="0"} 1100
                vllm:spec_decode_num_accepted_tokens_total{engine="0"} 1650
                vllm:spec_decode_num_drafts_total{engine="0"} 50
                vllm:spec_decode_num_accepted_tokens_total{engine="0"} 100
                """;
        Reading r = readText("vllm-metrics", text);
        AcceptanceObservation o = r.observations().get(0);
        assertEquals(150, o.rounds());
        assertEquals(250, o.acceptedDrafts());
        assertTrue(r.report().conversions().stream().anyMatch(s -> s.contains("fell 1 time")));
        assertEquals(1 + 250 / 150.0, o.acceptLength(), 1e-12);
        double naiveLastMinusFirst = 1 + (100.0 - 1500) / (50.0 - 1000);
        assertEquals(2.474, naiveLastMinusFirst, 1e-3);
        Reading old = readText("vllm-metrics", text.replace("_total", ""));
        assertEquals(150, old.observations().get(0).rounds());
    }

    @Test
    void q05BonusTokenIsAddedForOldVllm() throws IOException {
        Reading r = read(reader("vllm-log"), fixture("vllm-log"));
        assertEquals(2, r.observations().size());
        for (AcceptanceObservation o : r.observations()) {
            assertEquals(1 + 498 / 341.0, o.acceptLength(), 3e-3); // naive second line: 1.46
        }
        assertTrue(r.report().conversions().stream().anyMatch(s -> s.contains("bonus token")));
    }

    @Test
    void q06RatesAboveOneAreRefused() throws IOException {
        Reading counts =
                readText("llamacpp-log", "draft acceptance = 1.2 (12 accepted / 10 generated), mean len = 3.0\n");
        assertEquals(0, counts.observations().size());
        assertTrue(counts.report().skipped().keySet().stream().anyMatch(s -> s.contains("above 1")));
        Reading log = read(reader("sglang-log"), fixture("sglang-log"));
        assertEquals(2, log.observations().size()); // length kept, rate 1.20 ignored
        assertTrue(log.report().conversions().stream().anyMatch(s -> s.contains("above 1 ignored")));
    }

    @Test
    void q07FiveIdentitiesOfTheSglangHistogram() throws IOException {
        Reading good = read(reader("sglang-request"), fixture("sglang-request"));
        assertEquals(3, good.observations().size());
        AcceptanceObservation o = good.observations().get(0);
        assertEquals(43, o.rounds());
        assertEquals(63, o.acceptedDrafts());
        assertEquals(DraftDesign.chain(5), o.design());
        assertArrayEquals(new long[] {32, 18, 7, 3, 3}, o.survivors());
        assertArrayEquals(o.survivors(), good.observations().get(1).survivors());
        assertEquals(60, good.observations().get(2).acceptedDrafts()); // 101 - 1 - 40
        String line = new String(fixture("sglang-request"), StandardCharsets.UTF_8)
                .lines()
                .findFirst()
                .orElseThrow();
        for (String[] change : new String[][] {
            {"2.4651", "2.9"},
            {"0.29302", "0.5"},
            {"\"spec_verify_ct\": 43", "\"spec_verify_ct\": 44"},
            {"[11, 14,", "[11, 15,"},
            {"\"spec_num_correct_drafts\": 63", "\"spec_num_correct_drafts\": 64"}
        }) {
            Reading bad = readText("sglang-request", line.replace(change[0], change[1]) + "\n");
            assertEquals(0, bad.observations().size(), change[1]);
        }
    }

    @Test
    void sglangCountersLeaveTheFirstTokensOut() throws IOException {
        AcceptanceObservation o = read(reader("sglang-metrics"), fixture("sglang-metrics"))
                .observations()
                .get(0);
        assertEquals(2000, o.rounds());
        assertEquals(5020 - 20 - 2000, o.acceptedDrafts());
    }

    @Test
    void trtLlmRoundsAreIterations() throws IOException {
        AcceptanceObservation o = read(reader("trtllm-perf-metrics"), fixture("trtllm-perf-metrics"))
                .observations()
                .get(3);
        assertEquals(43, o.rounds());
        assertEquals(66, o.acceptedDrafts());
    }

    @Test
    void aiperfHistogramOfLlamaCppIsDropped() throws IOException {
        List<AcceptanceObservation> list =
                read(reader("aiperf-acceptance"), fixture("aiperf-acceptance")).observations();
        assertEquals(AcceptanceObservation.Detail.HISTOGRAM, list.get(0).detail());
        assertEquals("llama.cpp", list.get(2).key().engine());
        assertNull(list.get(2).histogram());
        assertEquals(AcceptanceObservation.Detail.TOTALS, list.get(2).detail());
    }

    @Test
    void roundsFollowTheHeader() throws IOException {
        Reading r = read(reader("rounds"), fixture("rounds"));
        assertEquals(36, r.observations().size());
        AcceptanceObservation o = r.observations().get(0);
        assertEquals(new AcceptanceKey("code", "ddtree", "sglang", "0.5.23"), o.key());
        assertEquals(16, o.design().budget());
        assertEquals("q0", o.unit());
        Reading newer = readText("rounds", "{\"schema\":\"foretoken/rounds/2\",\"accepted\":1}\n");
        assertEquals(0, newer.observations().size());
        assertEquals(1, newer.report().skippedTotal());
    }

    @Test
    void detailedVllmRecordsKeepTheSequence() throws IOException {
        List<AcceptanceObservation> list =
                read(reader("vllm-request"), fixture("vllm-request")).observations();
        assertEquals(6, list.size());
        assertNull(list.get(0).stepAccepted());
        assertEquals(list.get(5).rounds(), list.get(5).stepAccepted().length);
    }

    @Test
    void unknownSourcesAreRefusedByName() {
        var e = assertThrows(
                AcceptanceReaders.UnknownSourceException.class,
                () -> AcceptanceReaders.tally(List.of(source("notes.txt", "hello".getBytes(StandardCharsets.UTF_8)))));
        assertTrue(e.getMessage().contains("notes.txt"));
        assertTrue(e.getMessage().contains("vllm-metrics"));
    }

    @Test
    void twoMetricsFilesAreOneSeries() throws IOException {
        String all = new String(fixture("llamacpp-metrics"), StandardCharsets.UTF_8);
        int second = all.indexOf("# HELP llamacpp:prompt_tokens_total", 10);
        var result = AcceptanceReaders.tally(List.of(
                source("before.txt", all.substring(0, second).getBytes(StandardCharsets.UTF_8)),
                source("after.txt", all.substring(second).getBytes(StandardCharsets.UTF_8))));
        assertEquals(1, result.counts().size());
        assertEquals(35, result.counts().get(0).rounds());
    }

    @Test
    void allLoggedRoundsOfDdtreePlus() throws IOException {
        Path file =
                Path.of(System.getProperty("foretoken.root", ".."), "..", "shared", "data", "ddtreeplus_rounds.csv");
        Assumptions.assumeTrue(Files.exists(file), "shared data is not here: " + file);
        var result = AcceptanceReaders.tally(List.of(AcceptanceSource.of(file, AcceptanceKey.UNKNOWN)));
        for (SurvivalCounts c : result.counts()) {
            if (c.design().budget() == 64) {
                assertEquals(3641, c.rounds());
                assertEquals(8.361164515243065, c.acceptLength(), 1e-12);
            } else if (c.design().budget() == 128) {
                assertEquals(4022, c.rounds());
                assertEquals(8.661859771258081, c.acceptLength(), 1e-12);
                double[] published = {
                    .994, .958, .881, .781, .682, .584, .505, .440, .385, .331, .289, .253, .221, .190, .168
                };
                for (int i = 0; i < published.length; i++) {
                    assertEquals(published[i], c.survivalRates()[i], 6e-4);
                }
            }
        }
        assertEquals(13333, result.report().observations() + result.report().skippedTotal());
    }

    @Test
    void realSseOfLlamaCppWithDrafts() throws IOException {
        Path file = Path.of(
                System.getProperty("foretoken.root", ".."), "..", "shared", "data", "samples", "sse-chat-spec.txt");
        Assumptions.assumeTrue(Files.exists(file), "shared data is not here: " + file);
        var result = AcceptanceReaders.tally(List.of(AcceptanceSource.of(file, AcceptanceKey.UNKNOWN)));
        assertEquals(1, result.counts().size());
        assertEquals(16 - 1 - 9, result.counts().get(0).rounds());
        assertEquals(0, result.report().skippedTotal());
    }
}
