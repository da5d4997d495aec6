package dev.foretoken.report.chart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.report.SampleResults;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChartsTest {
    private static final List<Double> NONE = List.of();

    @Test
    void predictedAgainstMeasuredNamesEveryGroup() throws Exception {
        String svg = ComparisonCharts.predictedAgainstMeasured(
                        "two sources",
                        "tok/s",
                        List.of(
                                new Pair("first", 100, 104, false),
                                new Pair("first", 900, 870, true),
                                new Pair("second", 300, 310, false)))
                .svg("c");
        assertTrue(svg.contains(">first<") && svg.contains(">second<"));
        assertTrue(svg.contains("measured (tok/s)") && svg.contains("predicted (tok/s)"));
        assertThrows(IllegalArgumentException.class, () -> new Pair("x", 0, 1, false));
    }

    @Test
    void distributionAndTimelineLabelTheirLines() throws Exception {
        Map<String, double[]> runs = new LinkedHashMap<>();
        runs.put("c=8", new double[] {12, 19, 40, 33});
        runs.put("c=64", new double[] {80, 300, 120, 95});
        String svg = ComparisonCharts.distribution("Time to first token", "code", "time to first token (ms)", runs)
                .svg("c");
        assertTrue(svg.contains(">c=8<") && svg.contains(">c=64<"));
        String line = ComparisonCharts.timeline(
                        "code", new double[] {0, 1, 2}, new double[] {1, 2, 2}, new double[] {0, 0, 1})
                .svg("c");
        assertTrue(line.contains(">running<") && line.contains(">queued<"));
    }

    @Test
    void timingsAreNotJoinedAcrossAStair() throws Exception {
        CalibrationCharts.Timing stair = new CalibrationCharts.Timing(
                "gemm", List.of(1.0, 8.0, 9.0, 16.0), List.of(1.0, 1.1, 2.0, 2.1), NONE, NONE, List.of(8.0));
        CalibrationCharts.Timing plain =
                new CalibrationCharts.Timing("gemm", stair.rows(), stair.medianMs(), NONE, NONE, NONE);
        int joined = lines(CalibrationCharts.knots("t", "s", List.of(plain)).svg("c"));
        int broken = lines(CalibrationCharts.knots("t", "s", List.of(stair)).svg("c"));
        assertEquals(joined, broken, "one line less for the gap, one more for the mark of the stair");
        assertFalse(CalibrationCharts.knots("t", "s", List.of(plain)).svg("c").contains("Dashed verticals"));
    }

    private static int lines(String svg) {
        return svg.split("<line ", -1).length;
    }

    @Test
    void acceptanceChartsCarryObservedAndFitted() throws Exception {
        AcceptanceCharts.Observed seen = new AcceptanceCharts.Observed(
                List.of(1.0, 2.0), List.of(0.8, 0.5), List.of(0.7, 0.4), List.of(0.9, 0.6));
        assertTrue(AcceptanceCharts.survival("code", seen, List.of(0.79, 0.52, 0.3))
                .svg("c")
                .contains(">fitted<"));
        assertTrue(AcceptanceCharts.acceptLength("code", seen, seen).svg("c").contains(">observed<"));
        assertTrue(AcceptanceCharts.ranks("code", List.of(0.7, 0.2), List.of(0.72, 0.19))
                .svg("c")
                .contains(">rank<"));
    }

    @Test
    void simulationsAlsoShowFiguresAgainstLoad() {
        Result analytical = SampleResults.of("one", List.of("code"), List.of(1), List.of(8, 16));
        Result simulated = SampleResults.simulation(analytical);
        List<String> kinds = kinds(simulated);
        assertTrue(
                kinds.containsAll(List.of("output", "tpot", "ttft", "budget", "speedup", "pareto", "terms", "best")));
        assertFalse(kinds(analytical).contains("output"));
    }

    @Test
    void runsShowTheirDistributionAndQueueForSomeLoads() throws Exception {
        Result r = SampleResults.simulation(SampleResults.of("one", List.of("code"), List.of(1), List.of(8)));
        List<PointSeries> series = new ArrayList<>();
        for (int i = 0; i < r.points().size(); i++) {
            if (!r.points().get(i).method().equals("ddtree")) {
                series.add(new PointSeries(
                        i, List.of(100.0, 200.0, 900.0), 0.5, List.of(0.0, 3.0, 8.0), List.of(0.0, 0.0, 5.0)));
            }
        }
        List<ExploreCharts.Named> charts = ExploreCharts.of(r, series).stream()
                .filter(n ->
                        List.of("ttft-distribution", "queue").contains(n.name().get(0)))
                .toList();
        assertEquals(
                List.of("c=1", "c=1", "c=8", "c=8", "c=64", "c=64"),
                charts.stream().map(n -> n.name().get(n.name().size() - 1)).toList());
        String share = charts.get(0).plot().get().svg("d");
        assertTrue(share.contains(">time to first token (ms)<") && share.contains(">mtp3<"), share);
        String queue = charts.get(1).plot().get().svg("q");
        assertTrue(queue.contains(">time (s)<") && queue.contains("dashed: queued"), queue);
        assertEquals(List.of(), PointSeries.of(r.points(), List.of()));
    }

    private static List<String> kinds(Result r) {
        return ExploreCharts.of(r).stream().map(n -> n.name().get(0)).distinct().toList();
    }

    @Test
    void everyMethodKeepsItsColourInAllCharts() {
        List<Point> points =
                SampleResults.of("one", List.of("code"), List.of(1), List.of(8)).points();
        MethodColours colours = new MethodColours(points);
        assertEquals(Theme.BASELINE, colours.colour("ar"));
        assertFalse(colours.colour("mtp3").equals(colours.colour("ddtree")));
        assertEquals(new MethodColours(points.subList(7, points.size())).colour("ddtree"), colours.colour("ddtree"));
    }
}
