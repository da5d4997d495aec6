package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What commands leave with --out keeps to its schema, and one report takes all of it. */
class ReportFilesTest {
    private static final Path ROOT = Path.of(System.getProperty("foretoken.root", ".."));

    @TempDir
    Path folder;

    private Path run(String name, String... args) throws Exception {
        Path out = folder.resolve(name);
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--out", out.toString(), "--quiet"));
        CliRun run = CliRun.of(all.toArray(String[]::new));
        assertEquals(0, run.exit(), name + ": " + run.err());
        return out;
    }

    @Test
    void everyFileKeepsToItsSchemaAndOneReportTakesAll() throws Exception {
        Path scenario = folder.resolve("s.yaml");
        Files.writeString(scenario, """
                schema: foretoken/scenario/1
                name: files
                engine: {name: sglang}
                methods: [{id: ar, kind: autoregressive}, {id: mtp, kind: mtp, steps: [1, 2]}]
                workloads: [{id: w, isl: 64, osl: 60, acceptance: {mtp: {per_position: [0.8, 0.5], source: made up}}}]
                load: [{kind: closed, concurrency: [1, 4]}]
                simulate: {rel_half_width: 0.1, max_requests: 1000}
                calibration: {round_times: [{rows: 1, ms: 20}, {rows: 16, ms: 24}], draft_ms: 2}
                """);
        Path counts = folder.resolve("rounds.jsonl");
        StringBuilder lines = new StringBuilder("{\"schema\":\"foretoken/rounds/1\",\"method\":\"dflash-linear\","
                + "\"engine\":\"sglang\",\"version\":\"0.5.14\",\"design\":{\"length\":3}}\n");
        for (int i = 0; i < 400; i++) {
            lines.append("{\"request\":\"q")
                    .append(i % 20)
                    .append("\",\"round\":")
                    .append(i / 20)
                    .append(",\"drafted\":3,\"accepted\":")
                    .append(i * 7 % 4)
                    .append("}\n");
        }
        Files.writeString(counts, lines);
        Path explored = run("explore", "explore", scenario.toString());
        Path simulated = run("simulate", "simulate", scenario.toString());
        Path acceptance = run("acceptance", "calibrate", "acceptance", counts.toString());
        Path fit = run(
                "fit",
                "calibrate",
                "fit",
                ROOT.resolve("calibration/src/test/resources/timings/synthetic_gpu.json")
                        .toString(),
                "--card",
                "rtx-pro-6000-server");
        Path backtest = run("backtest", "backtest");
        Path demo = run("demo", "demo");

        SchemaCheck.file("result", explored.resolve("result.json"));
        SchemaCheck.file("effective", explored.resolve("effective.json"));
        SchemaCheck.file("series", simulated.resolve("series.json"));
        SchemaCheck.file("acceptance-report", acceptance.resolve("acceptance.json"));
        SchemaCheck.file("fit-report", fit.resolve("fit.json"));
        SchemaCheck.file("backtest", backtest.resolve("backtest.json"));
        SchemaCheck.file("demo", demo.resolve("demo.json"));
        for (Path p : List.of(acceptance, fit, backtest, demo)) {
            SchemaCheck.file("chapter", p.resolve("chapter.json"));
        }

        CliRun report = CliRun.of(
                "report",
                explored.toString(),
                simulated.toString(),
                acceptance.toString(),
                fit.resolve("chapter.json").toString(),
                backtest.toString(),
                demo.toString(),
                "--out",
                folder.resolve("report").toString());
        assertEquals(0, report.exit(), report.err());
        String html = Files.readString(folder.resolve("report/report.html"));
        for (String chapter : List.of("files", "Acceptance", "Fit", "Backtest", "Demo")) {
            assertTrue(html.contains(chapter + "</h2>"), chapter);
        }
        double misses = Json.mapper()
                .readTree(backtest.resolve("backtest.json").toFile())
                .path("ways")
                .size();
        assertTrue(misses >= 3, "ways " + misses);
        assertTrue(html.contains("method left out"));
    }

    @Test
    void aFolderWithoutAnythingToReportIsRefused() throws Exception {
        Path empty = Files.createDirectories(folder.resolve("empty"));
        CliRun run = CliRun.of(
                "report", empty.toString(), "--out", folder.resolve("r").toString());
        assertEquals(2, run.exit());
        assertTrue(run.err().contains("give a folder that a command wrote with --out"), run.err());
    }
}
