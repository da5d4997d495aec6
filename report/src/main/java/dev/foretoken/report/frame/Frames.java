package dev.foretoken.report.frame;

import dev.foretoken.report.table.Column;
import dev.foretoken.report.table.NumberStyle;
import dev.foretoken.report.table.PointColumns;
import dev.foretoken.sim.result.Point;
import java.util.List;
import tech.tablesaw.api.BooleanColumn;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

/** Points as a Tablesaw table. */
public final class Frames {
    private Frames() {}

    /** One row per point and one column per figure, named as in result files; absent figures are missing values. */
    public static Table of(List<Point> points) {
        Table table = Table.create("points");
        for (Column<Point> c : PointColumns.of(points)) {
            if (c.use() == Column.Use.PEOPLE) {
                continue;
            }
            if (c.style() == NumberStyle.YES_NO) {
                BooleanColumn column = BooleanColumn.create(c.name());
                points.forEach(p -> column.append((Boolean) c.value().apply(p)));
                table.addColumns(column);
            } else if (c.style().numeric()) {
                DoubleColumn column = DoubleColumn.create(c.name());
                points.forEach(p -> append(column, (Number) c.value().apply(p)));
                table.addColumns(column);
            } else {
                StringColumn column = StringColumn.create(c.name());
                points.forEach(p -> column.append(NumberStyle.exact(c.value().apply(p))));
                table.addColumns(column);
            }
        }
        return table;
    }

    private static void append(DoubleColumn column, Number value) {
        if (value == null) {
            column.appendMissing();
        } else {
            column.append(value.doubleValue());
        }
    }
}
