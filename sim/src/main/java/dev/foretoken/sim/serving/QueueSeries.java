package dev.foretoken.sim.serving;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Resident and waiting requests over time, for charts: a bounded number of equal intervals, each with time-weighted means.
 * When a run outgrows them, neighbours merge and the interval doubles.
 */
public final class QueueSeries implements EngineListener {
    private static final int MAX_INTERVALS = 512;

    private final double[] running = new double[MAX_INTERVALS];
    private final double[] waiting = new double[MAX_INTERVALS];
    private final double[] covered = new double[MAX_INTERVALS];
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

    @Override
    public void stepped(EngineStep step) {
        add(lastNs, step.startNs(), 0, 0);
        add(Math.max(lastNs, step.startNs()), step.endNs(), step.resident(), step.waiting());
        lastNs = step.endNs();
    }

    private void add(long fromNs, long toNs, int resident, int queued) {
        while (toNs > intervalNs * MAX_INTERVALS) {
            merge();
        }
        double at = fromNs;
        while (at < toNs) {
            int i = Math.min(MAX_INTERVALS - 1, (int) (at / intervalNs));
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
        for (double[] sums : List.of(running, waiting, covered)) {
            for (int i = 0; i < MAX_INTERVALS / 2; i++) {
                sums[i] = sums[2 * i] + sums[2 * i + 1];
            }
            Arrays.fill(sums, MAX_INTERVALS / 2, MAX_INTERVALS, 0);
        }
        intervalNs *= 2;
    }

    /** Means so far, in order of time. */
    public List<Sample> samples() {
        List<Sample> all = new ArrayList<>();
        for (int i = 0; i < MAX_INTERVALS && covered[i] > 0; i++) {
            double endNs = Math.min(lastNs, (i + 1) * intervalNs);
            all.add(new Sample(i * intervalNs / 1e9, endNs / 1e9, running[i] / covered[i], waiting[i] / covered[i]));
        }
        return all;
    }
}
