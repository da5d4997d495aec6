package dev.foretoken.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.foretoken.formats.io.AtomicFiles;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.scenario.Effective;
import dev.foretoken.report.chart.ExploreCharts;
import dev.foretoken.report.document.RunFolder;
import dev.foretoken.report.table.ResultPrinter;
import dev.foretoken.report.table.TextTables;
import dev.foretoken.sim.result.Result;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;

/** Prints results and writes them to the folder of --out. */
final class ResultOutput {
    private final Common common;

    ResultOutput(Common common) {
        this.common = common;
    }

    /**
     * @param effective every value the result was computed with
     * @param charts also draws charts into the folder of --out
     */
    void write(Result result, List<Effective> effective, boolean charts) throws IOException {
        write(new RunFolder(result, effective, List.of()), charts);
    }

    /**
     * @param run a result with what it was computed with and, of simulations, what charts show of the runs
     * @param charts also draws charts into the folder of --out
     */
    void write(RunFolder run, boolean charts) throws IOException {
        Result result = run.result();
        Writer out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), 1 << 16);
        switch (common.format()) {
            case json -> json(result, out);
            case csv -> ResultPrinter.csv(result, out);
            case md -> ResultPrinter.markdown(result, out);
            case table ->
                ResultPrinter.text(
                        result,
                        new TextTables(width(), false),
                        common.verbose() ? ResultPrinter.MOST_VERBOSE_ROWS : ResultPrinter.MOST_TEXT_ROWS,
                        out);
        }
        out.flush();
        if (System.out.checkError()) {
            throw new IOException("standard output cannot be written");
        }
        if (common.out() != null) {
            files(run, charts);
        }
    }

    /** What report reads, points.csv and, unless refused, charts. */
    private void files(RunFolder run, boolean charts) throws IOException {
        Result result = run.result();
        run.write(Files.createDirectories(common.out()));
        AtomicFiles.write(common.out().resolve("points.csv"), out -> {
            Writer text = new OutputStreamWriter(out, StandardCharsets.UTF_8);
            ResultPrinter.csv(result, text);
            text.flush();
        });
        int count = run.series().isEmpty() ? 3 : 4;
        if (charts) {
            try (Common.Progress progress = common.progress(
                    "charts", ExploreCharts.of(result, run.series()).size())) {
                count += ExploreCharts.write(result, run.series(), common.out(), progress)
                        .size();
            }
        }
        common.note(count + " files in " + common.out());
    }

    /** Columns of the terminal where the shell says so. */
    static int width() {
        String columns = System.getenv("COLUMNS");
        return columns != null && columns.matches("[0-9]{2,4}")
                ? Math.max(60, Integer.parseInt(columns))
                : TextTables.DEFAULT_WIDTH;
    }

    private static void json(Result result, Writer out) throws IOException {
        JsonGenerator generator = Json.mapper().createGenerator(out);
        generator.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        generator.useDefaultPrettyPrinter();
        Json.mapper().writeValue(generator, result);
        out.write("\n");
    }
}
