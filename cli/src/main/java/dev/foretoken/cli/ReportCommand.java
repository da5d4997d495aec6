package dev.foretoken.cli;

import dev.foretoken.formats.io.AtomicFiles;
import dev.foretoken.report.OutputFiles;
import dev.foretoken.report.document.HtmlReport;
import dev.foretoken.report.document.LatexReport;
import dev.foretoken.report.document.Report;
import dev.foretoken.report.document.ResultChapter;
import dev.foretoken.report.document.RunFolder;
import dev.foretoken.report.document.SavedChapter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code foretoken report RUN...}: one HTML page, and LaTeX source, of what commands left with --out. */
@Command(
        name = "report",
        description = "One self-contained HTML page, and LaTeX source with the same tables and charts.",
        mixinStandardHelpOptions = true)
final class ReportCommand implements Callable<Integer> {
    @Parameters(
            arity = "1..*",
            paramLabel = "RUN_DIR",
            description =
                    "folder that explore, simulate, calibrate, validate or backtest wrote with --out, or a result file")
    private List<Path> runs;

    @Option(names = "--title", paramLabel = "TEXT", description = "title of the report")
    private String title = "Speculative decoding: what to use";

    @Mixin
    private Common common;

    @Override
    public Integer call() throws IOException {
        common.checkOut();
        Path folder = common.out() == null ? Path.of("foretoken-report") : common.out();
        List<Report.Chapter> chapters = new ArrayList<>();
        for (Path run : runs) {
            chapters.addAll(chapters(run));
        }
        Report report = new Report(title, Main.version(), chapters);
        Path page = folder.resolve("report.html");
        AtomicFiles.write(page, out -> {
            Writer text = new OutputStreamWriter(out, StandardCharsets.UTF_8);
            HtmlReport.write(report, text);
        });
        List<Path> latex = LatexReport.write(report, new OutputFiles(folder.resolve("latex")));
        Common.print(page + "\n" + latex.get(latex.size() - 1) + "\n");
        return Exit.OK;
    }

    /** A result of explore or simulate, what another command left, or both where one folder holds both. */
    private static List<Report.Chapter> chapters(Path run) {
        if (!Files.exists(run)) {
            throw new UserError("no such file or folder: " + run);
        }
        List<Report.Chapter> chapters = new ArrayList<>();
        boolean folder = Files.isDirectory(run);
        Path saved = folder ? run.resolve(SavedChapter.FILE) : run;
        boolean chapter = saved.endsWith(SavedChapter.FILE) && Files.isRegularFile(saved);
        if (!chapter || folder && Files.isRegularFile(run.resolve(RunFolder.RESULT))) {
            RunFolder read = RunFolder.read(run);
            chapters.add(ResultChapter.of(read, List.of()));
        }
        if (chapter) {
            chapters.add(SavedChapter.read(saved).chapter(saved));
        }
        return chapters;
    }
}
