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
 * @param lag how late the client was; null for a segment read from a file
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

    /** A segment of a run file. */
    static RunResult ofSegment(List<RequestRecord> records, String stoppedBecause) {
        long from = records.stream()
                .filter(r -> r.phase() == Phase.MEASURED)
                .mapToLong(RequestRecord::intendedNs)
                .min()
                .orElse(-1);
        long to = records.stream()
                .filter(r -> r.phase() == Phase.MEASURED && r.status() != RequestRecord.Status.CANCELLED)
                .mapToLong(RequestRecord::endNs)
                .max()
                .orElse(-1);
        return new RunResult(records, 0, from, to, stoppedBecause == null, stoppedBecause, 0, null);
    }

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
