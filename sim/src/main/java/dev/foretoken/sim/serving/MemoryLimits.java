package dev.foretoken.sim.serving;

/**
 * What the cards hold. KV is handed out in pages of whole tokens; recurrent states in slots. A request takes
 * {@code pagesPerRequest} pages beside its KV (vLLM keeps recurrent states in the page pool), and {@code slotsPerRequest} +
 * {@code slotsPerNode} x verify width slots (SGLang reserves states per sequence and per verified node).
 *
 * @param kvPages pages in the pool; {@link #UNLIMITED} = no limit
 * @param pageTokens tokens of one page
 * @param pagesPerRequest pages that a request holds for its whole life, beside its KV
 * @param stateSlots slots in the pool; {@link #UNLIMITED} = no limit
 * @param slotsPerRequest slots of a resident request
 * @param slotsPerNode slots per verified node of a resident request
 */
public record MemoryLimits(
        long kvPages, int pageTokens, int pagesPerRequest, long stateSlots, int slotsPerRequest, int slotsPerNode) {
    /** No limit. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** Memory never runs out. */
    public static final MemoryLimits NONE = new MemoryLimits(UNLIMITED, 1, 0, UNLIMITED, 0, 0);

    public MemoryLimits {
        if (kvPages < 1 || stateSlots < 1) {
            throw new IllegalArgumentException(
                    "a pool needs at least one page and slot: " + kvPages + " pages, " + stateSlots + " slots");
        }
        if (pageTokens < 1) {
            throw new IllegalArgumentException("a page holds at least 1 token: " + pageTokens);
        }
        if (pagesPerRequest < 0 || slotsPerRequest < 0 || slotsPerNode < 0) {
            throw new IllegalArgumentException("a request's pages and slots must not be negative: " + pagesPerRequest
                    + " pages, " + slotsPerRequest + " slots, " + slotsPerNode + " slots per node");
        }
    }

    /** KV pages only. */
    public static MemoryLimits kv(long pages, int pageTokens) {
        return new MemoryLimits(pages, pageTokens, 0, UNLIMITED, 0, 0);
    }

    /** Pages of a request whose KV cache holds this many tokens. */
    public long pagesFor(long tokens) {
        return (tokens + pageTokens - 1) / pageTokens + pagesPerRequest;
    }

    /** Slots of a resident request of this verify width. */
    public long slotsFor(int width) {
        return slotsPerRequest + (long) slotsPerNode * width;
    }
}
