package dev.foretoken.validation.testserver;

import dev.foretoken.validation.client.StreamCounters;
import dev.foretoken.validation.client.TimeSource;
import java.util.Arrays;
import java.util.PriorityQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A virtual clock for a client and a {@link FakeServer} in one JVM. It stands still while anything is on its way between the
 * two, and then jumps to the next timer or the end of the engine's step: what the client stamps is the truth, however slow
 * the machine is.
 */
public final class VirtualTime implements TimeSource {
    private static final long ORIGIN = 1_000_000_000L;
    private static final long STUCK_NS = 30_000_000_000L;
    /** Events to a stream that the client broke off never arrive: what has not moved for so long is taken as lost. */
    private static final long LOST_NS = 200_000_000L;

    private record Timer(long at, long sequence, Runnable task) {}

    private final PriorityQueue<Timer> timers = new PriorityQueue<>(
            (a, b) -> a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.sequence, b.sequence));
    private final long settleNs;
    private long lostEvents;
    private long lostEnds;
    private long brokenOff;
    private long sequence;
    private volatile long now = ORIGIN;
    private volatile long wallOffsetMs;
    private volatile boolean stopped;
    private volatile RuntimeException failure;

    public VirtualTime() {
        this(0);
    }

    /**
     * @param settleNs real time for which everything must be quiet before the clock moves, for callers that do several things
     *     at one virtual time from threads that the clock cannot see
     */
    public VirtualTime(long settleNs) {
        this.settleNs = settleNs;
    }

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public long wallMillis() {
        return now / 1_000_000 + wallOffsetMs;
    }

    /** Lets the wall clock jump. */
    public void jumpWallClock(long ms) {
        wallOffsetMs += ms;
    }

    @Override
    public synchronized void at(long nanoTime, Runnable task) {
        timers.add(new Timer(Math.max(nanoTime, now), sequence++, task));
    }

    /** Drives the clock until stopped; run it on a thread of its own. */
    public void drive(FakeServer server, StreamCounters client) {
        try {
            while (!stopped) {
                if (!awaitQuiet(server, client)) {
                    continue;
                }
                step(server);
            }
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    /** The error that ended {@link #drive}, null if none. */
    public RuntimeException failure() {
        return failure;
    }

    public void stop() {
        stopped = true;
    }

    /** Quiet: every request sent has arrived, every event written has been decoded or lost, every end has been handled. */
    private boolean awaitQuiet(FakeServer server, StreamCounters client) {
        long start = System.nanoTime();
        long[] last = {};
        long since = start;
        while (!stopped) {
            long[] counts = {
                client.ended(),
                client.events(),
                client.sent(),
                server.responsesEnded(),
                server.eventsWritten(),
                server.requestsReceived()
            };
            long real = System.nanoTime();
            if (!Arrays.equals(counts, last)) {
                last = counts;
                since = real;
            }
            long still = real - since;
            boolean arrived = counts[2] == counts[5];
            boolean quiet = arrived && counts[3] - counts[0] == lostEnds && counts[4] - counts[1] == lostEvents;
            if (quiet && still >= settleNs) {
                return true;
            }
            boolean justBroken = client.brokenOff() > brokenOff;
            if (arrived && client.brokenOff() > 0 && still > (justBroken ? LOST_NS : 10 * LOST_NS)) {
                brokenOff = client.brokenOff();
                lostEnds = counts[3] - counts[0];
                lostEvents = counts[4] - counts[1];
                return true;
            }
            if (real - start > STUCK_NS) {
                throw new IllegalStateException(
                        "virtual clock is stuck: client ended, events, sent, server ended, events," + " received: "
                                + Arrays.toString(counts));
            }
            LockSupport.parkNanos(40_000);
        }
        return false;
    }

    private void step(FakeServer server) {
        long engine = server.engine().nextNs();
        Timer due = null;
        synchronized (this) {
            Timer first = timers.peek();
            if (first != null && first.at <= engine) {
                due = timers.poll();
            } else if (engine == Long.MAX_VALUE) {
                LockSupport.parkNanos(20_000);
                return;
            }
        }
        if (due != null) {
            now = Math.max(now, due.at);
            due.task.run();
        } else {
            now = Math.max(now, engine);
            server.fireEngine();
        }
    }
}
