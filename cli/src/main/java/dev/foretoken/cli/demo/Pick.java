package dev.foretoken.cli.demo;

import dev.foretoken.report.table.BestArms;
import dev.foretoken.sim.result.Best;
import dev.foretoken.sim.result.Point;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The best arm of one workload, TP and concurrency.
 *
 * @param workload workload id
 * @param tp cards per replica
 * @param concurrency clients of the replica
 * @param method best method
 * @param budget its budget, null without one
 * @param topK its top-k, null without one
 * @param draftTokens drafts per round where no budget says it
 * @param outputTokS its output, tokens/s of the replica
 * @param band output over what the acceptance leaves open; null where its figure has no interval
 * @param speedupVsAr against autoregressive decoding
 * @param runnerUp best other method
 * @param margin advantage over it
 * @param sure as in {@link Best}
 * @param residentRequests mean requests in the batch, fewer than the clients where memory is short
 * @param boundBy what limits it
 * @param extrapolated whether a curve was used outside its knots
 */
record Pick(
        String workload,
        int tp,
        int concurrency,
        String method,
        Integer budget,
        Integer topK,
        Integer draftTokens,
        double outputTokS,
        List<Double> band,
        Double speedupVsAr,
        String runnerUp,
        Double margin,
        Boolean sure,
        Double residentRequests,
        String boundBy,
        boolean extrapolated) {

    private record Cell(String workload, int tp, int concurrency) {}

    /** The best arm per cell, workloads in their order, then TP, then concurrency. */
    static List<Pick> of(List<Point> points) {
        Map<Cell, List<Point>> cells = points.stream()
                .filter(p -> p.feasible() && p.load().concurrency() != null)
                .collect(Collectors.groupingBy(
                        p -> new Cell(p.workload(), p.tp(), p.load().concurrency()),
                        LinkedHashMap::new,
                        Collectors.toList()));
        Map<String, Integer> order = new LinkedHashMap<>();
        points.forEach(p -> order.putIfAbsent(p.workload(), order.size()));
        List<Pick> picks = new ArrayList<>();
        cells.forEach((cell, arms) -> picks.add(of(cell, arms)));
        picks.sort(Comparator.comparingInt((Pick p) -> order.get(p.workload()))
                .thenComparingInt(Pick::tp)
                .thenComparingInt(Pick::concurrency));
        return List.copyOf(picks);
    }

    private static Pick of(Cell cell, List<Point> arms) {
        List<Point> ranked = BestArms.by(arms, Point::method).values().stream()
                .sorted(Comparator.comparingDouble(BestArms::score).reversed())
                .toList();
        Point top = ranked.get(0);
        Point rival = ranked.size() > 1 ? ranked.get(1) : null;
        return new Pick(
                cell.workload(),
                cell.tp(),
                cell.concurrency(),
                top.method(),
                top.budget(),
                top.topK(),
                top.budget() == null ? top.draftTokens() : null,
                top.outputTokS(),
                top.interval() == null ? null : top.interval().outputTokS(),
                top.speedupVsAr(),
                rival == null ? null : rival.method(),
                rival == null ? null : top.outputTokS() / rival.outputTokS() - 1,
                rival == null ? null : sure(top, rival),
                top.residentRequests(),
                top.boundBy(),
                Boolean.TRUE.equals(top.extrapolated()));
    }

    /** The rule of {@link Best#sure}. */
    private static boolean sure(Point top, Point rival) {
        return !Boolean.TRUE.equals(top.extrapolated())
                && !Boolean.TRUE.equals(rival.extrapolated())
                && top.outputTokS()
                        >= (1
                                        + Math.max(
                                                Best.leastSureMargin(top.calibrated()),
                                                Best.leastSureMargin(rival.calibrated())))
                                * rival.outputTokS()
                && end(top, p -> p.get(0)) > end(rival, p -> p.get(1));
    }

    private static double end(Point p, Function<List<Double>, Double> which) {
        return p.interval() == null ? p.outputTokS() : which.apply(p.interval().outputTokS());
    }

    /** Method with its size, such as ddtree 32/8 (budget/top-k) or mtp 3. */
    String arm() {
        String size = budget != null
                ? " " + budget + (topK == null ? "" : "/" + topK)
                : draftTokens == null ? "" : " " + draftTokens + (topK == null || topK == 1 ? "" : "/" + topK);
        return method + size;
    }
}
