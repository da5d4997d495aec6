package dev.foretoken.sim.event;

import java.util.Arrays;

/**
 * Future events and the clock. Events leave in the order (time, priority, sequence of scheduling), so a run is reproducible
 * whatever ties there are; the clock is the time of the event that left last and never goes back.
 *
 * <p>A 4-ary heap over primitive arrays: no allocation per event once the arrays have grown to the largest number of
 * pending events.
 */
public final class EventQueue {
    /** Largest priority value; smaller values leave first at equal times. */
    public static final int MAX_PRIORITY = 127;

    private static final int ARITY = 4;
    private static final int PRIORITY_SHIFT = 56;

    private long[] times = new long[16];
    private long[] orders = new long[16];
    private long[] payloads = new long[16];
    private int size;
    private long sequence;
    private long nowNs;

    /** Time of the event that left last, ns; 0 before the first. */
    public long nowNs() {
        return nowNs;
    }

    /** Number of pending events. */
    public int size() {
        return size;
    }

    /** True when no event is pending. */
    public boolean isEmpty() {
        return size == 0;
    }

    /**
     * Adds an event.
     *
     * @param timeNs when it happens, ns; not before {@link #nowNs()}
     * @param priority 0..{@value #MAX_PRIORITY}, smaller first at equal times
     * @param payload what it means to the owner
     * @throws IllegalArgumentException when the time has passed or the priority is out of range
     */
    public void schedule(long timeNs, int priority, long payload) {
        if (timeNs < nowNs) {
            throw new IllegalArgumentException("an event at " + timeNs + " ns is before the clock, " + nowNs + " ns");
        }
        if (priority < 0 || priority > MAX_PRIORITY) {
            throw new IllegalArgumentException("priority must lie in 0.." + MAX_PRIORITY + ": " + priority);
        }
        if (size == times.length) {
            grow();
        }
        long order = ((long) priority << PRIORITY_SHIFT) | sequence++;
        int hole = size++;
        while (hole > 0) {
            int parent = (hole - 1) / ARITY;
            if (!before(timeNs, order, times[parent], orders[parent])) {
                break;
            }
            move(parent, hole);
            hole = parent;
        }
        put(hole, timeNs, order, payload);
    }

    /** Time of the next event, ns; {@link Long#MAX_VALUE} when none is pending. */
    public long peekTimeNs() {
        return size == 0 ? Long.MAX_VALUE : times[0];
    }

    /**
     * Removes the next event and advances the clock to it.
     *
     * @return its payload
     * @throws IllegalStateException when no event is pending
     */
    public long poll() {
        if (size == 0) {
            throw new IllegalStateException("no event is pending");
        }
        nowNs = times[0];
        long payload = payloads[0];
        size--;
        if (size > 0) {
            sink(times[size], orders[size], payloads[size]);
        }
        return payload;
    }

    private void sink(long time, long order, long payload) {
        int hole = 0;
        while (true) {
            int child = hole * ARITY + 1;
            if (child >= size) {
                break;
            }
            int least = child;
            int end = Math.min(child + ARITY, size);
            for (int c = child + 1; c < end; c++) {
                if (before(times[c], orders[c], times[least], orders[least])) {
                    least = c;
                }
            }
            if (!before(times[least], orders[least], time, order)) {
                break;
            }
            move(least, hole);
            hole = least;
        }
        put(hole, time, order, payload);
    }

    private static boolean before(long time, long order, long otherTime, long otherOrder) {
        return time < otherTime || (time == otherTime && order < otherOrder);
    }

    private void move(int from, int to) {
        times[to] = times[from];
        orders[to] = orders[from];
        payloads[to] = payloads[from];
    }

    private void put(int at, long time, long order, long payload) {
        times[at] = time;
        orders[at] = order;
        payloads[at] = payload;
    }

    private void grow() {
        int capacity = times.length * 2;
        times = Arrays.copyOf(times, capacity);
        orders = Arrays.copyOf(orders, capacity);
        payloads = Arrays.copyOf(payloads, capacity);
    }
}
