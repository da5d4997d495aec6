package dev.foretoken.validation.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Sends a load and collects the records. The load is kept up until the last measured request has ended, so that the measured
 * ones see it from beginning to end: in a closed loop every client goes on with further requests, in an open loop arrivals go
 * on; those are discarded. Latency counts from the intended send time, which in a closed loop is the end of the client's last
 * answer plus its think time, in an open loop the arrival.
 */
public final class LoadRunner {
    private static final int MAX_FAILURES_IN_A_ROW = 20;

    private final StreamClient client;
    private final TimeSource time;
    private final RunPlan plan;
    private final RequestSource source;
    private final Function<PlannedRequest, ObjectNode> body;
    private final String path;
    private final RunJournal journal;
    private final int segment;
    private final Set<Long> done;
    private final List<RequestRecord> records = new ArrayList<>();
    private final CompletableFuture<Void> finished = new CompletableFuture<>();

    private long origin;
    private long nextIndex;
    private int measuredLeft;
    private int inFlight;
    private int failuresInARow;
    private long windowStart = -1;
    private long windowEnd = -1;
    private boolean stopping;
    private String stoppedBecause;

    /**
     * @param path route
     * @param body JSON of a request
     * @param journal takes every record as it comes; null = none
     * @param segment number of this segment of the run
     * @param done measured requests that an earlier segment completed
     */
    public LoadRunner(
            StreamClient client,
            TimeSource time,
            RunPlan plan,
            RequestSource source,
            String path,
            Function<PlannedRequest, ObjectNode> body,
            RunJournal journal,
            int segment,
            Set<Long> done) {
        this.client = client;
        this.time = time;
        this.plan = plan;
        this.source = source;
        this.path = path;
        this.body = body;
        this.journal = journal;
        this.segment = segment;
        this.done = Set.copyOf(done);
    }

    /** Starts the load; the future completes when the run is over. */
    public CompletableFuture<RunResult> start() {
        long wallStart = time.wallMillis();
        synchronized (this) {
            origin = time.nanoTime();
            measuredLeft = plan.measured();
            for (long i : done) {
                if (i >= plan.warmup() && i < plan.warmup() + plan.measured()) {
                    measuredLeft--;
                }
            }
            if (measuredLeft == 0) {
                stop(null);
            } else if (plan.load() instanceof Load.Closed c) {
                for (int i = 0; i < c.concurrency(); i++) {
                    sendNext(0, c.staggered() ? i + 1 : 0, c.concurrency());
                }
            } else {
                arrive(Load.arrivals(plan.load(), plan.seed()));
            }
        }
        time.at(
                origin + plan.limit().toNanos(),
                () -> stop(RunPlan.TIME_LIMIT + " of " + plan.limit().toSeconds() + " s"));
        return finished.thenApply(v -> result(wallStart));
    }

    /** Stops the run: nothing more is sent, streams in flight end as cancelled. */
    public void interrupt() {
        stop("interrupted");
    }

    private synchronized RunResult result(long wallStart) {
        double wall = time.wallMillis() - wallStart;
        double mono = (time.nanoTime() - origin) / 1e6;
        return new RunResult(
                List.copyOf(records),
                origin,
                windowStart,
                windowEnd,
                measuredLeft == 0,
                stoppedBecause,
                wall - mono,
                client.lag().summary());
    }

    private void stop(String because) {
        synchronized (this) {
            if (stopping) {
                return;
            }
            stopping = true;
            stoppedBecause = because;
            if (inFlight == 0) {
                finished.complete(null);
                return;
            }
        }
        client.cancelAll();
    }

    private void arrive(Load.Arrivals arrivals) {
        long at = arrivals.nextNs();
        if (at < 0) {
            return;
        }
        time.at(origin + at, () -> {
            synchronized (this) {
                if (!stopping) {
                    sendNext(at, 0, 1);
                    arrive(arrivals);
                }
            }
        });
    }

    /** Sends the next request; the first of a staggered client is cut to i/n of its length. Callers hold the lock. */
    private void sendNext(long intendedNs, int i, int n) {
        long index = nextIndex();
        Phase phase = phase(index);
        PlannedRequest request = source.request(index, phase);
        if (request.index() != index || request.phase() != phase) {
            throw new IllegalStateException("request " + index + " " + phase + " was asked for, the source gave "
                    + request.index() + " " + request.phase());
        }
        if (i > 0 && phase == Phase.WARMUP) {
            request = request.withMaxTokens(Math.max(1, (int) ((long) request.maxTokens() * i / n)));
        }
        if (phase == Phase.MEASURED && windowStart < 0) {
            windowStart = intendedNs;
        }
        inFlight++;
        var unused = client.send(request, path, body.apply(request), segment, origin, intendedNs)
                .whenComplete((record, failure) -> ended(record, failure));
    }

    /** Warm-up and cool-down requests are always new; measured ones are those that earlier segments left. */
    private long nextIndex() {
        while (done.contains(nextIndex)) {
            nextIndex++;
        }
        return nextIndex++;
    }

    private Phase phase(long index) {
        return index < plan.warmup()
                ? Phase.WARMUP
                : index < plan.warmup() + plan.measured() ? Phase.MEASURED : Phase.COOLDOWN;
    }

    private void ended(RequestRecord record, Throwable failure) {
        boolean over;
        String because = null;
        synchronized (this) {
            inFlight--;
            if (failure != null) {
                because = "a response could not be booked: " + failure;
            } else {
                records.add(record);
                if (journal != null) {
                    journal.append(record);
                }
                if (record.phase() == Phase.MEASURED && record.status() != RequestRecord.Status.CANCELLED) {
                    measuredLeft--;
                    windowEnd = Math.max(windowEnd, record.endNs());
                }
                failuresInARow =
                        record.ok() || record.status() == RequestRecord.Status.CANCELLED ? 0 : failuresInARow + 1;
                if (failuresInARow >= MAX_FAILURES_IN_A_ROW) {
                    because = MAX_FAILURES_IN_A_ROW + " requests in a row failed, the last with " + record.status()
                            + ": " + record.error();
                }
                if (journal != null && journal.failed()) {
                    because = "the run file cannot be written";
                }
            }
            over = measuredLeft == 0;
            if (!stopping && !over && because == null && plan.load() instanceof Load.Closed c) {
                long think = c.thinkNs(plan.seed(), record.index());
                long intended = record.endNs() + think;
                if (think == 0) {
                    sendNext(intended, 0, 1);
                } else {
                    time.at(origin + intended, () -> sendLater(intended));
                }
            }
            if (stopping && inFlight == 0) {
                finished.complete(null);
            }
        }
        if (over || because != null) {
            stop(because);
        }
        client.endHandled();
    }

    private synchronized void sendLater(long intendedNs) {
        if (!stopping) {
            sendNext(intendedNs, 0, 1);
        }
    }
}
