package dev.foretoken.validation.backtest;

/**
 * A usable row.
 *
 * @param row the row
 * @param shape its arm
 * @param cost time per token and request
 */
record Sample(CaseRow row, ArmShape shape, double cost) {
    /** Concurrency; 1 where a single-stream metric does not state it. */
    int c() {
        return row.concurrency() == null ? 1 : row.concurrency();
    }

    /** Query tokens per round. */
    long rows() {
        return (long) c() * shape.width();
    }
}
