package dev.foretoken.report.chart;

import dev.foretoken.report.Evenly;
import dev.foretoken.report.table.BestArms;
import dev.foretoken.report.table.NumberStyle;
import dev.foretoken.sim.result.Point;
import java.awt.Color;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The best arm of each workload, TP and concurrency as a map: colour says the method, text its size and speed-up. */
final class BestMap {
    private static final int MOST_ROWS = 22;
    private static final int MOST_COLUMNS = 10;

    private final Map<Cell, Point> best;
    private final List<Row> rows;
    private final int left;
    private final List<Integer> columns;
    private final MethodColours colours;

    private record Row(String workload, int tp) {}

    private record Cell(Row row, int concurrency) {}

    BestMap(List<Point> points, MethodColours colours) {
        this.colours = colours;
        best = BestArms.by(
                points, p -> new Cell(new Row(p.workload(), p.tp()), p.load().concurrency()));
        List<String> workloads = points.stream().map(Point::workload).distinct().toList();
        List<Row> places = best.keySet().stream()
                .map(Cell::row)
                .distinct()
                .sorted(Comparator.comparingInt((Row r) -> workloads.indexOf(r.workload()))
                        .thenComparingInt(Row::tp))
                .toList();
        rows = places.subList(0, Math.min(MOST_ROWS, places.size()));
        left = places.size() - rows.size();
        List<Integer> all = List.copyOf(
                new TreeSet<>(best.keySet().stream().map(Cell::concurrency).toList()));
        columns = Evenly.pick(all, MOST_COLUMNS);
    }

    /** True when there is something to compare. */
    boolean worthwhile() {
        return columns.size() > 1;
    }

    Plot plot(String subtitle) {
        List<String> names = new ArrayList<>();
        for (int r = rows.size() - 1; r >= 0; r--) {
            names.add(rows.get(r).workload() + "  TP " + rows.get(r).tp());
        }
        Plot plot = Plot.of("Best method and budget by concurrency", subtitle)
                .x(
                        "concurrency (clients)",
                        new Scale.Categories(
                                columns.stream().map(String::valueOf).toList()))
                .y("", new Scale.Categories(names));
        best.values().stream().map(Point::method).distinct().forEach(m -> plot.key(m, tint(colours.colour(m))));
        for (int r = 0; r < rows.size(); r++) {
            for (int c = 0; c < columns.size(); c++) {
                Point p = best.get(new Cell(rows.get(r), columns.get(c)));
                if (p != null) {
                    double y = rows.size() - 1.0 - r;
                    plot.box(c - 0.48, c + 0.48, y - 0.45, y + 0.45, tint(colours.colour(p.method())));
                    plot.centred(c, y, text(p));
                }
            }
        }
        return plot.caption(
                "Text: budget or drafts per round of the best arm, and its speed-up over autoregressive decoding."
                        + (left == 0 ? "" : " " + left + " further rows are not shown."));
    }

    private static String text(Point p) {
        Integer size = p.budget() != null ? p.budget() : p.draftTokens();
        String speedup = p.speedupVsAr() == null ? "" : NumberStyle.RATIO.show(p.speedupVsAr());
        return size == null ? speedup : size + " · " + speedup;
    }

    private static Color tint(Color c) {
        return new Color((c.getRed() + 510) / 3, (c.getGreen() + 510) / 3, (c.getBlue() + 510) / 3);
    }
}
