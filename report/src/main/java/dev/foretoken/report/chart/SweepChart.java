package dev.foretoken.report.chart;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Predicted beside measured output of one server over concurrency: a line per method, its measurements as points. */
public final class SweepChart {
    /**
     * One measurement and its prediction.
     *
     * @param method line it belongs to
     * @param concurrency clients
     * @param measured tokens/s
     * @param predicted tokens/s
     * @param fitted whether a figure was fitted on it
     * @param extrapolated whether the prediction lies outside the knots
     */
    public record Sample(
            String method,
            double concurrency,
            double measured,
            double predicted,
            boolean fitted,
            boolean extrapolated) {}

    private SweepChart() {}

    /**
     * The chart.
     *
     * @param subtitle server and conditions
     * @param baseline measured autoregressive output by concurrency; empty for none
     * @param samples at least one
     */
    public static Plot of(String subtitle, Map<Double, Double> baseline, List<Sample> samples) {
        List<Double> loads = new ArrayList<>(baseline.keySet());
        List<Double> all = new ArrayList<>(baseline.values());
        Map<String, List<Sample>> lines = new LinkedHashMap<>();
        for (Sample s : samples) {
            loads.add(s.concurrency());
            all.add(s.measured());
            all.add(s.predicted());
            lines.computeIfAbsent(s.method(), k -> new ArrayList<>()).add(s);
        }
        double low = all.stream().mapToDouble(v -> v).min().orElseThrow();
        double high = all.stream().mapToDouble(v -> v).max().orElseThrow();
        Plot plot = Plot.of("Output against concurrency, predicted and measured", subtitle)
                .x("concurrency (clients)", Scale.Log.over(loads))
                .y("output (tok/s)", Scale.Log.around(low, high));
        if (!baseline.isEmpty()) {
            plot.curve(Curve.reference(
                    "autoregressive, measured", List.copyOf(baseline.keySet()), List.copyOf(baseline.values())));
        }
        int i = 0;
        for (Map.Entry<String, List<Sample>> e : lines.entrySet()) {
            List<Sample> line = e.getValue();
            plot.curve(Curve.line(
                    e.getKey() + ", predicted",
                    line.stream().map(Sample::concurrency).toList(),
                    line.stream().map(Sample::predicted).toList(),
                    Theme.kind(i),
                    -1));
            for (boolean beyond : new boolean[] {false, true}) {
                List<Sample> some =
                        line.stream().filter(s -> s.extrapolated() == beyond).toList();
                if (!some.isEmpty()) {
                    plot.curve(Curve.points(
                            "",
                            some.stream().map(Sample::concurrency).toList(),
                            some.stream().map(Sample::measured).toList(),
                            Theme.kind(i),
                            beyond ? Theme.CROSS : i % Theme.CROSS));
                }
            }
            line.stream().filter(Sample::fitted).forEach(s -> plot.beside(s.concurrency(), s.measured(), "fitted"));
            i++;
        }
        return plot.caption(
                "Lines: predicted. Marks: measured; crosses where the prediction lies beyond the server's sweep.");
    }
}
