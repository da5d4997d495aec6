package dev.foretoken.sim.serving;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Resident and waiting requests over time, for charts: a bounded number of equal intervals, each with time-weighted means.
 * When a run outgrows them, neighbours merge and the interval doubles. Nothing is allocated while it is filled.
 */
public final class QueueSeries implements EngineListener {
    private static final int MAX_INTERVALS = 512;

    private final double[] running;
    private final double[] waiting;
    private final double[] covered;
    private double intervalNs = 1e6;
    private long lastNs;

    /**
     * Means over one interval.
     *
     * @param startS start, s
     * @param endS end, s
     * @param running resident requests
     * @param waiting requests in the queue
     */
    public record Sample(double startS, double endS, double running, double waiting) {}

    public QueueSeries() {
        this(MAX_INTERVALS);
    }

    /** @param intervals most intervals, even */
    QueueSeries(int intervals) {
        running = new double[intervals];
        waiting = new double[intervals];
        covered = new double[intervals];
    }

    @Override
    public void stepped(EngineStep step) {
        step(step.startNs(), step.endNs(), step.resident(), step.waiting());
    }

    /** A step ran; before it, since the last one, the engine was idle. */
    void step(long startNs, long endNs, int resident, int queued) {
        add(lastNs, startNs, 0, 0);
        add(Math.max(lastNs, startNs), endNs, resident, queued);
        lastNs = endNs;
    }

    private void add(long fromNs, long toNs, int resident, int queued) {
        while (toNs > intervalNs * running.length) {
            merge();
        }
        double at = fromNs;
        while (at < toNs) {
            int i = Math.min(running.length - 1, (int) (at / intervalNs));
            double end = Math.min(toNs, (i + 1) * intervalNs);
            if (end <= at) {
                end = toNs;
            }
            running[i] += resident * (end - at);
            waiting[i] += queued * (end - at);
            covered[i] += end - at;
            at = end;
        }
    }

    private void merge() {
        merge(running);
        merge(waiting);
        merge(covered);
        intervalNs *= 2;
    }

    private static void merge(double[] sums) {
        int half = sums.length / 2;
        for (int i = 0; i < half; i++) {
            sums[i] = sums[2 * i] + sums[2 * i + 1];
        }
        Arrays.fill(sums, half, sums.length, 0);
    }

    /** Means so far, in order of time. */
    public List<Sample> samples() {
        List<Sample> all = new ArrayList<>();
        for (int i = 0; i < running.length && covered[i] > 0; i++) {
            double endNs = Math.min(lastNs, (i + 1) * intervalNs);
            all.add(new Sample(i * intervalNs / 1e9, endNs / 1e9, running[i] / covered[i], waiting[i] / covered[i]));
        }
        return all;
    }
}
