package dev.foretoken.report.chart;

import dev.foretoken.report.table.BestArms;
import dev.foretoken.sim.explore.SimulatedGrid.Simulated;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.serving.RunSeries;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * What the simulation of a point saw, for charts.
 *
 * @param point index of the point in the result
 * @param ttftMs time to first token at 0, 1, ... 100 percent of the requests, ms
 * @param intervalS length of an interval of the next two, s
 * @param running resident requests, mean per interval
 * @param queued requests in the queue, mean per interval
 */
public record PointSeries(int point, List<Double> ttftMs, double intervalS, List<Double> running, List<Double> queued) {
    public PointSeries {
        ttftMs = List.copyOf(ttftMs);
        running = List.copyOf(running);
        queued = List.copyOf(queued);
    }

    /**
     * Series of what charts show: the best arm of each method per variant, TP, workload and load.
     *
     * @param points of the result
     * @param simulated the runs behind them
     */
    public static List<PointSeries> of(List<Point> points, List<Simulated> simulated) {
        Set<Point> shown = Collections.newSetFromMap(new IdentityHashMap<>());
        shown.addAll(BestArms.perMethod(points));
        IdentityHashMap<Point, Integer> index = new IdentityHashMap<>();
        for (int i = 0; i < points.size(); i++) {
            index.put(points.get(i), i);
        }
        List<PointSeries> series = new ArrayList<>();
        for (Simulated s : simulated) {
            RunSeries run = s.run().series();
            if (run != null && shown.contains(s.point())) {
                series.add(new PointSeries(
                        index.get(s.point()), run.ttftMs(), run.intervalS(), run.running(), run.queued()));
            }
        }
        return series;
    }
}
