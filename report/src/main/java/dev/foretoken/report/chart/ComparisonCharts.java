package dev.foretoken.report.chart;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Predictions beside measurements, and what a simulation saw. */
public final class ComparisonCharts {
    private ComparisonCharts() {}

    /**
     * Predicted against measured on equal logarithmic axes: the diagonal is a perfect prediction, the band 10 % around it.
     * Extrapolated predictions are crosses.
     *
     * @param unit of both, such as tok/s
     */
    public static Plot predictedAgainstMeasured(String subtitle, String unit, List<Pair> pairs) {
        double low = Double.MAX_VALUE;
        double high = 0;
        Map<String, List<Pair>> groups = new LinkedHashMap<>();
        for (Pair p : pairs) {
            low = Math.min(low, Math.min(p.measured(), p.predicted()));
            high = Math.max(high, Math.max(p.measured(), p.predicted()));
            groups.computeIfAbsent(p.group(), k -> new ArrayList<>()).add(p);
        }
        Scale scale = Scale.Log.around(low / 1.1, high * 1.1);
        Plot plot = Plot.of("Predicted against measured", subtitle)
                .x("measured (" + unit + ")", scale)
                .y("predicted (" + unit + ")", scale)
                .caption(
                        "Dashed: perfect prediction; grey: within 10 %. Crosses: predicted outside the knots of a curve.")
                .area(
                        List.of(low, high, high, low),
                        List.of(low * 0.9, high * 0.9, high * 1.1, low * 1.1),
                        Theme.band(Theme.BASELINE))
                .curve(Curve.reference("", List.of(low, high), List.of(low, high)));
        int i = 0;
        for (Map.Entry<String, List<Pair>> g : groups.entrySet()) {
            plot.key(g.getKey(), Theme.kind(i));
            for (boolean beyond : new boolean[] {false, true}) {
                List<Pair> some = g.getValue().stream()
                        .filter(p -> p.extrapolated() == beyond)
                        .toList();
                if (!some.isEmpty()) {
                    plot.curve(Curve.points(
                            "",
                            some.stream().map(Pair::measured).toList(),
                            some.stream().map(Pair::predicted).toList(),
                            Theme.kind(i),
                            beyond ? Theme.CROSS : i % Theme.CROSS));
                }
            }
            i++;
        }
        return plot;
    }

    /**
     * Predicted against measured gains on equal logarithmic axes, 1 in the middle of the sign: right of 1 it helps, above 1 it
     * was predicted to. The two shaded quadrants are wrong signs, the grey strip is what noise alone may measure.
     *
     * @param floor gains from 1/floor to floor are within noise, above 1
     */
    public static Plot gains(String title, String subtitle, String what, double floor, List<Pair> pairs) {
        double low = 1 / floor;
        double high = floor;
        Map<String, List<Pair>> groups = new LinkedHashMap<>();
        for (Pair p : pairs) {
            low = Math.min(low, Math.min(p.measured(), p.predicted()));
            high = Math.max(high, Math.max(p.measured(), p.predicted()));
            groups.computeIfAbsent(p.group(), k -> new ArrayList<>()).add(p);
        }
        Scale.Log scale = Scale.Log.around(low / 1.1, high * 1.1);
        low = scale.min();
        high = scale.max();
        Plot plot = Plot.of(title, subtitle)
                .x("measured " + what, scale)
                .y("predicted " + what, scale)
                .caption("Dashed: perfect prediction, and 1 (no gain). Shaded: wrong sign. Grey strip: within noise.")
                .box(low, 1, 1, high, Theme.band(Theme.kind(1)))
                .box(1, high, low, 1, Theme.band(Theme.kind(1)))
                .box(1 / floor, floor, low, high, Theme.band(Theme.BASELINE))
                .curve(Curve.reference("", List.of(low, high), List.of(low, high)))
                .curve(Curve.reference("", List.of(1.0, 1.0), List.of(low, high)))
                .curve(Curve.reference("", List.of(low, high), List.of(1.0, 1.0)));
        int i = 0;
        for (Map.Entry<String, List<Pair>> g : groups.entrySet()) {
            plot.key(g.getKey(), Theme.kind(i == 1 ? 2 : i))
                    .curve(Curve.points(
                            "",
                            g.getValue().stream().map(Pair::measured).toList(),
                            g.getValue().stream().map(Pair::predicted).toList(),
                            Theme.kind(i == 1 ? 2 : i),
                            i % Theme.CROSS));
            i++;
        }
        return plot;
    }

    /**
     * Shares of requests at or below a time, one line per run.
     *
     * @param what such as "time to first token (ms)"
     * @param samplesByRun at least one above 0 per run
     */
    public static Plot distribution(String title, String subtitle, String what, Map<String, double[]> samplesByRun) {
        List<Curve> curves = new ArrayList<>();
        double low = Double.MAX_VALUE;
        double high = 0;
        int i = 0;
        for (Map.Entry<String, double[]> run : samplesByRun.entrySet()) {
            double[] sorted = run.getValue().clone();
            java.util.Arrays.sort(sorted);
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            int steps = Math.min(sorted.length, 200);
            for (int k = 1; k <= steps; k++) {
                int rank = (int) Math.round((double) k * sorted.length / steps);
                x.add(sorted[rank - 1]);
                y.add((double) rank / sorted.length);
            }
            low = Math.min(low, sorted[0]);
            high = Math.max(high, sorted[sorted.length - 1]);
            curves.add(new Curve(
                    run.getKey(), x, y, List.of(), List.of(), Theme.ordered(i, samplesByRun.size()), -1, true, false));
            i++;
        }
        Scale scale = low > 0 && high / low > 4 ? Scale.Log.around(low, high) : Scale.Linear.fromZero(high);
        Plot plot =
                Plot.of(title, subtitle).x(what, scale).y("share of requests at or below", new Scale.Linear(0, 1.02));
        curves.forEach(plot::curve);
        return plot;
    }

    /**
     * Requests in the batch and in the queue over time; a value holds until the next time.
     *
     * @param timeS ascending, s
     */
    public static Plot timeline(String subtitle, double[] timeS, double[] running, double[] queued) {
        double most = 1;
        for (int i = 0; i < timeS.length; i++) {
            most = Math.max(most, Math.max(running[i], queued[i]));
        }
        return Plot.of("Running and queued requests over time", subtitle)
                .x("time (s)", new Scale.Linear(timeS[0], timeS[timeS.length - 1]))
                .y("requests", Scale.Linear.fromZero(most))
                .curve(steps("running", timeS, running, 0))
                .curve(steps("queued", timeS, queued, 1));
    }

    private static Curve steps(String name, double[] time, double[] values, int kind) {
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (int i = 0; i < time.length; i++) {
            if (i > 0) {
                x.add(time[i]);
                y.add(values[i - 1]);
            }
            x.add(time[i]);
            y.add(values[i]);
        }
        return new Curve(name, x, y, List.of(), List.of(), Theme.kind(kind), -1, true, false);
    }
}
