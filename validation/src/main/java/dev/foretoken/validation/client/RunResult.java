package dev.foretoken.validation.client;

import java.util.List;

/**
 * What one run (or segment of a resumed run) gave.
 *
 * @param records every request sent, in the order in which they ended
 * @param originNs monotonic time of the start, to which all times of the records refer
 * @param windowStartNs first intended send of a measured request, ns since the start; -1 if none was sent
 * @param windowEndNs end of the last measured request
 * @param complete all measured requests ended
 * @param stoppedBecause why it stopped early, null if it did not
 * @param wallDriftMs wall clock minus monotonic clock over the run, ms: a jump shows here
 * @param lag how late the client was
 */
public record RunResult(
        List<RequestRecord> records,
        long originNs,
        long windowStartNs,
        long windowEndNs,
        boolean complete,
        String stoppedBecause,
        double wallDriftMs,
        LagMeter.Summary lag) {

    /** Measured requests that ended well. */
    public List<RequestRecord> measured() {
        return records.stream()
                .filter(r -> r.phase() == Phase.MEASURED && r.ok())
                .toList();
    }

    /** Measured requests that failed. */
    public List<RequestRecord> failed() {
        return records.stream()
                .filter(r -> r.phase() == Phase.MEASURED && !r.ok())
                .toList();
    }
}
