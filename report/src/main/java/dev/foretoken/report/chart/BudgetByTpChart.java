package dev.foretoken.report.chart;

import dev.foretoken.report.table.BestArms;
import dev.foretoken.sim.result.Point;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Output against budget with a line per TP, for one method, workload and concurrency: the best budget moves with TP. */
public final class BudgetByTpChart {
    private BudgetByTpChart() {}

    /**
     * The chart.
     *
     * @param subtitle method, workload and load
     * @param points of one method, workload and closed-loop concurrency, with budgets, at least one feasible
     */
    public static Plot of(String subtitle, List<Point> points) {
        Map<Integer, List<Point>> byTp = points.stream()
                .filter(p -> p.feasible() && p.budget() != null)
                .collect(Collectors.groupingBy(Point::tp, TreeMap::new, Collectors.toList()));
        List<Double> budgets = byTp.values().stream()
                .flatMap(List::stream)
                .map(p -> (double) p.budget())
                .toList();
        List<Curve> curves = new ArrayList<>();
        List<Curve> bests = new ArrayList<>();
        double top = 0;
        int i = 0;
        for (Map.Entry<Integer, List<Point>> e : byTp.entrySet()) {
            Map<Double, Point> line = new TreeMap<>(BestArms.by(e.getValue(), p -> (double) p.budget()));
            List<Double> x = List.copyOf(line.keySet());
            List<Double> y = line.values().stream().map(Point::outputTokS).toList();
            List<Double> low = line.values().stream().map(p -> end(p, 0)).toList();
            List<Double> high = line.values().stream().map(p -> end(p, 1)).toList();
            curves.add(Curve.line("TP " + e.getKey(), x, y, Theme.kind(i), i).within(low, high));
            Map.Entry<Double, Point> best = line.entrySet().stream()
                    .max(Comparator.comparingDouble(p -> p.getValue().outputTokS()))
                    .orElseThrow();
            bests.add(Curve.points(
                    "", List.of(best.getKey()), List.of(best.getValue().outputTokS()), Theme.INK, 0));
            top = Math.max(top, high.stream().mapToDouble(v -> v).max().orElse(1));
            i++;
        }
        Plot plot = Plot.of("Output against budget by TP", subtitle)
                .x("budget (draft nodes per request)", Scale.Log.over(budgets))
                .y("output (tok/s per replica)", Scale.Linear.fromZero(top));
        curves.forEach(plot::curve);
        bests.forEach(plot::curve);
        return plot.caption(
                "Black dot: the best of its line. Each point takes its best top-k. Band: what the acceptance leaves open.");
    }

    private static double end(Point p, int which) {
        return p.interval() == null ? p.outputTokS() : p.interval().outputTokS().get(which);
    }
}
