package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.acceptance.AcceptanceFile;
import dev.foretoken.formats.acceptance.AcceptanceReader;
import dev.foretoken.formats.acceptance.readers.AcceptanceReaders;
import dev.foretoken.formats.json.Json;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.random.Streams;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.commons.rng.UniformRandomProvider;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CalibrateAcceptanceTest {
    private static final Path ROOT = Path.of(System.getProperty("foretoken.root", ".."));

    @TempDir
    Path folder;

    private static CliRun run(Object... args) {
        String[] all = Stream.concat(
                        Stream.of("calibrate", "acceptance"), Stream.of(args).map(Object::toString))
                .toArray(String[]::new);
        return CliRun.of(all);
    }

    private Path scenario(String method, String acceptance) throws IOException {
        Path file = folder.resolve("scenario.yaml");
        Files.writeString(
                file,
                "schema: foretoken/scenario/1\nname: t\nengine: {name: sglang}\nmethods:\n  - " + method
                        + "\nworkloads:\n  - {id: w, isl: 64, osl: 256, acceptance: " + acceptance + "}\nload:\n"
                        + "  - {kind: closed, concurrency: [1]}\ncalibration:\n"
                        + "  round_times: [{rows: 1, context: 0, ms: 20}, {rows: 256, context: 0, ms: 25}]\n"
                        + "  draft_ms: 2\n");
        return file;
    }

    private JsonNode explore(Path scenario) throws IOException {
        CliRun run = CliRun.of("explore", scenario.toString(), "--json", "--quiet");
        assertEquals(0, run.exit(), run.err());
        return Json.mapper().readTree(run.out()).get("points");
    }

    private static JsonNode point(JsonNode points, String key, int value) {
        for (JsonNode p : points) {
            if (p.path(key).asInt(-1) == value) {
                return p;
            }
        }
        throw new AssertionError("no point with " + key + " " + value);
    }

    @Test
    void loggedTreesToAFileThatExploreReads() throws Exception {
        Path log = ROOT.resolve("../shared/data/ddtreeplus_rounds.csv");
        Assumptions.assumeTrue(Files.exists(log), "skipped: ddtreeplus_rounds.csv is not beside the project");
        Path file = folder.resolve("dd.yaml");
        Path out = folder.resolve("out");
        CliRun run = run(log, "-o", file, "--out", out, "--json");
        assertEquals(0, run.exit(), run.err());
        JsonNode report = Json.mapper().readTree(run.out());
        assertEquals(7663, report.get("records").asLong());
        assertEquals(5670, report.get("skipped_total").asLong());
        JsonNode fit = report.get("fits").get(0);
        JsonNode kappa = fit.get("parameters").get("kappa");
        assertTrue(kappa.get("lo").asDouble() > 0.5 && kappa.get("hi").asDouble() < 0.85, kappa.toString());
        for (JsonNode row : fit.get("goodness_out_of_sample")) {
            if (row.get("law").asText().startsWith("srt")) {
                double error = row.get("accept_length").asDouble()
                                / row.get("observed_accept_length").asDouble()
                        - 1;
                assertTrue(Math.abs(error) < 0.01, row.toString());
                assertTrue(row.get("total_variation").asDouble() < 0.05, row.toString());
            }
        }
        for (JsonNode next : fit.get("next_runs")) {
            assertTrue(
                    next.get("kappa_half_width").asDouble()
                            <= fit.get("today").get("kappa_half_width").asDouble() + 1e-12,
                    next.toString());
        }
        assertTrue(Files.exists(out.resolve("survival-any-workload-ddtree-budget-64.png")));
        assertTrue(Files.exists(out.resolve("accept-length-any-workload-ddtree.svg")));

        JsonNode points =
                explore(scenario("{id: ddtree, kind: ddtree, block: 16, budget: [64, 128]}", "{file: dd.yaml}"));
        assertEquals(8.36, point(points, "budget", 64).get("accept_length").asDouble(), 0.08);
        assertEquals(8.66, point(points, "budget", 128).get("accept_length").asDouble(), 0.08);
    }

    static List<String> fixtures() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("formats/src/test/resources/acceptance"))) {
            return files.map(f -> f.getFileName().toString())
                    .filter(f -> !f.equals("README.md"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void everyReaderEndsInAFileOrInAReason(String fixture) throws Exception {
        Path source = ROOT.resolve("formats/src/test/resources/acceptance").resolve(fixture);
        Path file = folder.resolve("a.yaml");
        CliRun run = run(source, "--length", "15", "-o", file, "--json");
        assertEquals(0, run.exit(), run.err());
        JsonNode report = Json.mapper().readTree(run.out());
        assertTrue(report.get("records").asLong() > 0);
        AcceptanceFile read = AcceptanceReader.read(file);
        assertFalse(read.entries().isEmpty());
        assertFalse(run.err().contains("Exception"), run.err());
    }

    @Test
    void everyReaderHasAFixtureHere() throws Exception {
        for (var reader : AcceptanceReaders.all()) {
            assertTrue(
                    fixtures().stream().anyMatch(f -> f.startsWith(reader.id() + ".")),
                    "no fixture of reader " + reader.id());
        }
    }

    @Test
    void chainCountersLeaveKappaOpen() throws Exception {
        Path scrape = folder.resolve("metrics.txt");
        Files.writeString(scrape, scrape(10000, 8000, 5600, 3700, 2400, 1500, 950, 600));
        Path file = folder.resolve("chain.yaml");
        CliRun run = run(scrape, "--workload", "w", "-o", file);
        assertEquals(0, run.exit(), run.err());
        assertTrue(run.out().contains("requests are not told apart"), run.out());
        AcceptanceForm.Srt form = (AcceptanceForm.Srt)
                AcceptanceReader.read(file).entries().get(0).form();
        assertEquals(0, form.kappa().lo());
        assertEquals(1, form.kappa().hi());
        JsonNode chain = explore(scenario("{id: d, kind: dflash-linear, block: 8}", "{file: chain.yaml}"));
        assertEquals(
                1 + (8000 + 5600 + 3700 + 2400 + 1500 + 950 + 600) / 10000.0,
                point(chain, "draft_tokens", 7).get("accept_length").asDouble(),
                0.01);
        JsonNode tree = explore(scenario("{id: d, kind: ddtree, block: 8, budget: 32}", "{file: chain.yaml}"));
        JsonNode interval = point(tree, "budget", 32).get("interval");
        assertEquals("band", interval.get("level").asText());
        double lo = interval.get("output_tok_s").get(0).asDouble();
        double hi = interval.get("output_tok_s").get(1).asDouble();
        assertTrue(hi > 1.03 * lo, interval.toString());
    }

    private static String scrape(long drafts, long... survivors) {
        StringBuilder text = new StringBuilder("# TYPE vllm:spec_decode_num_drafts counter\n");
        text.append("vllm:spec_decode_num_drafts_total{engine=\"0\"} ")
                .append(drafts)
                .append('\n');
        long sum = 0;
        for (int i = 0; i < survivors.length; i++) {
            sum += survivors[i];
            text.append("vllm:spec_decode_num_accepted_tokens_per_pos_total{engine=\"0\",position=\"")
                    .append(i)
                    .append("\"} ")
                    .append(survivors[i])
                    .append('\n');
        }
        text.append("vllm:spec_decode_num_accepted_tokens_total{engine=\"0\"} ")
                .append(sum)
                .append('\n');
        text.append("vllm:spec_decode_num_draft_tokens_total{engine=\"0\"} ")
                .append(drafts * survivors.length)
                .append('\n');
        return text.toString();
    }

    @Test
    void scrapesOfOneServerAreASeries() throws Exception {
        Path before = folder.resolve("before.txt");
        Path after = folder.resolve("after.txt");
        Files.writeString(before, scrape(1000, 900, 500));
        Files.writeString(after, scrape(3000, 2300, 1300));
        CliRun run = run(before, after, "--json");
        assertEquals(0, run.exit(), run.err());
        JsonNode counts = Json.mapper().readTree(run.out()).get("counts");
        assertEquals(1, counts.size(), run.out());
        assertEquals(2000, counts.get(0).get("rounds").asLong());
        assertEquals(1 + 2200 / 2000.0, counts.get(0).get("accept_length").asDouble(), 1e-12);
    }

    /** Rounds of 4 positions x 3 candidates; the target draws from the drafter's own belief. */
    private Path trace(int rounds) throws IOException {
        UniformRandomProvider random = Streams.of(7, "marginals of a test", 0, 0);
        StringBuilder lines = new StringBuilder("{\"schema\":\"foretoken/marginals/1\",\"drafter\":\"made-up\"}\n");
        for (int i = 0; i < rounds; i++) {
            StringBuilder logs = new StringBuilder();
            StringBuilder target = new StringBuilder();
            for (int d = 0; d < 4; d++) {
                double first = 0.4 + 0.5 * random.nextDouble();
                double second = 0.6 * (1 - first);
                double third = 0.2 * (1 - first);
                double u = random.nextDouble();
                String rank = u < first ? "0" : u < first + second ? "1" : u < first + second + third ? "2" : "null";
                logs.append(String.format(
                        Locale.ROOT,
                        "%s[%.6f,%.6f,%.6f]",
                        d == 0 ? "" : ",",
                        Math.log(first),
                        Math.log(second),
                        Math.log(third)));
                target.append(d == 0 ? "" : ",").append(rank);
            }
            lines.append("{\"request\":\"q")
                    .append(i / 20)
                    .append("\",\"round\":")
                    .append(i % 20);
            lines.append(",\"log_probs\":[")
                    .append(logs)
                    .append("],\"target_ranks\":[")
                    .append(target)
                    .append("]}\n");
        }
        Path file = folder.resolve("trace.jsonl");
        Files.writeString(file, lines);
        return file;
    }

    @Test
    void tracesAreReplayedExactlyHereAndInScenarios() throws Exception {
        Path trace = trace(2000);
        Path file = folder.resolve("fit.yaml");
        CliRun run = run("--marginals", trace, "--budget", "4,8", "--top-k", "3", "-o", file, "--json");
        assertEquals(0, run.exit(), run.err());
        JsonNode report = Json.mapper().readTree(run.out());
        assertEquals(3, report.get("replays").size());
        double replayed = 0;
        double chain = 0;
        for (JsonNode r : report.get("replays")) {
            assertEquals(2000, r.get("rounds").asLong());
            replayed = r.get("design").asText().startsWith("budget 8")
                    ? r.get("accept_length").asDouble()
                    : replayed;
            chain = r.get("design").asText().equals("a chain of 4")
                    ? r.get("accept_length").asDouble()
                    : chain;
        }
        assertTrue(chain > 1.5 && replayed > chain, report.get("replays").toString());
        JsonNode points =
                explore(scenario("{id: t, kind: ddtree, block: 5, budget: [4, 8], top_k: 3}", "{trace: trace.jsonl}"));
        assertEquals(replayed, point(points, "budget", 8).get("accept_length").asDouble(), 1e-12);
        // targets that were drawn from the drafter's belief at every position: the path does not matter
        JsonNode kappa = report.get("fits").get(0).get("parameters").get("kappa");
        assertTrue(kappa.get("lo").asDouble() < 1.0 && kappa.get("hi").asDouble() > 0.9, kappa.toString());
        JsonNode fitted = explore(scenario("{id: t, kind: ddtree, block: 5, budget: 8, top_k: 3}", "{file: fit.yaml}"));
        assertEquals(replayed, point(fitted, "budget", 8).get("accept_length").asDouble(), 0.05 * replayed);
    }

    @Test
    void aTraceCountsByItsContent() throws Exception {
        trace(20);
        Path scenario = scenario("{id: t, kind: ddtree, block: 5, budget: 8, top_k: 3}", "{trace: trace.jsonl}");
        String first = hash(scenario);
        assertEquals(first, hash(scenario));
        trace(40);
        assertFalse(first.equals(hash(scenario)));
    }

    private static String hash(Path scenario) throws IOException {
        return Json.mapper()
                .readTree(CliRun.of("explore", scenario.toString(), "--json", "--quiet")
                        .out())
                .get("scenario_hash")
                .asText();
    }

    @Test
    void aTraceThatIsTooShallowIsRefusedPointByPoint() throws Exception {
        trace(20);
        CliRun run = CliRun.of(
                "explore",
                scenario("{id: t, kind: ddtree, block: 16, budget: 8, top_k: 3}", "{trace: trace.jsonl}")
                        .toString());
        assertTrue(run.out().contains("the trace drafts 4 positions"), run.out() + run.err());
    }

    private static List<String> texts(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }

    @Test
    void aFileWithoutAMethodSaysSoHereAndInScenarios() throws Exception {
        Path scrape = folder.resolve("metrics.txt");
        Files.writeString(scrape, scrape(9000, 7000, 5000, 3400));
        Path file = folder.resolve("mtp.yaml");
        JsonNode report = Json.mapper()
                .readTree(run(scrape, "--workload", "w", "-o", file, "--json").out());
        List<String> warnings = texts(report.get("warnings"));
        assertTrue(
                warnings.stream().anyMatch(w -> w.contains("names no method") && w.contains("--method")),
                warnings.toString());
        assertTrue(AcceptanceReader.read(file).notes().containsAll(warnings));
        String methods = "{id: mtp3, kind: mtp, steps: 3}\n  - {id: dflash, kind: dflash-linear, block: 16}\n"
                + "  - {id: ddtree, kind: ddtree, block: 16, budget: 16}";
        List<String> shared = warnings(scenario(methods, "{file: mtp.yaml}"));
        assertTrue(
                shared.stream()
                        .anyMatch(w ->
                                w.contains("mtp.yaml names no method and serves mtp3, dflash, ddtree on workload w")
                                        && w.contains("2 drafters")),
                shared.toString());
        assertTrue(
                shared.stream().anyMatch(w -> w.startsWith("dflash drafts 15 positions") && w.contains("covers 3")),
                shared.toString());
        assertFalse(shared.stream().anyMatch(w -> w.startsWith("mtp3 drafts")), shared.toString());
        List<String> named = warnings(
                scenario("{id: mtp3, kind: mtp, steps: 3}\n  - {id: mtp2, kind: mtp, steps: 2}", "{file: mtp.yaml}"));
        assertEquals(List.of(), named);

        JsonNode said = Json.mapper()
                .readTree(run(scrape, "--workload", "w", "--method", "mtp3", "-o", file, "--json")
                        .out());
        assertEquals(List.of(), texts(said.get("warnings")));
        List<String> own = warnings(scenario(methods, "{file: mtp.yaml}"));
        assertFalse(own.stream().anyMatch(w -> w.contains("names no method")), own.toString());
    }

    private static List<String> warnings(Path scenario) throws IOException {
        CliRun run = CliRun.of("explore", scenario.toString(), "--json", "--quiet");
        return texts(Json.mapper().readTree(run.out()).get("warnings"));
    }

    @Test
    void sourcesOfDifferentKindsThatCountTheSameAreNamed() throws Exception {
        Path scrape = folder.resolve("metrics.txt");
        Files.writeString(scrape, scrape(1000, 800, 500));
        Path rounds = folder.resolve("rounds.jsonl");
        StringBuilder lines = new StringBuilder(
                "{\"schema\":\"foretoken/rounds/1\",\"engine\":\"vllm\",\"design\":{\"length\":2}}\n");
        for (int i = 0; i < 1000; i++) {
            lines.append("{\"request\":\"a\",\"round\":").append(i);
            lines.append(",\"drafted\":2,\"accepted\":").append(i % 3).append("}\n");
        }
        Files.writeString(rounds, lines);
        CliRun both = run(rounds, scrape, "--workload", "code", "--method", "mtp", "--json");
        assertEquals(0, both.exit(), both.err());
        List<String> warnings = texts(Json.mapper().readTree(both.out()).get("warnings"));
        assertEquals(1, warnings.size(), warnings.toString());
        assertTrue(
                warnings.get(0)
                        .contains("rounds.jsonl (rounds, 1,000 rounds) and metrics.txt (vllm-metrics, 1,000 rounds)"),
                warnings.get(0));
        CliRun one = run(rounds, "--workload", "code", "--method", "mtp", "--json");
        assertEquals(0, Json.mapper().readTree(one.out()).get("warnings").size());
    }

    @Test
    void aLogSaysTheDepthOfItsTreesInItsDesign() throws Exception {
        Path rounds = folder.resolve("rounds.jsonl");
        StringBuilder lines = new StringBuilder("{\"schema\":\"foretoken/rounds/1\",\"method\":\"ddtree\","
                + "\"design\":{\"budget\":16,\"top_k\":4,\"depth\":15,\"blok\":16}}\n");
        for (int i = 0; i < 60; i++) {
            lines.append("{\"request\":\"a\",\"round\":").append(i);
            lines.append(",\"drafted\":16,\"accepted\":").append(i % 5).append("}\n");
        }
        lines.append("{\"request\":\"a\",\"round\":60,\"drafted\":16,\"accepted\":1,")
                .append("\"design\":{\"length\":3,\"depth\":4}}\n");
        Files.writeString(rounds, lines);
        Path file = folder.resolve("a.yaml");
        CliRun run = run(rounds, "-o", file, "--json");
        assertEquals(0, run.exit(), run.err());
        AcceptanceForm.Srt form = (AcceptanceForm.Srt)
                AcceptanceReader.read(file).entries().get(0).form();
        assertEquals(15, form.depth());
        JsonNode report = Json.mapper().readTree(run.out());
        List<String> said = texts(report.get("conversions"));
        assertTrue(said.stream().anyMatch(c -> c.contains("design key blok was ignored")), said.toString());
        assertEquals(
                1, report.get("skipped_total").asLong(), report.get("skipped").toString());
    }

    @Test
    void branchesThatGainNothingAreNotCalledKnown() throws Exception {
        Path rounds = folder.resolve("rounds.jsonl");
        StringBuilder lines = new StringBuilder("{\"schema\":\"foretoken/rounds/1\",\"method\":\"ddtree\","
                + "\"design\":{\"budget\":16,\"top_k\":4,\"depth\":15}}\n");
        UniformRandomProvider random = Streams.of(3, "chain-like tree", 0, 0);
        for (int i = 0; i < 3600; i++) {
            int accepted = 0;
            while (accepted < 15 && random.nextDouble() < 0.78) {
                accepted++;
            }
            lines.append("{\"request\":\"q")
                    .append(i / 60)
                    .append("\",\"round\":")
                    .append(i % 60);
            lines.append(",\"drafted\":16,\"accepted\":").append(accepted).append("}\n");
        }
        Files.writeString(rounds, lines);
        JsonNode fit =
                Json.mapper().readTree(run(rounds, "--json").out()).get("fits").get(0);
        for (String name : List.of("rho", "kappa")) {
            JsonNode p = fit.get("parameters").get(name);
            double half = (p.get("hi").asDouble() - p.get("lo").asDouble()) / 2;
            assertEquals(half, fit.get("today").get(name + "_half_width").asDouble(), 1e-12);
            assertEquals(half < 0.45, p.get("identified").asBoolean(), p.toString());
            for (JsonNode next : fit.get("next_runs")) {
                assertTrue(next.get(name + "_half_width").asDouble() <= half, next.toString());
            }
        }
        assertFalse(fit.get("parameters").get("kappa").get("identified").asBoolean(), fit.toString());
        String text = run(rounds).out();
        assertTrue(text.contains("kappa is not known from the data (+-0.5"), text);
        int measured = 0;
        for (JsonNode row : fit.get("accept_lengths")) {
            if (row.has("observed")) {
                measured++;
                double seen = row.get("observed").asDouble();
                assertTrue(
                        row.get("lo").asDouble() <= seen
                                && seen <= row.get("hi").asDouble(),
                        row.toString());
                assertTrue(row.get("hi").asDouble() - row.get("lo").asDouble() < 0.1 * seen, row.toString());
            }
        }
        assertEquals(1, measured);
    }

    @Test
    void reasonsNameTheMethodAndTheWorkload() throws Exception {
        JsonNode points = explore(scenario(
                "{id: mtp3, kind: mtp, steps: 3}\n  - {id: wide, kind: dflash-linear, block: 16}",
                "{per_position: [0.7, 0.5, 0.4]}"));
        List<String> reasons = new ArrayList<>();
        points.forEach(p -> reasons.add(p.path("reason").asText()));
        assertTrue(
                reasons.stream().anyMatch(r -> r.startsWith("wide on workload w: per_position has 3 positions")),
                reasons.toString());
    }

    @Test
    void mixedVersionsAreKeptApartAndTheLargestIsWritten() throws Exception {
        Path rounds = folder.resolve("rounds.jsonl");
        StringBuilder lines = new StringBuilder();
        for (String version : List.of("1.0", "2.0")) {
            lines.append("{\"schema\":\"foretoken/rounds/1\",\"method\":\"mtp\",\"engine\":\"vllm\",\"version\":\"")
                    .append(version)
                    .append("\",\"design\":{\"length\":3}}\n");
            for (int i = 0; i < (version.equals("1.0") ? 40 : 90); i++) {
                lines.append("{\"request\":\"")
                        .append(version)
                        .append(i / 5)
                        .append("\",\"round\":")
                        .append(i % 5);
                lines.append(",\"drafted\":3,\"accepted\":").append(i % 4).append("}\n");
            }
        }
        lines.append("{\"request\":\"broken\n");
        Files.writeString(rounds, lines);
        Path file = folder.resolve("a.json");
        CliRun run = run(rounds, "-o", file);
        assertEquals(0, run.exit(), run.err());
        AcceptanceFile read = AcceptanceReader.read(file);
        assertEquals(1, read.entries().size());
        assertEquals("2.0", read.entries().get(0).engineVersion());
        assertEquals(90, read.entries().get(0).samples().rounds());
        assertTrue(
                read.notes().get(0).contains("several engines or versions"),
                read.notes().toString());
        assertTrue(run.out().contains("rounds.jsonl:133"), run.out());
    }

    @Test
    void ngramKeepsItsCounts() throws Exception {
        Path rounds = folder.resolve("r.jsonl");
        StringBuilder lines = new StringBuilder(
                "{\"schema\":\"foretoken/rounds/1\",\"method\":\"ngram\",\"design\":{\"length\":4}}\n");
        for (int i = 0; i < 60; i++) {
            lines.append("{\"request\":\"a\",\"round\":").append(i);
            lines.append(",\"drafted\":4,\"accepted\":")
                    .append(i % 3 == 0 ? 4 : 0)
                    .append("}\n");
        }
        Files.writeString(rounds, lines);
        Path file = folder.resolve("n.yaml");
        assertEquals(0, run(rounds, "-o", file, "--quiet").exit());
        AcceptanceForm.Histogram form = (AcceptanceForm.Histogram)
                AcceptanceReader.read(file).entries().get(0).form();
        assertEquals(List.of(40.0, 0.0, 0.0, 0.0, 20.0), form.counts());
    }

    @Test
    void listsItsReaders() {
        CliRun run = run("--readers");
        assertEquals(0, run.exit());
        for (var reader : AcceptanceReaders.all()) {
            assertTrue(run.out().contains(reader.id()), reader.id());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "absent.txt",
                ".",
                "plain.txt",
                "plain.txt --reader vllm-metrcs",
                "plain.txt --reader rounds --length 0",
                "plain.txt --reader rounds --budget 8,16",
                "plain.txt --reader rounds --level 1.5",
                "plain.txt --reader rounds --ranks 0",
                "plain.txt --reader rounds",
                "--marginals absent.jsonl",
                "--marginals plain.txt",
                "trees.jsonl --depth 3",
                "plain.txt --form bogus"
            })
    void refusesWithOneSentence(String arguments) throws Exception {
        Files.writeString(folder.resolve("plain.txt"), "nothing of use\n");
        Files.writeString(
                folder.resolve("trees.jsonl"),
                "{\"schema\":\"foretoken/rounds/1\",\"design\":{\"length\":15,\"budget\":32}}\n"
                        + "{\"request\":\"a\",\"round\":0,\"drafted\":32,\"accepted\":2}\n");
        String[] words = arguments.isEmpty() ? new String[0] : arguments.split(" ");
        for (int i = 0; i < words.length; i++) {
            boolean file = words[i].contains(".") && !words[i].matches("[0-9.]+");
            words[i] = file ? folder.resolve(words[i]).toString() : words[i];
        }
        Path output = folder.resolve("never.yaml");
        CliRun run = run(Stream.concat(Stream.of(words), Stream.of("-o", output.toString()))
                .toArray());
        assertEquals(2, run.exit(), run.out() + run.err());
        assertFalse(run.err().isBlank());
        assertFalse(run.err().contains("\tat "), run.err());
        assertFalse(Files.exists(output));
    }

    /** What is kept without a fit is said in words with sensible digits. */
    @Test
    void whatIsKeptAsCountedIsSaidInWords() throws Exception {
        Path log = folder.resolve("sglang.log");
        StringBuilder lines = new StringBuilder();
        for (String length : new String[] {"2.71", "2.90", "2.84", "2.79"}) {
            lines.append(
                            "[2026-11-30 10:00:02] Decode batch, #running-req: 2, #token: 512, token usage: 0.01, accept len: ")
                    .append(length)
                    .append(", accept rate: 0.62, cuda graph: True, gen throughput (token/s): 210.1, #queue-req: 0\n");
        }
        Files.writeString(log, lines);
        CliRun run = run(log);
        assertEquals(0, run.exit(), run.err());
        assertTrue(
                run.out()
                        .substring(run.out().indexOf("Kept as counted"))
                        .matches("(?s).*accept_length +2\\.81 tokens per round.*"),
                run.out());
        assertFalse(run.out().contains("AcceptLength["), run.out());
    }
}
