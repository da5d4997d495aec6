package dev.foretoken.cli.demo;

import dev.foretoken.formats.cases.MeasuredCase;
import dev.foretoken.report.OutputFiles;
import dev.foretoken.report.chart.BudgetByTpChart;
import dev.foretoken.report.chart.ExploreCharts;
import dev.foretoken.report.chart.Plot;
import dev.foretoken.report.chart.SweepChart;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** Charts of the demo: each server's sweep, and of the founding case what shows why the best choice moves. */
public final class DemoCharts {
    private static final String WORKLOAD = "code";
    private static final String TREE = "ddtree";
    private static final List<Integer> LOADS = List.of(1, 8);

    /** Charts of explore that the demo draws, by the first parts of their names. */
    private static final Set<List<String>> DRAWN = Set.of(
            List.of("terms", WORKLOAD, "tp1"),
            List.of("terms", WORKLOAD, "tp8"),
            List.of("speedup", WORKLOAD, "tp1"),
            List.of("speedup", WORKLOAD, "tp8"),
            List.of("speedup", "chat", "tp1"),
            List.of("best"));

    private record Named(List<String> name, Supplier<Plot> plot) {}

    private DemoCharts() {}

    /** Number of charts. */
    public static int count(DemoReport report, Result grid) {
        return all(report, grid).size();
    }

    /**
     * Writes every chart as PNG and SVG.
     *
     * @param grid result of the founding case
     * @param progress told the number of charts written so far
     * @return the charts by name, two files each
     */
    public static Map<String, Plot> write(DemoReport report, Result grid, Path folder, LongConsumer progress)
            throws IOException {
        OutputFiles files = new OutputFiles(folder);
        Map<String, Plot> written = new LinkedHashMap<>();
        for (Named chart : all(report, grid)) {
            Plot plot = chart.plot().get();
            plot.write(files, files.stem(chart.name().toArray(String[]::new)));
            written.put(String.join(" ", chart.name()), plot);
            progress.accept(written.size());
        }
        return written;
    }

    private static List<Named> all(DemoReport report, Result grid) {
        List<Named> charts = new ArrayList<>();
        List<MeasuredCase> measured = DemoFiles.measured();
        for (ServerSweep s : report.servers()) {
            charts.add(new Named(List.of("server", s.id()), () -> sweep(s, measured)));
        }
        for (int c : LOADS) {
            List<Point> points = grid.points().stream()
                    .filter(p -> p.method().equals(TREE)
                            && p.workload().equals(WORKLOAD)
                            && p.feasible()
                            && p.load().concurrency() == c)
                    .toList();
            charts.add(new Named(
                    List.of("founding", "budget-by-tp", "c" + c),
                    () -> BudgetByTpChart.of(
                            TREE + " · workload " + WORKLOAD + " · c=" + c + " · " + grid.scenario(), points)));
        }
        for (ExploreCharts.Named chart : ExploreCharts.of(grid)) {
            if (DRAWN.contains(chart.name())) {
                List<String> name = new ArrayList<>(List.of("founding"));
                name.addAll(chart.name());
                charts.add(new Named(name, chart.plot()));
            }
        }
        return charts;
    }

    private static Plot sweep(ServerSweep s, List<MeasuredCase> measured) {
        Map<Double, Double> baseline = new TreeMap<>();
        String group = ServerSweep.SERVERS.stream()
                .filter(x -> x.id().equals(s.id()))
                .map(ServerSweep.Server::group)
                .findFirst()
                .orElseThrow();
        for (MeasuredCase c : measured) {
            if (c.sourceGroup().equals(group) && c.method().equals("AR")) {
                baseline.put((double) c.concurrency(), c.value().lo());
            }
        }
        return SweepChart.of(
                s.name(),
                baseline,
                s.comparisons().stream()
                        .filter(c -> c.use() != ServerSweep.Use.NOT_COMPARABLE)
                        .map(c -> new SweepChart.Sample(
                                c.method(),
                                c.concurrency(),
                                c.measuredTokS(),
                                c.predictedTokS(),
                                c.use() == ServerSweep.Use.IN_SAMPLE,
                                c.use() == ServerSweep.Use.EXTRAPOLATED))
                        .toList());
    }
}
