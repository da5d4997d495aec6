package dev.foretoken.sim.serving;

import java.util.Arrays;

/**
 * Live requests, one slot each, as parallel arrays: slots are reused, so memory is bounded by the requests in the system
 * and a round allocates nothing. A slot's epoch changes whenever its request leaves or is preempted, which makes steps that
 * are still in flight for it void.
 */
final class RequestTable {
    /** Identity of the request in the run, the key of its random streams. */
    long[] id = new long[64];
    /** Random stream of its rounds. */
    long[] roundKey = new long[64];

    long[] arrivalNs = new long[64];
    /** When the engine read it from its input queue. */
    long[] queuedNs = new long[64];
    /** When its first prompt tokens were scheduled. */
    long[] scheduledNs = new long[64];

    long[] firstNs = new long[64];
    long[] lastNs = new long[64];

    int[] isl = new int[64];
    int[] osl = new int[64];
    int[] workload = new int[64];
    int[] client = new int[64];
    /** Prompt tokens that the prefix cache holds. */
    int[] cached = new int[64];
    /** Tokens that must be in the cache before the next token comes: the prompt, after preemption with what was emitted. */
    int[] target = new int[64];
    /** Tokens of the target that are cached or scheduled. */
    int[] prefilled = new int[64];
    /** Output tokens emitted. */
    int[] generated = new int[64];
    /** Steps in flight that will emit at least one token each. */
    int[] inFlight = new int[64];
    /** Decode rounds that returned. */
    int[] rounds = new int[64];
    /** Decode rounds that were scheduled. */
    int[] roundsScheduled = new int[64];

    /** Tokens that came from completed prompts: the first, and one more for each prompt computed again. */
    int[] fromPrompts = new int[64];

    int[] preemptions = new int[64];
    /** KV tokens that its pages hold. */
    int[] reservedTokens = new int[64];

    long[] heldPages = new long[64];
    long[] heldSlots = new long[64];
    int[] epoch = new int[64];
    /** Latent state of its acceptance law: the share for its whole life, and that of its last draw (NaN before it). */
    double[] share = new double[64];

    double[] state = new double[64];
    /** Tokens drawn in its rounds beyond what their laws expect. */
    double[] surplus = new double[64];

    /** Mean lengths of what it was drawn from; its own where a trace gives them. */
    double[] meanIsl = new double[64];

    double[] meanOsl = new double[64];

    /** A request cut short to start a closed loop in mid-phase; it counts in no figure. */
    boolean[] partial = new boolean[64];

    boolean[] running = new boolean[64];

    private int[] free = new int[64];
    private int freeCount;
    private int used;

    /** A slot for a new request, with counters cleared. */
    int take() {
        int slot;
        if (freeCount > 0) {
            slot = free[--freeCount];
        } else {
            slot = used++;
            if (slot == id.length) {
                grow();
            }
        }
        generated[slot] = 0;
        inFlight[slot] = 0;
        rounds[slot] = 0;
        roundsScheduled[slot] = 0;
        fromPrompts[slot] = 0;
        preemptions[slot] = 0;
        surplus[slot] = 0;
        scheduledNs[slot] = -1;
        firstNs[slot] = -1;
        lastNs[slot] = -1;
        running[slot] = false;
        return slot;
    }

    /** Gives a slot back. */
    void release(int slot) {
        epoch[slot]++;
        running[slot] = false;
        if (freeCount == free.length) {
            free = Arrays.copyOf(free, free.length * 2);
        }
        free[freeCount++] = slot;
    }

    /** Requests in the table. */
    int live() {
        return used - freeCount;
    }

    private void grow() {
        int n = id.length * 2;
        id = Arrays.copyOf(id, n);
        roundKey = Arrays.copyOf(roundKey, n);
        arrivalNs = Arrays.copyOf(arrivalNs, n);
        queuedNs = Arrays.copyOf(queuedNs, n);
        scheduledNs = Arrays.copyOf(scheduledNs, n);
        firstNs = Arrays.copyOf(firstNs, n);
        lastNs = Arrays.copyOf(lastNs, n);
        isl = Arrays.copyOf(isl, n);
        osl = Arrays.copyOf(osl, n);
        workload = Arrays.copyOf(workload, n);
        client = Arrays.copyOf(client, n);
        cached = Arrays.copyOf(cached, n);
        target = Arrays.copyOf(target, n);
        prefilled = Arrays.copyOf(prefilled, n);
        generated = Arrays.copyOf(generated, n);
        inFlight = Arrays.copyOf(inFlight, n);
        rounds = Arrays.copyOf(rounds, n);
        roundsScheduled = Arrays.copyOf(roundsScheduled, n);
        fromPrompts = Arrays.copyOf(fromPrompts, n);
        preemptions = Arrays.copyOf(preemptions, n);
        reservedTokens = Arrays.copyOf(reservedTokens, n);
        heldPages = Arrays.copyOf(heldPages, n);
        heldSlots = Arrays.copyOf(heldSlots, n);
        epoch = Arrays.copyOf(epoch, n);
        share = Arrays.copyOf(share, n);
        surplus = Arrays.copyOf(surplus, n);
        meanIsl = Arrays.copyOf(meanIsl, n);
        meanOsl = Arrays.copyOf(meanOsl, n);
        state = Arrays.copyOf(state, n);
        partial = Arrays.copyOf(partial, n);
        running = Arrays.copyOf(running, n);
    }
}
