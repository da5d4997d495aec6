package dev.foretoken.sim.round;

import java.util.List;

/**
 * CUDA-graph padding of a round. SGLang captures batch sizes in requests (a graph of size g runs g x width rows), vLLM in
 * tokens. Above the largest captured size, and without captured sizes, a round runs unpadded (eager).
 */
public final class GraphPadding {
    /** No captured sizes: rows are what the requests need. */
    public static final GraphPadding NONE = new GraphPadding(List.of(), true);

    private final int[] sizes;
    private final boolean countsRequests;

    /**
     * @param sizes captured sizes, ascending
     * @param countsRequests true where a size counts requests (SGLang), false where it counts tokens (vLLM)
     */
    public GraphPadding(List<Integer> sizes, boolean countsRequests) {
        this.sizes = sizes.stream().mapToInt(Integer::intValue).toArray();
        this.countsRequests = countsRequests;
    }

    /** Padding of an engine; graphs off or no sizes = none. */
    public static GraphPadding of(String engine, Boolean cudaGraphs, List<Integer> sizes) {
        if (Boolean.FALSE.equals(cudaGraphs) || sizes == null || sizes.isEmpty()) {
            return NONE;
        }
        return new GraphPadding(sizes, !"vllm".equals(engine));
    }

    /** Smallest captured size that holds n, or n itself above the largest. */
    public static int padTo(int[] ascendingSizes, int n) {
        for (int s : ascendingSizes) {
            if (s >= n) {
                return s;
            }
        }
        return n;
    }

    /** True when a round of this many requests and rows runs outside the captured sizes. */
    public boolean eager(int requests, long rows) {
        long n = countsRequests ? requests : rows;
        return sizes.length > 0 && n > sizes[sizes.length - 1];
    }

    /** True when there are captured sizes. */
    public boolean active() {
        return sizes.length > 0;
    }

    /**
     * Rows after padding when every request has the same width.
     *
     * @param requests resident requests, at least 1
     * @param width query tokens per request
     */
    public long rows(int requests, int width) {
        return rows(requests, width, (long) requests * width);
    }

    /**
     * Rows after padding when some requests have fewer than the largest width.
     *
     * @param width largest width (SGLang pads each request to it; requests without a draft keep one row each)
     * @param rows rows before padding
     */
    public long rows(int requests, int width, long rows) {
        if (sizes.length == 0) {
            return rows;
        }
        if (countsRequests) {
            int padded = padTo(sizes, requests);
            return rows + (long) (padded - requests) * width;
        }
        return rows > sizes[sizes.length - 1] ? rows : padTo(sizes, (int) rows);
    }
}
