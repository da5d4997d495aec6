package dev.foretoken.report.table;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A table cut to a width: the least important columns go until the rest fits, and long cells end in an ellipsis.
 *
 * @param columns what is left
 * @param dropped number of columns that went
 */
public record FittedTable(List<Cells> columns, int dropped) {
    private static final int LONGEST_CELL = 28;
    private static final int LONGEST_LAST_CELL = 70;

    /**
     * A column's cells, made visible and cut.
     *
     * @param header heading
     * @param unit of its figures, "" for none
     * @param keep as in {@link Column}
     * @param right aligned to the right
     * @param width of the widest cell
     * @param cells one per row
     */
    public record Cells(String header, String unit, int keep, boolean right, int width, List<String> cells) {}

    /**
     * @param width characters
     * @param gap characters between columns
     */
    public static <T> FittedTable fit(Block.Table<T> table, int width, int gap) {
        List<Column<T>> filled = table.peopleColumns();
        List<Cells> columns = new ArrayList<>();
        for (Column<T> c : filled) {
            boolean last = columns.size() == filled.size() - 1;
            columns.add(cells(c, table.rows(), last ? LONGEST_LAST_CELL : LONGEST_CELL));
        }
        int dropped = 0;
        while (columns.stream().mapToInt(c -> c.width() + gap).sum() - gap > width) {
            Optional<Cells> least =
                    columns.stream().filter(c -> c.keep() < Column.ALWAYS).min(Comparator.comparingInt(Cells::keep));
            if (least.isEmpty()) {
                break;
            }
            columns.remove(least.get());
            dropped++;
        }
        return new FittedTable(columns, dropped);
    }

    private static <T> Cells cells(Column<T> column, List<T> rows, int longest) {
        String header = SafeText.cut(SafeText.visible(column.header()), LONGEST_CELL);
        int most = Math.max(longest, SafeText.width(header));
        List<String> cells = new ArrayList<>(rows.size());
        int width = Math.max(SafeText.width(header), SafeText.width(column.unit()));
        for (T row : rows) {
            String cell = SafeText.cut(SafeText.visible(column.show(row)), most);
            width = Math.max(width, SafeText.width(cell));
            cells.add(cell);
        }
        return new Cells(header, column.unit(), column.keep(), column.style().numeric(), width, cells);
    }
}
