package dev.foretoken.cli;

import dev.foretoken.report.chart.ComparisonCharts;
import dev.foretoken.report.chart.Pair;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.Column;
import dev.foretoken.report.table.NumberStyle;
import dev.foretoken.validation.compare.Cell;
import dev.foretoken.validation.compare.Equivalence;
import dev.foretoken.validation.compare.ErrorSummary;
import dev.foretoken.validation.compare.Figure;
import dev.foretoken.validation.compare.TermResidual;
import dev.foretoken.validation.validate.Validation;
import dev.foretoken.validation.validate.ValidationReport;
import dev.foretoken.validation.validate.ValidationReport.FigureRow;
import dev.foretoken.validation.validate.ValidationReport.RankingRow;
import dev.foretoken.validation.validate.ValidationReport.Row;
import dev.foretoken.validation.validate.ValidationReport.SpeedupRow;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * What {@code validate} says.
 *
 * @param launch how the scenario's server starts, null when the engine does not run the method
 * @param switches how to force acceptance on this engine
 */
record ValidationOutput(Common common, ValidationReport report, String launch, List<String> switches) {
    private static final Map<String, String> STAGES = Map.of(
            "A", "forced acceptance: checks round times",
            "B", "measured acceptance in the model",
            "C", "full prediction");

    private record FigureOfCell(Row row, String figure, FigureRow values) {
        Double stageB() {
            return row.withMeasuredAcceptance() == null
                    ? null
                    : row.withMeasuredAcceptance().get(figure);
        }
    }

    private record StageRow(String stage, String figure, ErrorSummary errors) {}

    BlockOutput output() {
        List<FigureOfCell> figures = new ArrayList<>();
        report.rows().forEach(r -> r.figures().forEach((f, v) -> figures.add(new FigureOfCell(r, f, v))));
        Block.Table<FigureOfCell> cells = cells(figures);
        List<Block> blocks = new ArrayList<>();
        blocks.add(cells);
        blocks.add(stages());
        blocks.add(residuals());
        blocks.add(speedups());
        blocks.add(rankings());
        blocks.add(verdicts());
        blocks.add(new Block.Sentences("Outside tolerance", report.outside()));
        blocks.add(new Block.Sentences("Notes and warnings", notes()));
        blocks.add(new Block.Sentences("Server", server()));
        BlockOutput out = new BlockOutput(
                common,
                "validation",
                report.scenario() + " · " + Validation.counted(report.rows().size(), "cell") + " · " + report.verdict(),
                blocks,
                cells,
                report);
        for (Figure f : List.of(Figure.OUTPUT_TOK_S, Figure.TPOT_MS)) {
            List<Pair> pairs = figures.stream()
                    .filter(c -> c.figure().equals(f.key()))
                    .map(c -> new Pair(
                            c.row().cell().arm(),
                            c.values().measured(),
                            c.values().predicted(),
                            Boolean.TRUE.equals(c.row().extrapolated())))
                    .toList();
            if (!pairs.isEmpty()) {
                out.chart(
                        "predicted-measured-" + f.key(),
                        () -> ComparisonCharts.predictedAgainstMeasured(
                                report.scenario() + ", " + f.key(), f == Figure.TPOT_MS ? "ms" : "tok/s", pairs));
            }
        }
        return out;
    }

    private static <T> List<Column<T>> ofCell(Function<T, Cell> cell, List<Column<T>> more) {
        List<Column<T>> columns = new ArrayList<>();
        columns.add(Column.of(
                "tp", "", "tp", NumberStyle.COUNT, 5, r -> cell.apply(r).tp()));
        columns.add(Column.of(
                "method",
                "",
                "method",
                NumberStyle.TEXT,
                Column.ALWAYS,
                r -> cell.apply(r).method()));
        columns.add(Column.of(
                "budget", "", "budget", NumberStyle.COUNT, 8, r -> cell.apply(r).budget()));
        columns.add(Column.of(
                "top_k", "", "top_k", NumberStyle.COUNT, 6, r -> cell.apply(r).topK()));
        columns.add(Column.of(
                "parameters",
                "",
                "with",
                NumberStyle.TEXT,
                Column.ALWAYS,
                r -> cell.apply(r).parameterWords()));
        columns.add(Column.of(
                "workload",
                "",
                "workload",
                NumberStyle.TEXT,
                7,
                r -> cell.apply(r).workload()));
        columns.add(Column.of(
                "load",
                "",
                "load",
                NumberStyle.TEXT,
                Column.ALWAYS,
                r -> cell.apply(r).load()));
        columns.addAll(more);
        return columns;
    }

    private static Block.Table<FigureOfCell> cells(List<FigureOfCell> rows) {
        return new Block.Table<>(
                "Predicted and measured",
                ofCell(
                        c -> c.row().cell(),
                        List.of(
                                Column.of(
                                        "runs",
                                        "",
                                        "runs",
                                        NumberStyle.COUNT,
                                        4,
                                        c -> c.row().runs()),
                                Column.of(
                                        "stage",
                                        "",
                                        "stage",
                                        NumberStyle.TEXT,
                                        8,
                                        c -> c.row().stage()),
                                Column.of(
                                        "figure", "", "figure", NumberStyle.TEXT, Column.ALWAYS, FigureOfCell::figure),
                                Column.of(
                                        "predicted",
                                        "",
                                        "predicted",
                                        NumberStyle.FINE,
                                        9,
                                        c -> c.values().predicted()),
                                Column.of(
                                        "measured",
                                        "",
                                        "measured",
                                        NumberStyle.FINE,
                                        Column.ALWAYS,
                                        c -> c.values().measured()),
                                Column.of(
                                        "error_percent",
                                        "%",
                                        "error",
                                        NumberStyle.RATE,
                                        Column.ALWAYS,
                                        c -> c.values().errorPercent()),
                                Column.of(
                                        "with_measured_acceptance",
                                        "",
                                        "B predicts",
                                        NumberStyle.FINE,
                                        6,
                                        FigureOfCell::stageB),
                                Column.of(
                                        "measured_interval",
                                        "",
                                        "interval of runs",
                                        NumberStyle.FINE,
                                        3,
                                        c -> c.values().measuredInterval()),
                                Column.of(
                                        "extrapolated",
                                        "",
                                        "extrapolated",
                                        NumberStyle.YES_NO,
                                        2,
                                        c -> c.row().extrapolated()),
                                Column.flat(
                                        "calibrated",
                                        "",
                                        NumberStyle.TEXT,
                                        c -> c.row().calibrated()))),
                rows,
                List.of(
                        "error: predicted / measured - 1; stage A: acceptance forced, C: full prediction; B predicts: with the"
                                + " acceptance that was measured"));
    }

    private Block.Table<StageRow> stages() {
        List<StageRow> rows = new ArrayList<>();
        report.stages().forEach((stage, figures) -> figures.forEach((f, e) -> rows.add(new StageRow(stage, f, e))));
        List<String> notes = new ArrayList<>();
        report.stages().keySet().forEach(s -> notes.add(s + ": " + STAGES.getOrDefault(s, s)));
        if (report.noiseFloorPercent() != null) {
            notes.add(String.format(
                    Locale.ROOT,
                    "noise floor: repeated runs of a cell differ by %.1f %% in the median",
                    report.noiseFloorPercent()));
        }
        return new Block.Table<>(
                "Errors by stage",
                List.of(
                        Column.of("stage", "", "stage", NumberStyle.TEXT, Column.ALWAYS, StageRow::stage),
                        Column.of("figure", "", "figure", NumberStyle.TEXT, Column.ALWAYS, StageRow::figure),
                        Column.of(
                                "n",
                                "",
                                "n",
                                NumberStyle.COUNT,
                                8,
                                r -> r.errors().n()),
                        Column.of(
                                "mean_absolute_percent",
                                "%",
                                "mean",
                                NumberStyle.RATE,
                                Column.ALWAYS,
                                r -> r.errors().meanAbsolutePercent()),
                        Column.of(
                                "median_absolute_percent",
                                "%",
                                "median",
                                NumberStyle.RATE,
                                8,
                                r -> r.errors().medianAbsolutePercent()),
                        Column.of(
                                "worst_percent",
                                "%",
                                "worst",
                                NumberStyle.RATE,
                                9,
                                r -> r.errors().worstPercent()),
                        Column.of(
                                "bias_percent",
                                "%",
                                "bias",
                                NumberStyle.RATE,
                                7,
                                r -> 100 * Math.expm1(r.errors().biasLogRatio())),
                        Column.of(
                                "kendall_tau_b",
                                "",
                                "tau-b",
                                NumberStyle.FINE,
                                5,
                                r -> r.errors().kendallTauB()),
                        Column.of(
                                "coverage",
                                "",
                                "coverage",
                                NumberStyle.PERCENT,
                                5,
                                r -> r.errors().coverage())),
                rows,
                notes);
    }

    private Block.Table<TermResidual> residuals() {
        List<String> notes = new ArrayList<>(List.of(
                "explains: mean absolute log error of throughput; missing: time per round, or per prompt token for"
                        + " prefill, that the prediction lacks"));
        report.residuals()
                .forEach(t -> notes.add(t.term().replace('_', ' ') + ": " + t.evidence() + " - " + t.advice()));
        return new Block.Table<>(
                "What explains the error",
                List.of(
                        Column.people(
                                "term",
                                "",
                                "term",
                                NumberStyle.TEXT,
                                Column.ALWAYS,
                                t -> t.term().replace('_', ' ')),
                        Column.flat("term", "", NumberStyle.TEXT, TermResidual::term),
                        Column.of("share", "", "explains", NumberStyle.PERCENT, Column.ALWAYS, TermResidual::share),
                        Column.of("ms", "ms", "missing", NumberStyle.FINE, Column.ALWAYS, TermResidual::ms),
                        Column.flat("evidence", "", NumberStyle.TEXT, TermResidual::evidence),
                        Column.flat("advice", "", NumberStyle.TEXT, TermResidual::advice)),
                report.residuals(),
                notes);
    }

    private Block.Table<SpeedupRow> speedups() {
        return new Block.Table<>(
                "Speed-up over autoregressive decoding",
                ofCell(
                        SpeedupRow::cell,
                        List.of(
                                Column.of("predicted", "", "predicted", NumberStyle.RATIO, 9, SpeedupRow::predicted),
                                Column.of("measured", "", "measured", NumberStyle.RATIO, 9, SpeedupRow::measured),
                                Column.of("same_sign", "", "same sign", NumberStyle.YES_NO, 8, SpeedupRow::sameSign))),
                report.speedups(),
                List.of());
    }

    private Block.Table<RankingRow> rankings() {
        return new Block.Table<>(
                "Ranking of methods",
                List.of(
                        Column.of(
                                "rivals", "", "tp/workload/load", NumberStyle.TEXT, Column.ALWAYS, RankingRow::rivals),
                        Column.of("arms", "", "arms", NumberStyle.COUNT, 7, RankingRow::arms),
                        Column.of("kendall_tau_b", "", "tau-b", NumberStyle.FINE, 7, RankingRow::kendallTauB),
                        Column.of(
                                "predicted_best", "", "predicted best", NumberStyle.TEXT, 9, RankingRow::predictedBest),
                        Column.of("measured_best", "", "measured best", NumberStyle.TEXT, 9, RankingRow::measuredBest),
                        Column.of("regret_percent", "%", "regret", NumberStyle.RATE, 9, RankingRow::regretPercent)),
                report.rankings(),
                List.of("regret: what following the prediction costs of the best throughput"));
    }

    private record VerdictRow(Row row, Equivalence equivalence) {}

    private Block.Table<VerdictRow> verdicts() {
        List<VerdictRow> rows = new ArrayList<>();
        report.rows().stream()
                .filter(r -> r.equivalence() != null)
                .forEach(r -> rows.add(new VerdictRow(r, r.equivalence())));
        return new Block.Table<>(
                "Equivalence over runs",
                ofCell(
                        v -> v.row().cell(),
                        List.of(
                                Column.of(
                                        "verdict",
                                        "",
                                        "verdict",
                                        NumberStyle.TEXT,
                                        Column.ALWAYS,
                                        v -> v.equivalence()
                                                .verdict()
                                                .toString()
                                                .toLowerCase(Locale.ROOT)),
                                Column.of(
                                        "runs",
                                        "",
                                        "starts",
                                        NumberStyle.COUNT,
                                        7,
                                        v -> v.equivalence().runs()),
                                Column.of(
                                        "band_percent",
                                        "%",
                                        "band",
                                        NumberStyle.RATE,
                                        6,
                                        v -> 100 * Math.expm1(v.equivalence().bandLog())),
                                Column.of(
                                        "p_value",
                                        "",
                                        "p",
                                        NumberStyle.FINE,
                                        5,
                                        v -> v.equivalence().pValue()),
                                Column.of(
                                        "reason",
                                        "",
                                        "because",
                                        NumberStyle.TEXT,
                                        8,
                                        v -> v.equivalence().reason()))),
                rows,
                List.of("two one-sided tests on the log ratio over starts of the server; requests are no replicates"));
    }

    private List<String> notes() {
        Set<String> all = new LinkedHashSet<>(report.warnings());
        report.rows().forEach(r -> all.addAll(r.notes()));
        return List.copyOf(all);
    }

    private List<String> server() {
        List<String> lines = new ArrayList<>();
        if (launch != null) {
            lines.add("launch line of the scenario: " + launch);
        }
        switches.forEach(s -> lines.add("to force acceptance: " + s));
        return lines;
    }
}
