package dev.foretoken.report;

import dev.foretoken.sim.result.Best;
import dev.foretoken.sim.result.Crossover;
import dev.foretoken.sim.result.Goodput;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.result.Switch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Results of a made-up server for tests: a round takes a fixed time plus a share per row, budgets saturate. */
public final class SampleResults {
    private static final int[] CONCURRENCY = {1, 2, 4, 8, 16, 32, 64};

    private SampleResults() {}

    /** The same result as if a simulation had given it. */
    public static Result simulation(Result r) {
        return new Result(
                r.schema(),
                r.version(),
                r.scenario(),
                r.scenarioHash(),
                r.seed(),
                Result.SIMULATION,
                r.points(),
                r.best(),
                r.switchTable(),
                r.crossovers(),
                r.goodput(),
                r.layouts(),
                r.basis(),
                r.warnings());
    }

    /** The grid of {@code workloads} with the given budgets of one tree method beside plain decoding and a chain. */
    public static Result of(String scenario, List<String> workloads, List<Integer> tps, List<Integer> budgets) {
        List<Point> points = new ArrayList<>();
        for (int tp : tps) {
            for (String workload : workloads) {
                for (int c : CONCURRENCY) {
                    points.add(point("ar", "autoregressive", null, null, null, workload, tp, c, 1, 1));
                }
                for (int c : CONCURRENCY) {
                    points.add(point("mtp3", "mtp", null, null, 3, workload, tp, c, 4, 2.4));
                }
                for (int budget : budgets) {
                    for (int k : new int[] {4, 8}) {
                        for (int c : CONCURRENCY) {
                            double accept = 1 + 3.4 * (1 - Math.exp(-budget / 18.0)) + 0.05 * k / 8;
                            int width = Math.max(16, budget + 1);
                            points.add(point("ddtree", "ddtree", budget, k, null, workload, tp, c, width, accept));
                        }
                    }
                }
            }
        }
        List<Best> best = List.of(new Best(
                null,
                workloads.get(0),
                closed(1),
                1,
                "ddtree",
                32,
                8,
                null,
                151.3,
                151.3,
                2.87,
                0.21,
                "mtp3",
                List.of(22, 64),
                true,
                0.004,
                false,
                List.of(),
                "--speculative-algorithm DDTREE --speculative-num-draft-tokens 33"));
        List<Switch> table = List.of(
                new Switch(null, workloads.get(0), 1, 1, "ddtree", 32, 8, null),
                new Switch(null, workloads.get(0), 64, 1, "mtp3", null, null, 3));
        return new Result(
                Result.SCHEMA,
                "0.1.0",
                scenario,
                "c0ffee0123456789c0ffee0123456789c0ffee0123456789c0ffee0123456789",
                1,
                Result.ANALYTICAL,
                points,
                best,
                table,
                List.of(new Crossover(null, workloads.get(0), 1, "ddtree", 23.7, "stops paying at about c=24")),
                List.of(new Goodput(null, workloads.get(0), 1, "ddtree", "closed", closed(8), 16, 812.25)),
                List.of(),
                List.of("acceptance of ddtree on code: accept_length_by_budget {8: 3.1, 64: 3.7} (a.yaml:12)"),
                List.of("fixed think times are treated as exponential ones of the same mean"));
    }

    /** A closed load. */
    public static Point.LoadPoint closed(int concurrency) {
        return new Point.LoadPoint("closed", concurrency, null, null, null);
    }

    /** One point of the made-up server. */
    public static Point point(
            String method,
            String kind,
            Integer budget,
            Integer topK,
            Integer drafts,
            String workload,
            int tp,
            int c,
            int width,
            double accept) {
        double arMs = (18 + 0.12 * c) / tp + 2;
        double verify = (18 + 0.12 * Math.max(c * width, 0.7 * (c * width - 40))) / tp + 2;
        double draft = width == 1 ? 0 : 2.5;
        double roundMs = verify + draft;
        double rate = c * accept / roundMs * 1000;
        boolean spread = method.equals("ddtree");
        return new Point(
                null,
                tp,
                method,
                kind,
                budget,
                topK,
                drafts,
                null,
                workload,
                closed(c),
                true,
                null,
                rate,
                rate / c,
                rate / tp,
                rate / 512,
                rate / (c / arMs * 1000),
                accept,
                511 / accept,
                roundMs,
                (double) c * width,
                (double) c,
                Point.Stat.mean(40 + c),
                Point.Stat.mean(roundMs / accept),
                null,
                Point.Stat.mean(511 * roundMs / accept + 40),
                width == 1
                        ? Map.of("target", verify)
                        : new java.util.TreeMap<>(Map.of("target", verify, "draft", draft)),
                null,
                null,
                null,
                null,
                null,
                width == 1 ? null : accept * arMs / roundMs,
                spread ? new Point.Interval("band", List.of(rate * 0.93, rate * 1.05)) : null,
                Point.CALIBRATED_BLACK_BOX,
                c * width > 512,
                spread ? List.of("depth shape assumed truncated geometric") : List.of());
    }
}
