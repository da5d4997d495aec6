package dev.foretoken.report.table;

import java.util.List;

/** A part of a report that every renderer can show. */
public sealed interface Block {

    /** Heading of the part. */
    String title();

    /**
     * A table.
     *
     * @param title heading
     * @param columns of the rows; a renderer leaves out those that no row fills
     * @param rows in the order to show
     * @param notes sentences to print below
     * @param <T> what a row is
     */
    record Table<T>(String title, List<Column<T>> columns, List<T> rows, List<String> notes) implements Block {
        public Table {
            columns = List.copyOf(columns);
            rows = List.copyOf(rows);
            notes = List.copyOf(notes);
        }

        /** Columns for people that at least one row fills. */
        public List<Column<T>> peopleColumns() {
            return columns.stream()
                    .filter(c -> c.use() != Column.Use.FLAT && c.present(rows))
                    .toList();
        }
    }

    /**
     * Sentences.
     *
     * @param title heading
     * @param items one per line
     */
    record Sentences(String title, List<String> items) implements Block {
        public Sentences {
            items = List.copyOf(items);
        }
    }
}
