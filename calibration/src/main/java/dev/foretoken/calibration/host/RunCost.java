package dev.foretoken.calibration.host;

/**
 * What one run of a load cost.
 *
 * @param cpuSeconds of the server's process
 * @param wallSeconds from the first request to the last answer
 * @param promptTokens of a request, mean
 * @param draftTokens drafted in all
 * @param acceptedTokens of them accepted
 */
public record RunCost(
        double cpuSeconds, double wallSeconds, double promptTokens, long draftTokens, long acceptedTokens) {
    public RunCost {
        if (!(cpuSeconds > 0) || Double.isInfinite(cpuSeconds)) {
            throw new IllegalArgumentException("CPU seconds of a run must be finite and positive: " + cpuSeconds);
        }
    }
}
