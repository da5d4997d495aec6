package dev.foretoken.report.table;

import dev.foretoken.sim.result.Point;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The better of points, as results rank them: closed loops by output per GPU, open loops by mean TPOT. */
public final class BestArms {
    private BestArms() {}

    /** Score of a point, higher is better; negative infinity when it has no figure to rank by. */
    public static double score(Point p) {
        if (!p.feasible()) {
            return Double.NEGATIVE_INFINITY;
        }
        if (p.load().concurrency() != null) {
            return p.outputTokSPerGpu() == null ? Double.NEGATIVE_INFINITY : p.outputTokSPerGpu();
        }
        return p.tpotMs() == null || p.tpotMs().mean() == null
                ? Double.NEGATIVE_INFINITY
                : 1 / p.tpotMs().mean();
    }

    /** The best point per key, keys in the order in which they first occur; points that share a best score keep the first. */
    public static <K> Map<K, Point> by(Collection<Point> points, Function<Point, K> key) {
        Map<K, Point> best = new LinkedHashMap<>();
        for (Point p : points) {
            best.merge(key.apply(p), p, (a, b) -> score(b) > score(a) ? b : a);
        }
        return best;
    }

    private record MethodCell(
            Map<String, String> variant, int tp, String workload, Point.LoadPoint load, String method) {}

    private record Cell(Map<String, String> variant, String workload, Point.LoadPoint load) {}

    /** The best arm of each method per variant, TP, workload and load. */
    public static List<Point> perMethod(List<Point> points) {
        return List.copyOf(by(points, p -> new MethodCell(p.variant(), p.tp(), p.workload(), p.load(), p.method()))
                .values());
    }

    /** The best arm per variant, workload and load, whatever its method and TP. */
    public static List<Point> perLoad(List<Point> points) {
        return List.copyOf(
                by(points, p -> new Cell(p.variant(), p.workload(), p.load())).values());
    }
}
