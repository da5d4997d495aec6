package dev.foretoken.sim.serving;

import dev.foretoken.sim.round.RoundTimeModel;

/**
 * Decode-round times of one option, looked up. For given requests and rows a round's time bends little along KV lengths, so it
 * is computed at the corners of cells of {@value #CONTEXT_CELL} tokens of mean length by {@value #GAP_CELL} tokens between the
 * mean and the largest, and is bilinear inside: exact where time doesn't depend on KV or is linear in it. Cells are kept in a
 * direct-mapped table; nothing is allocated per round.
 */
final class RoundTimeTable {
    private static final int CONTEXT_CELL = 64;
    private static final int GAP_CELL = 256;
    private static final int ENTRIES = 1024;
    private static final int CORNERS = 4;

    private final RoundTimeModel model;
    private final long[] batches = new long[ENTRIES];
    private final long[] cells = new long[ENTRIES];
    private final double[] corners = new double[CORNERS * ENTRIES];

    RoundTimeTable(RoundTimeModel model) {
        this.model = model;
    }

    /**
     * Time of a decode round.
     *
     * @param requests at least 1
     * @param rows query tokens after padding
     * @param context mean KV length, tokens
     * @param longest largest KV length, tokens, at least the mean
     */
    double roundMs(int requests, long rows, double context, double longest) {
        double gap = longest - context;
        int contextCell = (int) (context / CONTEXT_CELL);
        int gapCell = (int) (gap / GAP_CELL);
        long batch = ((long) requests << 40) | rows;
        long cell = ((long) contextCell << 32) | gapCell;
        long hash = (batch ^ (cell * 0x9E3779B97F4A7C15L)) * 0xD1B54A32D192ED03L;
        int entry = (int) (hash >>> 54);
        if (batches[entry] != batch || cells[entry] != cell) {
            fill(entry, requests, rows, contextCell, gapCell);
            batches[entry] = batch;
            cells[entry] = cell;
        }
        double u = context / CONTEXT_CELL - contextCell;
        double v = gap / GAP_CELL - gapCell;
        int at = CORNERS * entry;
        double lower = corners[at] + u * (corners[at + 1] - corners[at]);
        double upper = corners[at + 2] + u * (corners[at + 3] - corners[at + 2]);
        return lower + v * (upper - lower);
    }

    private void fill(int entry, int requests, long rows, int contextCell, int gapCell) {
        int at = CORNERS * entry;
        for (int c = 0; c < CORNERS; c++) {
            double context = (double) (contextCell + (c & 1)) * CONTEXT_CELL;
            double gap = (double) (gapCell + (c >> 1)) * GAP_CELL;
            corners[at + c] = model.roundMs(requests, rows, context, context + gap);
        }
    }
}
