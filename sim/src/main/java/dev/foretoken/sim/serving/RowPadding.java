package dev.foretoken.sim.serving;

/**
 * Rows of a decode round after CUDA-graph padding: an engine replays the smallest captured graph that holds the batch
 * (SGLang captures numbers of requests, vLLM numbers of tokens) and runs eagerly, unpadded, above the largest.
 */
@FunctionalInterface
public interface RowPadding {
    /** No captured graphs: rows are what the requests need. */
    RowPadding NONE = (requests, width, rows) -> rows;

    /**
     * Rows after padding.
     *
     * @param requests requests in the round, at least 1
     * @param width largest query tokens of one request
     * @param rows query tokens of the round before padding
     */
    long rows(int requests, int width, long rows);
}
