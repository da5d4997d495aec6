package dev.foretoken.cli;

import dev.foretoken.report.chart.ComparisonCharts;
import dev.foretoken.report.chart.Pair;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.Column;
import dev.foretoken.report.table.NumberStyle;
import dev.foretoken.validation.backtest.Backtest;
import dev.foretoken.validation.backtest.BacktestReport;
import dev.foretoken.validation.backtest.BacktestReport.Errors;
import dev.foretoken.validation.backtest.BacktestReport.Prediction;
import dev.foretoken.validation.backtest.BacktestReport.Signs;
import dev.foretoken.validation.backtest.BacktestReport.SourceErrors;
import dev.foretoken.validation.backtest.BacktestReport.Unpredicted;
import dev.foretoken.validation.backtest.BacktestReport.Way;
import dev.foretoken.validation.backtest.BacktestReport.WhiteBox;
import dev.foretoken.validation.backtest.BacktestReport.WhiteBoxRow;
import dev.foretoken.validation.backtest.CasesFile;
import dev.foretoken.validation.compare.ErrorSummary;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code foretoken backtest [CASES]}: public measurements predicted from the rest of their own source. */
@Command(
        name = "backtest",
        description = {
            "Predicts public speculative measurements from the rest of their own source, and prints the errors.",
            "Three ways: all rows fitted (in sample), each row left out, each method left out (out of sample)."
        },
        mixinStandardHelpOptions = true)
final class BacktestCommand implements Callable<Integer> {
    private static final String BUNDLED = "/foretoken/catalogue/cases/public.csv";

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "CASES",
            description = "a foretoken/cases/1 file (CSV); default: the bundled public cases")
    private Path cases;

    @Mixin
    private Common common;

    @Override
    public Integer call() throws IOException {
        CasesFile.Content content = read();
        if (content.rows().isEmpty()) {
            throw new UserError(name() + ": no row can be used"
                    + (content.left().isEmpty() ? "" : "; " + content.left().get(0)));
        }
        Workspace workspace = Workspace.beside(cases == null ? Path.of("public.csv") : cases);
        BacktestReport report = new Backtest(content, new CatalogueCases(workspace)).run();
        Block.Table<Prediction> predictions = predictions(report.predictions());
        List<Block> blocks = new ArrayList<>();
        blocks.add(ways(report));
        blocks.add(sources(report));
        blocks.add(misses(report));
        blocks.add(unpredicted(report));
        blocks.add(whiteBoxSummary(report.whiteBox()));
        Block.Table<WhiteBoxRow> timed = whiteBox(report.whiteBox());
        if (common.verbose()) {
            blocks.add(predictions);
            blocks.add(timed);
        }
        blocks.add(new Block.Sentences("Rows that could not be read", report.leftOut()));
        BlockOutput output = new BlockOutput(common, "backtest", headline(report), blocks, predictions, report);
        for (Way way : Way.values()) {
            List<Pair> pairs = pairs(report, way);
            if (!pairs.isEmpty()) {
                output.chart(
                        "predicted-measured-" + words(way),
                        () -> ComparisonCharts.predictedAgainstMeasured(
                                words(way) + ", " + pairs.size() + " rows, speeds relative to autoregressive decoding",
                                "speed-up",
                                pairs));
            }
        }
        List<Pair> speeds = report.whiteBox().rows().stream()
                .map(w -> new Pair(
                        w.sourceGroup() + (w.speculative() ? ", speculative" : ", autoregressive"),
                        w.measured(),
                        w.predicted(),
                        false))
                .toList();
        if (!speeds.isEmpty()) {
            output.chart(
                    "predicted-measured-kernel-timings",
                    () -> ComparisonCharts.predictedAgainstMeasured(
                            "from kernel timings, nothing fitted, " + speeds.size() + " rows", "output tok/s", speeds));
        }
        output.write();
        return Exit.OK;
    }

    private record WhiteBoxLine(String what, ErrorSummary errors) {}

    private static Block.Table<WhiteBoxLine> whiteBoxSummary(WhiteBox w) {
        List<WhiteBoxLine> rows = new ArrayList<>();
        rows.add(new WhiteBoxLine("autoregressive rows", w.autoregressive()));
        rows.add(new WhiteBoxLine("speculative rows", w.speculative()));
        rows.add(new WhiteBoxLine("speed-ups", w.speedups()));
        rows.removeIf(r -> r.errors() == null);
        List<Column<WhiteBoxLine>> columns = new ArrayList<>();
        columns.add(Column.of("what", "", "predicted", NumberStyle.TEXT, Column.ALWAYS, WhiteBoxLine::what));
        columns.addAll(errorColumns("white_box", "", WhiteBoxLine::errors));
        columns.add(Column.of(
                "bias_log", "", "bias (log)", NumberStyle.FINE, 5, r -> get(r.errors(), ErrorSummary::biasLogRatio)));
        List<String> notes = new ArrayList<>();
        if (!rows.isEmpty()) {
            notes.add(
                    "from published kernel timings of the card and the model's architecture; nothing is fitted, accept lengths"
                            + " are the source's; assumptions stand with each row (-v)");
            notes.add(signs(w.signs()));
        }
        return new Block.Table<>("From kernel timings", columns, rows, notes);
    }

    private static Block.Table<WhiteBoxRow> whiteBox(WhiteBox w) {
        return new Block.Table<>(
                "Rows from kernel timings",
                List.of(
                        Column.of("case_id", "", "case", NumberStyle.TEXT, Column.ALWAYS, WhiteBoxRow::caseId),
                        Column.of("arm", "", "arm", NumberStyle.TEXT, 5, WhiteBoxRow::arm),
                        Column.of("predicted", "", "predicted", NumberStyle.FINE, 7, WhiteBoxRow::predicted),
                        Column.of("measured", "", "measured", NumberStyle.FINE, 7, WhiteBoxRow::measured),
                        Column.of(
                                "error_percent",
                                "%",
                                "error",
                                NumberStyle.RATE,
                                Column.ALWAYS,
                                WhiteBoxRow::errorPercent),
                        Column.of(
                                "assumptions",
                                "",
                                "assumed",
                                NumberStyle.TEXT,
                                4,
                                r -> String.join("; ", r.assumptions()))),
                w.rows(),
                List.of());
    }

    private String name() {
        return cases == null ? "the bundled cases" : cases.toString();
    }

    private CasesFile.Content read() throws IOException {
        if (cases != null && Files.isDirectory(cases)) {
            throw new UserError(cases + " is a folder, not a cases file");
        }
        try (InputStream in = cases == null
                        ? BacktestCommand.class.getResourceAsStream(BUNDLED)
                        : Files.newInputStream(cases);
                Reader text = new InputStreamReader(in, StandardCharsets.UTF_8)) {
            return CasesFile.read(name(), text);
        } catch (IllegalArgumentException e) {
            throw new UserError(e.getMessage());
        }
    }

    private String headline(BacktestReport report) {
        return String.format(
                Locale.ROOT,
                "backtest of %s · %,d rows, %,d of them autoregressive (given, not predicted)",
                name(),
                report.rowsRead(),
                report.autoregressive());
    }

    private record WayRow(Way way, Errors errors, Signs signs) {}

    private static Block.Table<WayRow> ways(BacktestReport report) {
        List<WayRow> rows = new ArrayList<>();
        for (Way way : Way.values()) {
            rows.add(new WayRow(way, report.ways().get(way), report.signs().get(way)));
        }
        List<Column<WayRow>> columns = new ArrayList<>();
        columns.add(Column.of("way", "", "predicted by", NumberStyle.TEXT, Column.ALWAYS, r -> words(r.way())));
        columns.addAll(errorColumns("covered", "covered", r -> r.errors().covered()));
        columns.addAll(
                errorColumns("extrapolated", "extrapolated", r -> r.errors().extrapolated()));
        columns.add(Column.people(
                "wins",
                "",
                "wins right",
                NumberStyle.TEXT,
                9,
                r -> of(r.signs().winsRight(), r.signs().wins())));
        columns.add(Column.people(
                "losses",
                "",
                "losses right",
                NumberStyle.TEXT,
                9,
                r -> of(r.signs().lossesRight(), r.signs().losses())));
        columns.add(Column.flat("wins", "", NumberStyle.COUNT, r -> r.signs().wins()));
        columns.add(
                Column.flat("wins_right", "", NumberStyle.COUNT, r -> r.signs().winsRight()));
        columns.add(Column.flat("losses", "", NumberStyle.COUNT, r -> r.signs().losses()));
        columns.add(Column.flat(
                "losses_right", "", NumberStyle.COUNT, r -> r.signs().lossesRight()));
        return new Block.Table<>(
                "Errors by way",
                columns,
                rows,
                List.of(
                        "errors are of speeds: predicted / measured - 1; covered = rows inside the source's autoregressive"
                                + " sweep",
                        "wins and losses: rows measured more than 10 % above or below autoregressive decoding at the same"
                                + " load"));
    }

    /** Wins and losses in words. */
    static String signs(Signs s) {
        return (s.wins() == 0 ? "no row was measured as a win" : "wins right " + of(s.winsRight(), s.wins())) + ", "
                + (s.losses() == 0
                        ? "no row was measured as a loss"
                        : "losses right " + of(s.lossesRight(), s.losses()));
    }

    private static String of(int right, int all) {
        return all == 0 ? null : right + " of " + all;
    }

    private static Block.Table<SourceErrors> sources(BacktestReport report) {
        List<Column<SourceErrors>> columns = new ArrayList<>();
        columns.add(
                Column.of("source_group", "", "source", NumberStyle.TEXT, Column.ALWAYS, SourceErrors::sourceGroup));
        columns.add(Column.of("way", "", "predicted by", NumberStyle.TEXT, Column.ALWAYS, r -> words(r.way())));
        columns.addAll(errorColumns("covered", "covered", r -> r.errors().covered()));
        columns.addAll(
                errorColumns("extrapolated", "extrapolated", r -> r.errors().extrapolated()));
        columns.add(
                Column.of("rank_agreement", "", "rank agreement", NumberStyle.FINE, 5, SourceErrors::rankAgreement));
        return new Block.Table<>(
                "Errors by source",
                columns,
                report.sources(),
                List.of("rank agreement: mean Kendall tau-b over groups of at least three arms at one load"));
    }

    private static <T> List<Column<T>> errorColumns(String name, String header, Function<T, ErrorSummary> errors) {
        return List.of(
                Column.of(name + "_n", "", header + " n", NumberStyle.COUNT, 8, r -> get(errors.apply(r), e -> e.n())),
                Column.of(
                        name + "_median_percent",
                        "%",
                        "median",
                        NumberStyle.RATE,
                        8,
                        r -> percent(errors.apply(r), ErrorSummary::medianAbsolutePercent)),
                Column.of(
                        name + "_worst_percent",
                        "%",
                        "worst",
                        NumberStyle.RATE,
                        6,
                        r -> percent(errors.apply(r), ErrorSummary::worstPercent)),
                Column.flat(
                        name + "_bias_log_ratio",
                        "",
                        NumberStyle.FINE,
                        r -> get(errors.apply(r), ErrorSummary::biasLogRatio)));
    }

    private static <V> V get(ErrorSummary errors, Function<ErrorSummary, V> value) {
        return errors == null ? null : value.apply(errors);
    }

    /** A percentage without the last digits of floating point. */
    private static Double percent(ErrorSummary errors, ToDoubleFunction<ErrorSummary> value) {
        return errors == null ? null : Double.valueOf(Math.rint(value.applyAsDouble(errors) * 1e9) / 1e9);
    }

    private static Block.Table<Prediction> misses(BacktestReport report) {
        return table(
                "Misses above 20 %",
                report.predictions().stream().filter(p -> p.remark() != null).toList());
    }

    private static Block.Table<Prediction> predictions(List<Prediction> predictions) {
        return table("Predictions", predictions);
    }

    private static Block.Table<Prediction> table(String title, List<Prediction> rows) {
        List<Column<Prediction>> columns = List.of(
                Column.of("case_id", "", "case", NumberStyle.TEXT, Column.ALWAYS, Prediction::caseId),
                Column.of("source_group", "", "source", NumberStyle.TEXT, 4, Prediction::sourceGroup),
                Column.of("way", "", "predicted by", NumberStyle.TEXT, Column.ALWAYS, p -> words(p.way())),
                Column.of("metric", "", "metric", NumberStyle.TEXT, 5, Prediction::metric),
                Column.of("predicted", "", "predicted", NumberStyle.FINE, 7, Prediction::predicted),
                Column.of("measured", "", "measured", NumberStyle.FINE, 7, Prediction::measured),
                Column.of("error_percent", "%", "error", NumberStyle.RATE, Column.ALWAYS, Prediction::errorPercent),
                Column.of("extrapolated", "", "extrapolated", NumberStyle.YES_NO, 3, Prediction::extrapolated),
                Column.flat("measured_ratio", "", NumberStyle.RATIO, Prediction::measuredRatio),
                Column.flat("predicted_ratio", "", NumberStyle.RATIO, Prediction::predictedRatio),
                Column.of("remark", "", "remark", NumberStyle.TEXT, 9, Prediction::remark));
        return new Block.Table<>(title, columns, rows, List.of());
    }

    private record Reason(String sourceGroup, String reason, int rows, Set<Way> ways, String first) {}

    /** Rows without a prediction, one line per source and reason. */
    private static Block.Table<Reason> unpredicted(BacktestReport report) {
        Map<List<String>, Map<String, Set<Way>>> reasons = new LinkedHashMap<>();
        for (Unpredicted u : report.unpredicted()) {
            reasons.computeIfAbsent(List.of(u.sourceGroup(), u.reason()), k -> new LinkedHashMap<>())
                    .computeIfAbsent(u.caseId(), c -> EnumSet.noneOf(Way.class))
                    .add(u.way());
        }
        List<Reason> rows = new ArrayList<>();
        reasons.forEach((key, cases) -> {
            Set<Way> ways = EnumSet.noneOf(Way.class);
            cases.values().forEach(ways::addAll);
            rows.add(new Reason(
                    key.get(0),
                    key.get(1),
                    cases.size(),
                    ways,
                    cases.keySet().iterator().next()));
        });
        List<Column<Reason>> columns = List.of(
                Column.of("source_group", "", "source", NumberStyle.TEXT, 8, Reason::sourceGroup),
                Column.of("rows", "", "rows", NumberStyle.COUNT, Column.ALWAYS, Reason::rows),
                Column.of(
                        "ways",
                        "",
                        "not by",
                        NumberStyle.TEXT,
                        7,
                        r -> r.ways().size() == Way.values().length
                                ? "any way"
                                : String.join(
                                        ", ",
                                        r.ways().stream()
                                                .map(BacktestCommand::words)
                                                .toList())),
                Column.flat("first_case", "", NumberStyle.TEXT, Reason::first),
                Column.of("reason", "", "reason", NumberStyle.TEXT, Column.ALWAYS, Reason::reason));
        return new Block.Table<>("Not predicted", columns, rows, List.of());
    }

    private static List<Pair> pairs(BacktestReport report, Way way) {
        return report.predictions().stream()
                .filter(p -> p.way() == way && p.measuredRatio() != null)
                .map(p -> new Pair(p.sourceGroup(), p.measuredRatio(), p.predictedRatio(), p.extrapolated()))
                .toList();
    }

    private static String words(Way way) {
        return switch (way) {
            case IN_SAMPLE -> "in sample";
            case LEAVE_POINT_OUT -> "row left out";
            case LEAVE_METHOD_OUT -> "method left out";
        };
    }
}
