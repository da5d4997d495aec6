package dev.foretoken.cli.live;

import dev.foretoken.calibration.host.LiveLoop.Report;
import dev.foretoken.calibration.host.LiveLoop.Row;
import dev.foretoken.report.chart.CalibrationCharts;
import dev.foretoken.report.chart.ComparisonCharts;
import dev.foretoken.report.chart.Pair;
import dev.foretoken.report.chart.Plot;
import dev.foretoken.sim.profile.Curve;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Charts of a loop. */
public final class LiveCharts {
    private LiveCharts() {}

    private static String group(Row x) {
        return switch (x.speculation().kind()) {
            case NGRAM -> "n-gram drafts";
            case DRAFT_MODEL -> "draft model";
            case NONE -> "plain decoding";
        };
    }

    private static List<Pair> pairs(List<Row> rows, ToDoubleFunction<Row> measured, ToDoubleFunction<Row> predicted) {
        return rows.stream()
                .map(x -> new Pair(
                        group(x),
                        measured.applyAsDouble(x),
                        predicted.applyAsDouble(x),
                        !x.predicted().calibrated()))
                .toList();
    }

    /** CPU seconds of every run. */
    public static Plot seconds(Report r) {
        List<Row> all = new ArrayList<>(r.rows());
        all.addAll(r.plain());
        return ComparisonCharts.predictedAgainstMeasured(
                String.format(
                        Locale.ROOT,
                        "llama.cpp on this CPU, %d speculative runs: median error %.1f %%, worst %.1f %%",
                        r.rows().size(),
                        100 * r.medianError(),
                        100 * r.worstError()),
                "CPU s",
                pairs(all, Row::measured, x -> x.predicted().cpuSeconds()));
    }

    /** Gains of speculation. */
    public static Plot gains(Report r) {
        return ComparisonCharts.gains(
                "Does speculation help? Predicted against measured",
                String.format(
                        Locale.ROOT,
                        "llama.cpp on this CPU: helps in %d runs, costs in %d, sign right in %d of %d outside noise",
                        r.wins(),
                        r.losses(),
                        r.signsRight(),
                        r.signsDecided()),
                "gain in CPU seconds over plain decoding (ratio)",
                Math.exp(r.noiseFloor()),
                pairs(r.rows(), Row::measuredGain, Row::predictedGain));
    }

    /** The calibrated curve of rounds. */
    public static Plot rounds(Report r) {
        Curve c = r.costs().costs().roundUs();
        List<Double> at = new ArrayList<>();
        List<Double> ms = new ArrayList<>();
        List<Double> low = new ArrayList<>();
        List<Double> high = new ArrayList<>();
        for (int i = 0; i < c.size(); i++) {
            at.add(c.at(i));
            ms.add(c.medianUs(i) / 1000);
            low.add(c.lowUs(i) / 1000);
            high.add(c.highUs(i) / 1000);
        }
        return CalibrationCharts.knots(
                "CPU time of a round of llama.cpp",
                String.format(
                        Locale.ROOT,
                        "SmolLM2-135M, one thread, %.0f tokens of context",
                        r.costs().costs().context()),
                List.of(new CalibrationCharts.Timing(
                        "target pass",
                        at,
                        ms,
                        low,
                        high,
                        Arrays.stream(c.stairs()).boxed().toList())));
    }
}
