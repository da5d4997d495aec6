package dev.foretoken.cli.live;

import dev.foretoken.calibration.fit.Residual;
import dev.foretoken.calibration.host.ForcedSpeculation.Kind;
import dev.foretoken.calibration.host.LiveLoop;
import dev.foretoken.calibration.host.LiveLoop.Report;
import dev.foretoken.calibration.host.LiveLoop.Row;
import dev.foretoken.calibration.host.RoundCosts;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.Column;
import dev.foretoken.report.table.NumberStyle;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A loop as tables, sentences and JSON. */
public final class LiveTables {
    /** Largest median error of a loop that counts as good. */
    public static final double TOLERANCE = 0.10;

    private LiveTables() {}

    /** Whether the predictions were good enough: median error within tolerance and every decided sign right. */
    public static boolean good(Report r) {
        return r.medianError() <= TOLERANCE && r.signsRight() == r.signsDecided();
    }

    /** Speculative runs. */
    public static Block.Table<Row> runs(Report r) {
        return new Block.Table<>(
                "Speculative runs, predicted before they were measured",
                List.of(
                        Column.of(
                                "setting",
                                "",
                                "setting",
                                NumberStyle.TEXT,
                                Column.ALWAYS,
                                x -> x.speculation().toString()),
                        Column.of(
                                "concurrency",
                                "",
                                "clients",
                                NumberStyle.COUNT,
                                Column.ALWAYS,
                                x -> x.load().concurrency()),
                        Column.of(
                                "most_rows",
                                "",
                                "rows",
                                NumberStyle.COUNT,
                                4,
                                x -> x.predicted().mostRows()),
                        Column.of(
                                "predicted_cpu_s",
                                "s",
                                "predicted",
                                NumberStyle.FINE,
                                Column.ALWAYS,
                                x -> x.predicted().cpuSeconds()),
                        Column.of(
                                "band",
                                "s",
                                "band",
                                NumberStyle.FINE,
                                7,
                                x -> List.of(x.predicted().low(), x.predicted().high())),
                        Column.of("measured_cpu_s", "s", "measured", NumberStyle.FINE, Column.ALWAYS, Row::measured),
                        Column.of("error", "", "error", NumberStyle.PERCENT, Column.ALWAYS, Row::error),
                        Column.of("wall_s", "s", "wall", NumberStyle.FINE, 6, Row::wallSeconds),
                        Column.of(
                                "predicted_gain",
                                "",
                                "predicted",
                                NumberStyle.RATIO,
                                Column.ALWAYS,
                                Row::predictedGain),
                        Column.of("measured_gain", "", "measured", NumberStyle.RATIO, Column.ALWAYS, Row::measuredGain),
                        Column.of("wall_gain", "", "by wall", NumberStyle.RATIO, 5, Row::wallGain),
                        Column.of("sign", "", "sign", NumberStyle.TEXT, Column.ALWAYS, x -> sign(x, r))),
                r.rows(),
                List.of(
                        "CPU seconds of the server's process, mean of the repeats; band: 5 to 95 % of what such a mean may"
                                + " be, costs, acceptance and noise drawn",
                        "gain: CPU seconds of plain decoding over those with speculation; above 1 speculation helps",
                        "sign: whether the prediction says rightly that speculation helps or not; noise where the measured"
                                + " gain is within the noise floor"));
    }

    private static String sign(Row x, Report r) {
        return !x.decided(r.noiseFloor()) ? "noise" : x.signRight() ? "right" : "WRONG";
    }

    /** Plain runs, which gains are relative to. */
    public static Block.Table<Row> plain(Report r) {
        return new Block.Table<>(
                "Plain decoding, predicted from the calibration's runs",
                List.of(
                        Column.of(
                                "concurrency",
                                "",
                                "clients",
                                NumberStyle.COUNT,
                                Column.ALWAYS,
                                x -> x.load().concurrency()),
                        Column.of(
                                "predicted_cpu_s",
                                "s",
                                "predicted",
                                NumberStyle.FINE,
                                Column.ALWAYS,
                                x -> x.predicted().cpuSeconds()),
                        Column.of("measured_cpu_s", "s", "measured", NumberStyle.FINE, Column.ALWAYS, Row::measured),
                        Column.of("error", "", "error", NumberStyle.PERCENT, Column.ALWAYS, Row::error),
                        Column.of("wall_s", "s", "wall", NumberStyle.FINE, Column.ALWAYS, Row::wallSeconds)),
                r.plain(),
                List.of());
    }

    /** Fit of the rounds. */
    public static Block.Table<Residual> residuals(Report r) {
        return new Block.Table<>(
                "Fit of the rounds",
                List.of(
                        Column.of("curve", "", "curve", NumberStyle.TEXT, Column.ALWAYS, Residual::curve),
                        Column.of("knots", "", "knots", NumberStyle.COUNT, 8, Residual::knots),
                        Column.of(
                                "median_residual",
                                "",
                                "median",
                                NumberStyle.PERCENT,
                                Column.ALWAYS,
                                Residual::medianResidual),
                        Column.of("worst_residual", "", "worst", NumberStyle.PERCENT, 9, Residual::worstResidual),
                        Column.of(
                                "held_out_error",
                                "",
                                "held out",
                                NumberStyle.PERCENT,
                                9,
                                x -> Double.isFinite(x.heldOutError()) ? x.heldOutError() : null)),
                r.costs().fit().residuals(),
                List.of());
    }

    /** What the loop says. */
    public static List<String> verdict(Report r) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "error in CPU seconds over %d runs: median %.1f %%, worst %.1f %%; %d of %d measurements inside their 5-95 %%"
                        + " band",
                r.rows().size(),
                100 * r.medianError(),
                100 * r.worstError(),
                r.inside(),
                r.rows().size()));
        lines.add(String.format(
                Locale.ROOT,
                "speculation helps in %d runs and costs in %d; the sign is predicted rightly in %d of these %d; %d more lie"
                        + " within the noise floor",
                r.wins(),
                r.losses(),
                r.signsRight(),
                r.signsDecided(),
                r.rows().size() - r.signsDecided()));
        lines.add(String.format(
                Locale.ROOT,
                "noise floor: one run repeats within %.1f %% (standard deviation, acceptance drawn anew each time; %.1f %% in"
                        + " the calibration, where no draft is accepted), so that gains from %.3f to %.3f say nothing",
                100 * r.noise(),
                100 * r.costs().noise(),
                Math.exp(-r.noiseFloor()),
                Math.exp(r.noiseFloor())));
        long beyond = r.rows().stream().filter(x -> !x.predicted().calibrated()).count();
        lines.add(
                beyond == 0
                        ? "every run lies inside the calibrated range"
                        : beyond + " runs lie outside the calibrated range: their predictions are extrapolated");
        return lines;
    }

    /** Calibrated costs. */
    public static List<String> costs(Report r) {
        RoundCosts c = r.costs().costs();
        List<String> lines = new ArrayList<>();
        StringBuilder rounds = new StringBuilder();
        for (int i = 0; i < c.roundUs().size(); i++) {
            rounds.append(i == 0 ? "" : ", ")
                    .append(String.format(
                            Locale.ROOT,
                            "%.0f: %.1f",
                            c.roundUs().at(i),
                            c.roundUs().medianUs(i) / 1000));
        }
        lines.add(String.format(
                Locale.ROOT, "a round by rows, ms of CPU at %.0f tokens of context: %s", c.context(), rounds));
        lines.add(String.format(Locale.ROOT, "a further token before a row: %.1f us", c.perCellUs()));
        lines.add(String.format(
                Locale.ROOT,
                "prompt of %.0f tokens and first token: %.0f ms, with the draft model %.0f ms",
                r.costs().promptTokens(),
                c.requestUs().get(Kind.NONE) / 1000,
                c.requestUs().get(Kind.DRAFT_MODEL) / 1000));
        c.perDraftUs()
                .forEach((sequences, us) -> lines.add(String.format(
                        Locale.ROOT,
                        "drafting for %d %s: %.1f ms per round and %.1f ms per position",
                        sequences,
                        sequences == 1 ? "request" : "requests",
                        c.perRoundUs().get(sequences) / 1000,
                        us / 1000)));
        return lines;
    }

    /** The loop for programs. */
    public static Map<String, Object> json(Report r, Map<String, Object> conditions) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("schema", "foretoken/live-cpu/1");
        root.put("conditions", conditions);
        root.put("median_error", r.medianError());
        root.put("worst_error", r.worstError());
        root.put("tolerance", TOLERANCE);
        root.put("good", good(r));
        root.put("noise", r.noise());
        root.put("calibration_noise", r.costs().noise());
        root.put("noise_floor", r.noiseFloor());
        root.put("wins", r.wins());
        root.put("losses", r.losses());
        root.put("signs_right", r.signsRight());
        root.put("signs_decided", r.signsDecided());
        root.put("inside_band", r.inside());
        root.put("rows", r.rows().stream().map(x -> row(x, r)).toList());
        root.put("plain", r.plain().stream().map(x -> row(x, r)).toList());
        root.put("costs", costs(r));
        return root;
    }

    private static Map<String, Object> row(LiveLoop.Row x, Report r) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("kind", x.speculation().kind().name().toLowerCase(Locale.ROOT));
        row.put("drafts", x.speculation().drafts());
        row.put("survival", x.speculation().survival());
        row.put("concurrency", x.load().concurrency());
        row.put("requests", x.load().requests());
        row.put("output_tokens", x.load().outputTokens());
        row.put("predicted_cpu_s", x.predicted().cpuSeconds());
        row.put("band", List.of(x.predicted().low(), x.predicted().high()));
        row.put("calibrated", x.predicted().calibrated());
        row.put("measured_cpu_s", x.measured());
        row.put("repeats", x.repeats());
        row.put("error", x.error());
        row.put("wall_s", x.wallSeconds());
        row.put("predicted_gain", x.predictedGain());
        row.put("measured_gain", x.measuredGain());
        row.put("wall_gain", x.wallGain());
        row.put("sign", sign(x, r));
        return row;
    }
}
