package dev.foretoken.sim.serving;

import java.util.Arrays;
import org.HdrHistogram.Histogram;

/**
 * Sums of a run, cut into segments: batches of equally many completed requests (steady-state loads and long traces), or
 * whole replications. Every mean figure is a ratio of two sums, so its interval comes from the segments' residuals.
 *
 * <p>There are at most {@value #MAX_SEGMENTS} batches; when they are full and the run goes on, neighbours merge and each
 * holds twice as many.
 */
final class RunLog {
    static final int MAX_SEGMENTS = 64;

    /** Sums per segment. Times are in ms. */
    enum Sum {
        /** Completed requests. */
        REQUESTS,
        OUTPUT_TOKENS,
        E2E_MS,
        /** End-to-end time plus mean think time. */
        CYCLE_MS,
        TTFT_MS,
        QUEUE_MS,
        TPOT_MS,
        /** Requests of two output tokens and more. */
        TPOT_REQUESTS,
        REQUEST_ROUNDS,
        ELAPSED_MS,
        STEPS,
        BUSY_MS,
        /** Time that prompt tokens cost. */
        PREFILL_MS,
        /** Steps with decode rows, and their rows and resident requests. */
        DECODE_ROUNDS,
        ROWS,
        RESIDENT,
        /** Time that steps with decode rows would take without prompt tokens. */
        DECODE_MS,
        /** Request-rounds and the tokens drawn in them, before truncation. */
        DRAWS,
        DRAWN_TOKENS,
        /** Tokens that the completed requests drew beyond what their laws expect: mean 0 where rounds are independent. */
        SURPLUS,
        /** Drawn prompt and output tokens of the completed requests beyond their means. */
        PROMPT_SURPLUS,
        OUTPUT_SURPLUS,
        GAPS,
        GAP_MS,
        /** Steps that left requests waiting, by what was short. */
        WAITED_FOR_RUNNING,
        WAITED_FOR_MEMORY
    }

    private static final int SUMS = Sum.values().length;
    private static final long NOT_STARTED = -1;
    private static final long HISTOGRAM_UNIT_NS = 1000;

    private final double thinkMs;
    private final boolean toleratesRefusal;
    private final boolean replications;
    private long perSegment;

    private final double[] open = new double[SUMS];
    private final double[][] closed = new double[MAX_SEGMENTS][SUMS];
    private final long[] closedUpTo = new long[MAX_SEGMENTS];
    private final Histogram[] gaps = new Histogram[MAX_SEGMENTS];
    private final long[] leastGapNs = new long[MAX_SEGMENTS];
    private final long[] mostGapNs = new long[MAX_SEGMENTS];
    private Histogram openGaps = gapHistogram();
    private long openLeastGapNs = Long.MAX_VALUE;
    private long openMostGapNs;
    private int segments;
    private long openSinceNs = NOT_STARTED;
    private long lastCompletionNs;
    private long draws;
    private long drawnTokens;

    private final SampleSeries e2e = new SampleSeries();
    private final SampleSeries ttft = new SampleSeries();
    private final SampleSeries tpot = new SampleSeries();
    private final QueueSeries queue = new QueueSeries(RunSeries.INTERVALS);
    private long completed;
    private long refused;

    private long commonSinceNs;
    private long commonNowNs;
    private long commonGaps;

    /**
     * @param perSegment completed requests per batch; 0 = segments are whole replications, closed by {@link #endReplication}
     * @param thinkMs mean think time of a closed loop, ms; 0 where there is none
     * @param toleratesRefusal false when a request that can never fit ends the run at once
     */
    RunLog(long perSegment, double thinkMs, boolean toleratesRefusal) {
        this.perSegment = perSegment;
        this.thinkMs = thinkMs;
        this.toleratesRefusal = toleratesRefusal;
        replications = perSegment == 0;
    }

    /** An empty histogram of times between commits, ns. */
    static Histogram gapHistogram() {
        Histogram h = new Histogram(HISTOGRAM_UNIT_NS, HISTOGRAM_UNIT_NS * 4096, 3);
        h.setAutoResize(true);
        return h;
    }

    private void add(Sum column, double value) {
        open[column.ordinal()] += value;
    }

    // What the engine tells.

    /** A request arrived: the first starts the clock of a run. */
    void arrived(long nowNs) {
        if (openSinceNs == NOT_STARTED) {
            openSinceNs = nowNs;
        }
    }

    /** @param waiting requests in the queue */
    void returned(Step step, int waiting) {
        if (segments == 0 || !replications) {
            queue.step(step.startNs, step.endNs, step.resident, waiting);
        }
        add(Sum.STEPS, 1);
        add(Sum.BUSY_MS, step.ms);
        if (step.chunks > 0) {
            add(Sum.PREFILL_MS, step.prefillMs);
        }
        if (step.decodes > 0) {
            add(Sum.DECODE_ROUNDS, 1);
            add(Sum.ROWS, step.paddedRows);
            add(Sum.RESIDENT, step.resident);
            add(Sum.DECODE_MS, step.ms - step.prefillMs);
        }
    }

    void planned(boolean waitsForRunning, boolean waitsForMemory) {
        if (waitsForRunning) {
            add(Sum.WAITED_FOR_RUNNING, 1);
        }
        if (waitsForMemory) {
            add(Sum.WAITED_FOR_MEMORY, 1);
        }
    }

    void drawn(int tokens) {
        draws++;
        drawnTokens += tokens;
    }

    /** A request received tokens now, and before that at {@code sinceNs}; neighbours with the same gap are counted at once. */
    void gap(long nowNs, long sinceNs) {
        if (sinceNs != commonSinceNs || nowNs != commonNowNs) {
            flushGaps();
            commonSinceNs = sinceNs;
            commonNowNs = nowNs;
        }
        commonGaps++;
    }

    private void flushGaps() {
        if (commonGaps > 0) {
            long ns = commonNowNs - commonSinceNs;
            openGaps.recordValueWithCount(ns, commonGaps);
            openLeastGapNs = Math.min(openLeastGapNs, ns);
            openMostGapNs = Math.max(openMostGapNs, ns);
            add(Sum.GAPS, commonGaps);
            add(Sum.GAP_MS, commonGaps * (ns / 1e6));
            commonGaps = 0;
        }
    }

    void completed(RequestTable r, int slot, long nowNs) {
        if (!replications && segments == MAX_SEGMENTS) {
            merge();
        }
        double e2eMs = (nowNs - r.arrivalNs[slot]) / 1e6;
        double ttftMs = (r.firstNs[slot] - r.arrivalNs[slot]) / 1e6;
        int osl = r.osl[slot];
        add(Sum.REQUESTS, 1);
        add(Sum.OUTPUT_TOKENS, osl);
        add(Sum.E2E_MS, e2eMs);
        add(Sum.CYCLE_MS, e2eMs + thinkMs);
        add(Sum.TTFT_MS, ttftMs);
        add(Sum.QUEUE_MS, (r.scheduledNs[slot] - r.arrivalNs[slot]) / 1e6);
        add(Sum.REQUEST_ROUNDS, r.rounds[slot]);
        add(Sum.SURPLUS, r.surplus[slot]);
        add(Sum.PROMPT_SURPLUS, r.isl[slot] - r.meanIsl[slot]);
        add(Sum.OUTPUT_SURPLUS, osl - r.meanOsl[slot]);
        e2e.add(e2eMs);
        ttft.add(ttftMs);
        if (osl > 1) {
            double tpotMs = (nowNs - r.firstNs[slot]) / 1e6 / (osl - 1);
            add(Sum.TPOT_MS, tpotMs);
            add(Sum.TPOT_REQUESTS, 1);
            tpot.add(tpotMs);
        } else {
            tpot.add(Double.NaN);
        }
        completed++;
        lastCompletionNs = nowNs;
        if (!replications && open[Sum.REQUESTS.ordinal()] >= perSegment) {
            close();
        }
    }

    void refused() {
        refused++;
    }

    boolean toleratesRefusal() {
        return toleratesRefusal;
    }

    /** Ends a replication at its last completion: a segment of its own. */
    void endReplication() {
        close();
        openSinceNs = NOT_STARTED;
    }

    /** Closes what is open as a last, shorter batch, unless no request completed in it. */
    void closeRemainder() {
        if (open[Sum.REQUESTS.ordinal()] > 0) {
            close();
        }
    }

    private void close() {
        flushGaps();
        add(Sum.ELAPSED_MS, (lastCompletionNs - openSinceNs) / 1e6);
        add(Sum.DRAWS, draws);
        add(Sum.DRAWN_TOKENS, drawnTokens);
        draws = 0;
        drawnTokens = 0;
        openSinceNs = lastCompletionNs;
        System.arraycopy(open, 0, closed[segments], 0, SUMS);
        Arrays.fill(open, 0);
        closedUpTo[segments] = completed;
        leastGapNs[segments] = openLeastGapNs;
        mostGapNs[segments] = openMostGapNs;
        openLeastGapNs = Long.MAX_VALUE;
        openMostGapNs = 0;
        Histogram reuse = gaps[segments];
        gaps[segments] = openGaps;
        if (reuse == null) {
            openGaps = gapHistogram();
        } else {
            reuse.reset();
            openGaps = reuse;
        }
        segments++;
    }

    private void merge() {
        for (int s = 0; s < MAX_SEGMENTS / 2; s++) {
            double[] first = closed[2 * s];
            double[] second = closed[2 * s + 1];
            double[] to = closed[s];
            for (int c = 0; c < SUMS; c++) {
                to[c] = first[c] + second[c];
            }
            closedUpTo[s] = closedUpTo[2 * s + 1];
            leastGapNs[s] = Math.min(leastGapNs[2 * s], leastGapNs[2 * s + 1]);
            mostGapNs[s] = Math.max(mostGapNs[2 * s], mostGapNs[2 * s + 1]);
            Histogram merged = gaps[2 * s];
            merged.add(gaps[2 * s + 1]);
            gaps[2 * s] = gaps[s];
            gaps[s] = merged;
        }
        segments = MAX_SEGMENTS / 2;
        perSegment *= 2;
    }

    // What the statistics read.

    /** Requests that emitted their last token. */
    long completed() {
        return completed;
    }

    /** Requests refused, over all replications. */
    long refusedRequests() {
        return refused;
    }

    /** Replications of the run: 1 where segments are batches. */
    int replications() {
        return replications ? segments : 1;
    }

    int segments() {
        return segments;
    }

    /** Requests completed before the end of a segment. */
    long completedUpTo(int segment) {
        return closedUpTo[segment];
    }

    double sum(int segment, Sum column) {
        return closed[segment][column.ordinal()];
    }

    Histogram gaps(int segment) {
        return gaps[segment];
    }

    /** Smallest time between commits in a segment, ns. */
    long leastGapNs(int segment) {
        return leastGapNs[segment];
    }

    /** Largest time between commits in a segment, ns. */
    long mostGapNs(int segment) {
        return mostGapNs[segment];
    }

    /** Resident and waiting requests of the first run. */
    QueueSeries queue() {
        return queue;
    }

    SampleSeries e2e() {
        return e2e;
    }

    SampleSeries ttft() {
        return ttft;
    }

    SampleSeries tpot() {
        return tpot;
    }
}
