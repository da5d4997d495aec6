package dev.foretoken.sim.serving;

/**
 * KV pages and recurrent-state slots in use. Pages carry no identity: the pool counts what each request holds, and
 * {@link #verify} checks that the counts add up.
 */
final class MemoryPool {
    private final MemoryLimits limits;
    private final RequestTable requests;
    private final boolean limited;
    private long usedPages;
    private long usedSlots;
    private long peakPages;

    MemoryPool(MemoryLimits limits, RequestTable requests) {
        this.limits = limits;
        this.requests = requests;
        limited = limits.kvPages() != MemoryLimits.UNLIMITED;
    }

    /** True when KV pages can run out. */
    boolean limited() {
        return limited;
    }

    MemoryLimits limits() {
        return limits;
    }

    long usedPages() {
        return usedPages;
    }

    long usedSlots() {
        return usedSlots;
    }

    long peakPages() {
        return peakPages;
    }

    long freePages() {
        return limits.kvPages() - usedPages;
    }

    /** Takes the recurrent-state slots of a request that joins; false when there are too few. */
    boolean takeSlots(int slot, long need) {
        if (need > limits.stateSlots() - usedSlots) {
            return false;
        }
        requests.heldSlots[slot] = need;
        usedSlots += need;
        return true;
    }

    /** Makes a request's pages hold at least this many KV tokens; false, and nothing taken, when there are too few. */
    boolean reserve(int slot, int tokens) {
        if (tokens <= requests.reservedTokens[slot]) {
            return true;
        }
        if (!limited) {
            requests.reservedTokens[slot] = Integer.MAX_VALUE;
            return true;
        }
        long need = limits.pagesFor(tokens);
        long more = need - requests.heldPages[slot];
        if (more > limits.kvPages() - usedPages) {
            return false;
        }
        usedPages += more;
        peakPages = Math.max(peakPages, usedPages);
        requests.heldPages[slot] = need;
        requests.reservedTokens[slot] =
                (int) Math.min(Integer.MAX_VALUE, (need - limits.pagesPerRequest()) * limits.pageTokens());
        return true;
    }

    /** Gives back everything that a request holds. */
    void release(int slot) {
        usedPages -= requests.heldPages[slot];
        usedSlots -= requests.heldSlots[slot];
        requests.heldPages[slot] = 0;
        requests.heldSlots[slot] = 0;
        requests.reservedTokens[slot] = 0;
    }

    /** Checks that the pools are what the running requests hold, and not more than there is. */
    void verify(int[] running, int count) {
        long pages = 0;
        long slots = 0;
        for (int i = 0; i < count; i++) {
            pages += requests.heldPages[running[i]];
            slots += requests.heldSlots[running[i]];
        }
        if (pages != usedPages
                || slots != usedSlots
                || usedPages > limits.kvPages()
                || usedSlots > limits.stateSlots()) {
            throw new IllegalStateException("memory does not add up: " + usedPages + " pages and " + usedSlots
                    + " slots in use, running requests hold " + pages + " and " + slots + ", the pools have "
                    + limits.kvPages() + " and " + limits.stateSlots());
        }
    }
}
