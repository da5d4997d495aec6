package dev.foretoken.validation.client;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The machine's clocks and one daemon timer thread. */
public final class RealTime implements TimeSource, AutoCloseable {
    private final ScheduledThreadPoolExecutor timer;

    public RealTime() {
        timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "foretoken-timer");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public void at(long nanoTime, Runnable task) {
        if (timer.isShutdown()) {
            return;
        }
        var unused = timer.schedule(task, Math.max(0, nanoTime - System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
