package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoCommandTest {
    /** Bytes that a pass reads of the target in bf16, and the card's memory, bytes/s: a round cannot be shorter. */
    private static final double WEIGHTS = 51.24e9;

    private static final double BANDWIDTH = 1597.6e9;

    private static JsonNode demo;

    @BeforeAll
    static void run() throws Exception {
        CliRun run = CliRun.of("demo", "--format", "json", "--quiet");
        assertEquals(0, run.exit(), run.err());
        demo = Json.mapper().readTree(run.out());
    }

    private static Stream<JsonNode> each(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    private static double number(JsonNode node, String name) {
        assertTrue(node.path(name).isNumber(), name + " in " + node);
        return node.path(name).asDouble();
    }

    @Test
    void everyFigureIsFinite() {
        int seen = finite(demo, "");
        assertTrue(seen > 1000, seen + " figures");
    }

    private static int finite(JsonNode node, String at) {
        int n = 0;
        if (node.isNumber()) {
            assertTrue(Double.isFinite(node.asDouble()), at);
            n++;
        }
        assertFalse(node.isTextual() && node.asText().matches("(?i)nan|[+-]?infinity"), at);
        for (var fields = node.fields(); fields.hasNext(); ) {
            var f = fields.next();
            n += finite(f.getValue(), at + "." + f.getKey());
        }
        if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                n += finite(node.get(i), at + "[" + i + "]");
            }
        }
        return n;
    }

    // ---- part 1 ----

    private static JsonNode server(String id) {
        return each(demo.path("servers"))
                .filter(s -> s.path("id").asText().equals(id))
                .findFirst()
                .orElseThrow();
    }

    /** Row equivalence worked out here: rounds of the measured autoregressive sweep, straight lines between, draft on top. */
    private static double rowEquivalent(double[][] sweep, int clients, int width, double tokens, double draftMs) {
        double rows = clients * width;
        double[] ms = new double[sweep.length];
        for (int i = 0; i < sweep.length; i++) {
            ms[i] = 1000 * sweep[i][0] / sweep[i][1];
        }
        int k = 0;
        while (k < sweep.length - 2 && sweep[k + 1][0] < rows) {
            k++;
        }
        double f = (rows - sweep[k][0]) / (sweep[k + 1][0] - sweep[k][0]);
        return 1000 * clients * tokens / (ms[k] + f * (ms[k + 1] - ms[k]) + draftMs);
    }

    @Test
    void rtxPro6000FollowsFromItsSweepAndOneFittedDraft() {
        double[][] sweep = {{1, 85.8}, {2, 137.1}, {5, 234.2}, {10, 334.3}, {20, 491.5}, {32, 605.9}};
        double draft = 2820 / 130.0 - 2820 / rowEquivalent(sweep, 1, 3, 2.82, 0);
        JsonNode s = server("rtx-pro-6000-qwen3.5-397b");
        assertEquals(6, s.path("comparisons").size());
        for (JsonNode c : s.path("comparisons")) {
            int clients = c.path("concurrency").asInt();
            double expected = rowEquivalent(sweep, clients, 3, 2.82, draft);
            assertEquals(expected, number(c, "predicted_tok_s"), 0.005 * expected);
            String use = clients == 1 ? "in-sample" : clients <= 10 ? "predicted" : "extrapolated";
            assertEquals(use, c.path("use").asText());
        }
        assertEquals(3, s.path("predicted").path("n").asInt());
        assertTrue(Math.abs(number(s.path("predicted"), "worst")) < 0.15);
        assertTrue(number(s.path("predicted"), "median") < 0.06);
    }

    @Test
    void rtx3090IsPredictedWithinItsSweepAndSaysWhereItIsNot() {
        double[][] sweep = {{1, 45.6}, {2, 83.7}, {4, 162.7}, {8, 321.0}};
        for (JsonNode c : server("rtx-3090-qwen3.8-27b").path("comparisons")) {
            int clients = c.path("concurrency").asInt();
            boolean mtp = c.path("method").asText().equals("mtp4");
            double expected = rowEquivalent(sweep, clients, mtp ? 5 : 8, mtp ? 2.82 : 3.12, 0);
            assertEquals(expected, number(c, "predicted_tok_s"), 0.005 * expected);
            if (clients == 1) {
                assertEquals("predicted", c.path("use").asText());
                assertEquals(0, number(c, "error"), 0.05);
            } else {
                assertTrue(Set.of("extrapolated", "not comparable")
                        .contains(c.path("use").asText()));
            }
        }
        JsonNode wide = server("rtx-3090-qwen3.8-27b-wide");
        assertTrue(each(wide.path("comparisons"))
                .allMatch(c -> c.path("method").asText().equals("dflash2")));
        assertTrue(Math.abs(number(wide.path("predicted"), "worst")) < 0.15);
        assertTrue(wide.path("picks").size() > 0);
    }

    @Test
    void everyServerNamesItsSources() {
        assertEquals(3, demo.path("servers").size());
        for (JsonNode s : demo.path("servers")) {
            assertTrue(s.path("sources").size() > 0, s.path("id").asText());
            assertTrue(each(s.path("sources")).allMatch(x -> x.asText().contains("@")));
            assertFalse(s.path("fitted").asText().isBlank());
        }
    }

    // ---- part 2 ----

    private static JsonNode founding() {
        return demo.path("founding");
    }

    @Test
    void theGridHoldsEightMethodsOnFiveWorkloads() {
        int points = founding().path("points").asInt();
        assertTrue(points >= 9_000 && points <= 11_000, points + " points");
        assertEquals(5 * 3 * 9, founding().path("picks").size());
        Set<String> workloads = new HashSet<>();
        founding().path("picks").forEach(p -> workloads.add(p.path("workload").asText()));
        assertEquals(Set.of("code", "math", "chat", "long-context", "short-answers"), workloads);
    }

    @Test
    void ratesImplyTokensPerRoundOfThisCard() {
        assertEquals(12, founding().path("implied_lengths").size());
        for (JsonNode i : founding().path("implied_lengths")) {
            double rate = number(i, "tok_s");
            double round = number(i, "round_ms");
            double seen = number(i, "tokens_per_round");
            double law = number(i, "accept_length");
            assertTrue(round > 1000 * WEIGHTS / BANDWIDTH && round < 90, "round " + round);
            assertEquals(rate * round / 1000, seen, 1e-9 * seen);
            // Wald: n / tau <= E[rounds(n)] <= (n + D) / tau, here with n = 1,023 tokens and D = 15
            double rounds = 1000.0 * 1023 / (rate * round);
            assertTrue(law >= 1023 / rounds - 1e-9 && law <= (1023 + 15) / rounds, law + " for " + rounds + " rounds");
            assertTrue(number(i, "accept_length_with_prompt") > law);
            boolean chain = !i.has("budget");
            double low = chain ? 3.8 : 4.6;
            double high = chain ? 6.2 : 9.5;
            assertTrue(law > low && law < high, i.toString());
        }
    }

    @Test
    void onePromptIsNoMean() {
        JsonNode p = founding().path("one_prompt");
        double mean = number(p, "mean_tok_s");
        double low = number(p, "low_tok_s");
        double high = number(p, "high_tok_s");
        assertTrue(low < mean && mean < high);
        // far apart compared with the half token per second between 123.5 and 124
        assertTrue(high - low > 20 * 0.5, low + " to " + high);
        double ratio = number(p, "prompts_for_one_percent") / number(p, "prompts_for_five_percent");
        assertEquals(25, ratio, 5);
    }

    @Test
    void threeTokensMeasureThePrompt() {
        assertEquals(9, founding().path("short_answers").size());
        for (JsonNode s : founding().path("short_answers")) {
            double ms = number(s, "first_token_ms") + number(s, "rounds") * number(s, "round_ms");
            assertEquals(3000 / ms, number(s, "tok_s"), 1e-6 * number(s, "tok_s"));
            assertTrue(number(s, "rounds") >= 1 && number(s, "rounds") <= 2);
            assertTrue(number(s, "tok_s_none_accepted") <= number(s, "tok_s") + 1e-9);
            assertTrue(number(s, "tok_s_all_accepted") >= number(s, "tok_s") - 1e-9);
            assertTrue(number(s, "first_token_share") > 0.3);
            double prompt = number(s, "prompt_at_reported_rate");
            assertTrue(prompt > 100 && prompt < 5000, "prompt " + prompt);
        }
    }

    @Test
    void theBaselineIsBoundByReadingTheWeights() {
        double before = 0;
        for (JsonNode b : founding().path("baselines")) {
            int tp = b.path("tp").asInt();
            double rate = number(b, "tok_s");
            assertTrue(rate < tp * BANDWIDTH / WEIGHTS, "TP " + tp + " " + rate);
            assertTrue(rate > before);
            assertEquals(tp == 1, b.has("chain_rate_ratio"));
            before = rate;
        }
        assertEquals(25.5, number(founding().path("baselines").get(0), "tok_s"), 3.5);
        assertTrue(founding().path("not_a_baseline").size() >= 3);
    }

    @Test
    void bandsHoldTheirFigure() {
        int bands = 0;
        for (JsonNode p : founding().path("picks")) {
            assertTrue(number(p, "output_tok_s") > 0);
            assertTrue(number(p, "speedup_vs_ar") >= 1 - 1e-12, p.toString());
            if (p.has("band")) {
                bands++;
                assertTrue(p.path("band").get(0).asDouble() <= number(p, "output_tok_s") + 1e-9);
                assertTrue(p.path("band").get(1).asDouble() >= number(p, "output_tok_s") - 1e-9);
            }
        }
        assertTrue(bands > 20, bands + " bands");
    }

    @Test
    void everyMethodOfEveryWorkloadHasASource() {
        for (String workload : List.of("code", "math", "chat", "long-context", "short-answers")) {
            for (String method : List.of(
                    "mtp", "dflash-linear", "ddtree-shadow-linear", "ddtree", "eagle3", "ngram", "draft-model")) {
                assertTrue(
                        each(founding().path("stand_ins"))
                                .anyMatch(s ->
                                        names(s, "workload", workload, "all") && names(s, "methods", method, "all")),
                        method + " on " + workload);
            }
        }
        assertTrue(each(founding().path("stand_ins"))
                .allMatch(s -> !s.path("source").asText().isBlank()
                        && !s.path("leaning").asText().isBlank()));
    }

    private static boolean names(JsonNode standIn, String key, String one, String every) {
        List<String> all = List.of(standIn.path(key).asText().split(", "));
        return all.contains(one) || all.contains(every);
    }

    // ---- the live loop's options ----

    @Test
    void optionsOfTheLiveLoopAreChecked() {
        CliRun resume = CliRun.of("demo", "--resume");
        assertEquals(2, resume.exit());
        assertTrue(resume.err().contains("--resume belongs to --live-cpu"), resume.err());
        CliRun repeats = CliRun.of("demo", "--live-cpu", "--repeats", "1");
        assertEquals(2, repeats.exit());
        assertTrue(repeats.err().contains("--repeats must lie in 2.."), repeats.err());
        CliRun passes = CliRun.of("calibrate", "host", "--llama", "--passes", "1");
        assertEquals(2, passes.exit());
        CliRun ops = CliRun.of("calibrate", "host", "--llama", "--ops", "gemm");
        assertEquals(2, ops.exit());
        assertTrue(ops.err().contains("do not go with --llama"), ops.err());
    }

    // ---- output ----

    @Test
    void theTableSaysWhatItIsAbout() {
        CliRun run = CliRun.of("demo");
        assertEquals(0, run.exit(), run.err());
        for (String text : List.of(
                "Part 1",
                "Part 2",
                "in-sample",
                "extrapolated",
                "123.5",
                "14.7",
                "59.36",
                "Stand-ins",
                "hxri/ddtreeplus")) {
            assertTrue(run.out().contains(text), text);
        }
        assertTrue(run.out().lines().allMatch(l -> l.length() <= 120), "lines fit the width");
        assertTrue(run.err().contains("--out"), run.err());
    }

    @Test
    void writesChartsAndScenariosThatRun(@TempDir Path folder) throws Exception {
        CliRun run = CliRun.of("demo", "--out", folder.toString(), "--quiet", "--format", "md");
        assertEquals(0, run.exit(), run.err());
        assertTrue(run.out().startsWith("## Part 1"));
        try (Stream<Path> files = Files.list(folder)) {
            List<String> names = files.map(f -> f.getFileName().toString()).toList();
            for (String start : List.of(
                    "server-rtx-pro-6000",
                    "server-rtx-3090",
                    "founding-budget-by-tp",
                    "founding-terms",
                    "founding-speedup",
                    "founding-best")) {
                for (String ending : List.of(".png", ".svg")) {
                    assertTrue(names.stream().anyMatch(n -> n.startsWith(start) && n.endsWith(ending)), start + ending);
                }
            }
        }
        assertEquals(
                demo, Json.mapper().readTree(folder.resolve("demo.json").toFile()), "the file says what is printed");
        Path scenario = folder.resolve("rtx-pro-6000-qwen3.5-397b.yaml");
        CliRun explore = CliRun.of("explore", scenario.toString(), "--quiet");
        assertEquals(0, explore.exit(), explore.err());
    }
}
