package dev.foretoken.validation.client;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * How late the client itself is. Send lag is actual minus intended send time. Stamp lag is how long a task that is handed to
 * the worker waits there: an event that arrives now would be stamped that much too late. Values have three significant digits
 * and saturate at one hour.
 */
public final class LagMeter {
    private static final long MAX_NS = 3_600_000_000_000L;
    private static final long BEAT_NS = 5_000_000;

    private final TimeSource time;
    private final Executor worker;
    private final Histogram sendLag = new ConcurrentHistogram(MAX_NS, 3);
    private final Histogram stampLag = new ConcurrentHistogram(MAX_NS, 3);
    private volatile boolean beating;

    LagMeter(TimeSource time, Executor worker) {
        this.time = time;
        this.worker = worker;
    }

    void sent(long lagNs) {
        sendLag.recordValue(Math.max(0, Math.min(MAX_NS, lagNs)));
    }

    /** Starts measuring the stamp lag. */
    public void start() {
        beating = true;
        beat(time.nanoTime() + BEAT_NS);
    }

    /** Stops measuring the stamp lag. */
    public void stop() {
        beating = false;
    }

    private void beat(long at) {
        if (!beating) {
            return;
        }
        time.at(at, () -> {
            long handed = time.nanoTime();
            try {
                worker.execute(() -> {
                    stampLag.recordValue(Math.max(0, Math.min(MAX_NS, time.nanoTime() - handed)));
                    beat(Math.max(at + BEAT_NS, time.nanoTime()));
                });
            } catch (RejectedExecutionException e) {
                beating = false;
            }
        });
    }

    /** What was measured so far. */
    public Summary summary() {
        return new Summary(
                sendLag.getTotalCount(),
                sendLag.getValueAtPercentile(50) / 1e6,
                sendLag.getValueAtPercentile(99) / 1e6,
                sendLag.getMaxValue() / 1e6,
                stampLag.getTotalCount(),
                stampLag.getValueAtPercentile(50) / 1e6,
                stampLag.getValueAtPercentile(99) / 1e6,
                stampLag.getMaxValue() / 1e6);
    }

    /**
     * Lags, ms.
     *
     * @param sends requests sent
     * @param beats samples of the stamp lag
     */
    public record Summary(
            long sends,
            double sendP50Ms,
            double sendP99Ms,
            double sendMaxMs,
            long beats,
            double stampP50Ms,
            double stampP99Ms,
            double stampMaxMs) {}
}
