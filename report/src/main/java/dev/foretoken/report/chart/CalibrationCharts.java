package dev.foretoken.report.chart;

import java.util.ArrayList;
import java.util.List;

/** Measured times of a kernel or of rounds, with the fit. */
public final class CalibrationCharts {
    private CalibrationCharts() {}

    /**
     * One curve of a profile.
     *
     * @param name what was timed
     * @param rows knots, ascending
     * @param medianMs times at the knots, ms
     * @param lowMs lower ends of their intervals, empty for none
     * @param highMs upper ends
     * @param stairs rows after which the time jumps
     */
    public record Timing(
            String name,
            List<Double> rows,
            List<Double> medianMs,
            List<Double> lowMs,
            List<Double> highMs,
            List<Double> stairs) {}

    /** Knots with intervals, linear between them and never across a stair; dotted verticals mark stairs. */
    public static Plot knots(String title, String subtitle, List<Timing> timings) {
        List<Double> rows = new ArrayList<>();
        double low = Double.MAX_VALUE;
        double high = 0;
        for (Timing t : timings) {
            rows.addAll(t.rows());
            low = Math.min(low, t.medianMs().stream().mapToDouble(v -> v).min().orElse(low));
            high = Math.max(
                    high, t.medianMs().stream().mapToDouble(v -> v).max().orElse(high));
        }
        Scale time = high / low > 20 ? Scale.Log.around(low, high) : Scale.Linear.fromZero(high);
        double floor = time instanceof Scale.Log ? low / 1.1 : 0;
        Plot plot = Plot.of(title, subtitle)
                .x("rows (tokens per round)", Scale.Log.over(rows))
                .y("time (ms)", time);
        boolean stairs = false;
        for (int i = 0; i < timings.size(); i++) {
            Timing t = timings.get(i);
            for (double stair : t.stairs()) {
                plot.curve(Curve.reference("", List.of(stair, stair), List.of(floor, high)));
                stairs = true;
            }
            piecewise(plot, t, i);
        }
        return plot.caption("Marks: medians; band: their intervals." + (stairs ? " Dashed verticals: stairs." : ""));
    }

    /** The pieces of a curve between its stairs; the last one carries the name. */
    private static void piecewise(Plot plot, Timing t, int kind) {
        int from = 0;
        for (int i = 1; i <= t.rows().size(); i++) {
            boolean last = i == t.rows().size();
            double before = t.rows().get(i - 1);
            boolean cut = !last && stairBetween(t, before, t.rows().get(i));
            if (last || cut) {
                Curve c = Curve.line(
                        last ? t.name() : "",
                        t.rows().subList(from, i),
                        t.medianMs().subList(from, i),
                        Theme.kind(kind),
                        kind);
                plot.curve(
                        t.lowMs().isEmpty()
                                ? c
                                : c.within(
                                        t.lowMs().subList(from, i), t.highMs().subList(from, i)));
                from = i;
            }
        }
    }

    private static boolean stairBetween(Timing t, double before, double after) {
        return t.stairs().stream().anyMatch(s -> s >= before && s < after);
    }
}
