package dev.foretoken.report.frame;

import dev.foretoken.report.Evenly;
import dev.foretoken.report.table.BestArms;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.Column;
import dev.foretoken.report.table.NumberStyle;
import dev.foretoken.sim.result.Point;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tech.tablesaw.aggregate.AggregateFunctions;
import tech.tablesaw.aggregate.PivotTable;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.Row;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

/** A figure of each method's best arm: a row per TP and method, a column per load. */
public final class LoadPivot {
    private static final String ROW = "row";
    private static final String LOAD = "load";
    private static final String VALUE = "value";

    /** Columns that a page can carry; of more loads as many evenly spaced ones. */
    private static final int MOST_LOADS = 10;

    /**
     * A row.
     *
     * @param tp cards per replica
     * @param method id
     * @param byLoad figure by the load's label; absent loads have none
     */
    public record Line(int tp, String method, Map<String, Double> byLoad) {}

    private LoadPivot() {}

    /**
     * @param title of the table
     * @param points of one workload and variant
     * @param column figure of {@link dev.foretoken.report.table.PointColumns} by name
     */
    public static Block.Table<Line> of(
            String title, List<Point> points, String column, String unit, NumberStyle style) {
        List<Point> best =
                BestArms.perMethod(points.stream().filter(Point::feasible).toList());
        Table frame = Frames.of(best);
        StringColumn rows = StringColumn.create(ROW);
        StringColumn loads = StringColumn.create(LOAD);
        Map<String, Point> lines = new LinkedHashMap<>();
        Set<String> labels = new LinkedHashSet<>();
        for (Point p : best) {
            String key = p.tp() + " " + p.method();
            rows.append(key);
            loads.append(p.load().label());
            lines.putIfAbsent(key, p);
            labels.add(p.load().label());
        }
        Map<String, Line> byKey = new LinkedHashMap<>();
        lines.forEach((key, p) -> byKey.put(key, new Line(p.tp(), p.method(), new LinkedHashMap<>())));
        if (!best.isEmpty()) {
            DoubleColumn values = frame.doubleColumn(column).copy().setName(VALUE);
            Table pivot = PivotTable.pivot(
                    Table.create("loads", rows, loads, values), rows, loads, values, AggregateFunctions.mean);
            for (Row r : pivot) {
                Line line = byKey.get(r.getString(ROW));
                for (String label : labels) {
                    if (!r.isMissing(label)) {
                        line.byLoad().put(label, r.getDouble(label));
                    }
                }
            }
        }
        List<Column<Line>> columns = new ArrayList<>(List.of(
                new Column<>("tp", "", "TP", NumberStyle.COUNT, Column.Use.BOTH, Column.ALWAYS, Line::tp),
                new Column<>("method", "", "method", NumberStyle.TEXT, Column.Use.BOTH, Column.ALWAYS, Line::method)));
        for (String label : Evenly.pick(List.copyOf(labels), MOST_LOADS)) {
            columns.add(new Column<>(
                    label,
                    unit,
                    label,
                    style,
                    Column.Use.BOTH,
                    Column.ALWAYS,
                    (Line l) -> l.byLoad().get(label)));
        }
        return new Block.Table<>(title, columns, List.copyOf(byKey.values()), List.of());
    }
}
