package dev.foretoken.sim.serving;

import java.util.ArrayList;
import java.util.List;

/**
 * What charts show of a simulated point beyond its figures; bounded, whatever the length of the run.
 *
 * @param ttftMs time to first token at 0, 1, ... 100 percent of the requests that count, ms; empty where none counts
 * @param intervalS length of an interval of the next two, s
 * @param running resident requests, mean per interval, from the start of the first run with its warm-up
 * @param queued requests in the queue, mean per interval
 */
public record RunSeries(List<Double> ttftMs, double intervalS, List<Double> running, List<Double> queued) {
    /** Most intervals. */
    static final int INTERVALS = 128;

    public RunSeries {
        ttftMs = List.copyOf(ttftMs);
        running = List.copyOf(running);
        queued = List.copyOf(queued);
        if (running.size() != queued.size() || !(intervalS >= 0)) {
            throw new IllegalArgumentException("running and queued requests need the same intervals: " + running.size()
                    + " and " + queued.size() + " of " + intervalS + " s");
        }
    }

    static RunSeries of(double[] sortedTtftMs, QueueSeries queue) {
        List<Double> ttft = new ArrayList<>();
        for (int percent = 0; percent <= 100 && sortedTtftMs.length > 0; percent++) {
            int rank = (int) Math.ceil(percent / 100.0 * sortedTtftMs.length);
            ttft.add(thousandths(sortedTtftMs[Math.max(1, rank) - 1]));
        }
        List<QueueSeries.Sample> samples = queue.samples();
        double intervalS = samples.isEmpty()
                ? 0
                : samples.size() == 1 ? samples.get(0).endS() : samples.get(1).startS();
        return new RunSeries(
                ttft,
                intervalS,
                samples.stream().map(s -> thousandths(s.running())).toList(),
                samples.stream().map(s -> thousandths(s.waiting())).toList());
    }

    private static double thousandths(double value) {
        return Math.round(value * 1000) / 1000.0;
    }
}
