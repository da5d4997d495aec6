package dev.foretoken.validation.importers;

import static dev.foretoken.validation.importers.ResultImportersContractTest.fixture;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Figures of each importer: names mapped by source. */
class ResultImportersTest {
    private static ImportedRun first(String id) throws IOException {
        return ResultImporters.read(id, fixture(id)).get(0);
    }

    @Test
    void sglangFillsTheScenarioFromItsServerInfo() throws IOException {
        List<ImportedRun> runs = ResultImporters.read("sglang-bench", fixture("sglang-bench"));
        assertEquals(2, runs.size());
        ImportedRun r = runs.get(0);
        assertEquals(4, r.conditions().tp());
        assertEquals("NEXTN", r.speculative());
        assertEquals(4, r.draftTokens());
        assertEquals(8, r.concurrency());
        assertEquals(22.0 / 3, r.tpotMs().mean(), 1e-9);
        assertEquals(327.68, r.outputTokS(), 1e-9);
        assertEquals(List.of("card"), r.missing());
        assertTrue(r.converted().stream().anyMatch(c -> c.contains("lifetime")));
        assertTrue(r.converted().stream().anyMatch(c -> c.contains("counted again")));
    }

    @Test
    void vllmGapsAreRoundsAndPercentIsPercent() throws IOException {
        ImportedRun r = first("vllm-bench");
        assertEquals(10, r.tpotMs().mean()); // naive reading of ITL: 29
        assertEquals(29, r.roundGapMs().mean());
        assertEquals(2.9, r.acceptLength(), 1e-9);
        assertArrayEquals(new double[] {0.8, 0.6, 0.5}, r.survival());
        assertEquals(3, r.draftTokens());
        assertEquals(3, r.requests().size());
        assertEquals(190, r.requests().get(0).e2eMs(), 1e-9);
        assertEquals(List.of("card", "tp", "quantisation"), r.missing());
        ImportedRun raw = ResultImporters.read(
                        "x",
                        fixture("vllm-bench")
                                .replace(
                                        "\"spec_decode_acceptance_rate\": 63.3",
                                        "\"spec_decode_acceptance_rate\": 1709.0"))
                .get(0);
        assertTrue(raw.converted().stream().anyMatch(c -> c.contains("1709")));
    }

    @Test
    void guidellmTpotContainsTheFirstToken() throws IOException {
        ImportedRun r = first("guidellm");
        assertEquals(288.2495361825694, r.tpotMs().mean()); // its time_per_output_token_ms says 335.2
        assertEquals(1414.2313480377197, r.ttftMs().mean());
        assertEquals(8045.17617225647, r.e2eMs().mean(), 1e-9);
        assertEquals(2, r.concurrency());
        assertEquals(24, r.meanOutputTokens());
        ImportedRun.ImportedRequest q = r.requests().get(0);
        double tpot = (q.e2eMs() - q.ttftMs()) / (q.outputTokens() - 1);
        assertEquals(258.4096037823221, tpot, 1.0); // the file's inter_token_latency_ms of that request
    }

    @Test
    void aiperfRunAndRecords() throws IOException {
        ImportedRun r = first("aiperf");
        assertEquals(56.00648927536232, r.tpotMs().mean());
        assertEquals(453.6673843333333, r.ttftMs().mean());
        assertEquals(27.097784565768627, r.outputTokS());
        assertEquals(2, r.concurrency());
        assertNull(r.acceptLength());
        try (InputStream in = getClass().getResourceAsStream("/importers/aiperf-records.jsonl")) {
            ImportedRun records = ResultImporters.read("records", new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .get(0);
            assertEquals(2, records.completed());
            assertEquals(
                    (81.6372786521739 + 52.83283473913043) / 2, records.tpotMs().mean(), 1e-9);
            assertEquals(23, records.requests().get(0).gapsMs().length);
        }
    }

    @Test
    void llmperfLatencyIsFreedFromTheFirstToken() throws IOException {
        ImportedRun r = first("llmperf");
        assertEquals((0.025 * 1000 * 100 - 500) / 99, r.tpotMs().mean(), 1e-9); // naive: 25
        assertEquals(4, r.concurrency());
    }

    @Test
    void secondsBecomeMilliseconds() throws IOException {
        ImportedRun r = first("inference-perf");
        assertEquals(19.5, r.tpotMs().mean(), 1e-9); // normalised time per output token would say 20.3
        assertEquals(2.0, r.ratePerS());
        assertEquals("2/s", r.conditions().load());
        assertTrue(r.converted().stream().anyMatch(c -> c.contains("1.7")));
        ImportedRun x = first("inferencex");
        assertEquals(15, x.tpotMs().mean(), 1e-9);
        assertEquals(1000.0 * 8 / 2, x.outputTokS(), 1e-9);
        assertEquals("b200", x.conditions().gpu());
        assertEquals(List.of(), x.missing());
    }

    @Test
    void llamaBenchTestsAreDecodingOrPrefill() throws IOException {
        List<ImportedRun> runs = ResultImporters.read("llama-bench", fixture("llama-bench"));
        assertEquals(2, runs.size());
        assertEquals(0.125, runs.get(0).prefillMsPerToken(), 1e-12);
        assertEquals(6.25, runs.get(1).tpotMs().mean(), 1e-12);
        assertEquals("", runs.get(1).speculative());
    }

    @Test
    void unknownFilesAreRefusedByName() {
        var e = assertThrows(IllegalArgumentException.class, () -> ResultImporters.read("x.json", "{\"a\":1}"));
        assertTrue(e.getMessage().contains("x.json") && e.getMessage().contains("guidellm"));
    }
}
