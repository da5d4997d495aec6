package dev.foretoken.report.chart;

import java.util.ArrayList;
import java.util.List;

/** What was observed of acceptance beside what a law says. */
public final class AcceptanceCharts {
    private AcceptanceCharts() {}

    /**
     * Figures over an integer such as depth or budget, with an interval each.
     *
     * @param at ascending
     * @param value same length
     * @param low lower ends, empty for none
     * @param high upper ends
     */
    public record Observed(List<Double> at, List<Double> value, List<Double> low, List<Double> high) {}

    /** Share of rounds in which the first d drafts are all accepted, observed and as fitted. */
    public static Plot survival(String subtitle, Observed observed, List<Double> fitted) {
        List<Double> depth = new ArrayList<>();
        for (int d = 1; d <= fitted.size(); d++) {
            depth.add((double) d);
        }
        double end = Math.max(fitted.size(), observed.at().get(observed.at().size() - 1));
        return Plot.of("Survival of drafts by depth", subtitle)
                .x("depth d (drafts)", new Scale.Linear(0.5, end + 0.5))
                .y("share of rounds that accept at least d drafts", new Scale.Linear(0, 1.02))
                .curve(line("fitted", depth, fitted))
                .curve(points("observed", observed))
                .caption("Band: interval of the observed shares.");
    }

    /** Mean tokens per round against budget: a law within its band, and what was observed. */
    public static Plot acceptLength(String subtitle, Observed law, Observed observed) {
        List<Double> budgets = new ArrayList<>(law.at());
        budgets.addAll(observed.at());
        double most = 1;
        for (Observed o : List.of(law, observed)) {
            most = Math.max(most, o.value().stream().mapToDouble(v -> v).max().orElse(1));
            most = Math.max(most, o.high().stream().mapToDouble(v -> v).max().orElse(1));
        }
        Plot plot = Plot.of("Accept length against draft budget", subtitle)
                .x("budget (draft nodes per request)", Scale.Log.over(budgets))
                .y("accept length (tokens per round)", new Scale.Linear(1, most * 1.05))
                .curve(line("law", law.at(), law.value()).within(law.low(), law.high()))
                .caption("Band of the law: interval of the fit, and the whole range of what the data leave open.");
        return observed.at().isEmpty() ? plot : plot.curve(points("observed", observed));
    }

    /**
     * How often the target's token has rank 1, 2, ... among the drafter's candidates.
     *
     * @param observed shares by rank
     * @param fitted shares by rank, same length
     */
    public static Plot ranks(String subtitle, List<Double> observed, List<Double> fitted) {
        List<String> names = new ArrayList<>();
        double most = 0;
        for (int r = 0; r < observed.size(); r++) {
            names.add(Integer.toString(r + 1));
            most = Math.max(most, Math.max(observed.get(r), fitted.get(r)));
        }
        Plot plot = Plot.of("Rank of the target's token among the drafter's candidates", subtitle)
                .x("rank", new Scale.Categories(names))
                .y("share of positions", Scale.Linear.fromZero(most))
                .key("observed", Theme.kind(0))
                .key("fitted", Theme.kind(1));
        for (int r = 0; r < observed.size(); r++) {
            plot.box(r - 0.38, r - 0.02, 0, observed.get(r), Theme.kind(0));
            plot.box(r + 0.02, r + 0.38, 0, fitted.get(r), Theme.kind(1));
        }
        return plot;
    }

    private static Curve line(String name, List<Double> x, List<Double> y) {
        return new Curve(name, x, y, List.of(), List.of(), Theme.kind(1), -1, true, false);
    }

    private static Curve points(String name, Observed o) {
        Curve curve = Curve.points(name, o.at(), o.value(), Theme.kind(0), 0);
        return o.low().isEmpty() ? curve : curve.within(o.low(), o.high());
    }
}
