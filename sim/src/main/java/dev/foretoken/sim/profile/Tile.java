package dev.foretoken.sim.profile;

/**
 * Output tile of a matrix kernel, for interpolation between shapes: the card works through ceil(rows / tile rows) x ceil(n /
 * tile columns) tiles in waves of one tile per multiprocessor, so above a row count time is linear in waves rather than in
 * n. Only families where that predicts left-out shapes better carry one.
 *
 * @param rows tile height, rows of the activation
 * @param columns tile width, outputs n
 * @param multiprocessors tiles of one wave
 * @param fromRows rows from which the rule holds
 */
public record Tile(int rows, int columns, int multiprocessors, int fromRows) {
    public Tile {
        if (rows < 1 || columns < 1 || multiprocessors < 1 || fromRows < 1) {
            throw new IllegalArgumentException("a tile needs positive sizes: " + rows + " x " + columns + " on "
                    + multiprocessors + " multiprocessors from " + fromRows + " rows");
        }
    }

    /** Waves that a product of m rows and n outputs takes. */
    public long waves(double m, double n) {
        long tiles = (long) Math.ceil(m / rows) * (long) Math.ceil(n / columns);
        return (tiles + multiprocessors - 1) / multiprocessors;
    }
}
