package dev.foretoken.validation.client;

/** Monotonic time and timers of a run: real time for servers, a virtual clock for tests. */
public interface TimeSource {
    /** Monotonic time, ns; the origin means nothing. */
    long nanoTime();

    /** Wall clock, ms since 1970; may jump and is used for labels only. */
    long wallMillis();

    /** Runs the task at the given monotonic time, or at once when it has passed. Tasks must be short. */
    void at(long nanoTime, Runnable task);
}
