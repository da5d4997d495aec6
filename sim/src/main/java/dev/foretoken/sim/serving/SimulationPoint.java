package dev.foretoken.sim.serving;

import java.util.List;

/**
 * Figures of one simulated point. Times are ms; what a run cannot give is null (for example tpot when every output has one
 * token).
 *
 * @param outputTokS output tokens per second of the replica
 * @param requestsPerS completed requests per second
 * @param ttftMs arrival to first token
 * @param tpotMs (last token - first token) / (output - 1), mean over requests
 * @param roundGapMs time between two commits of a request, as its client sees it: stalls by prefill and preemption included
 * @param e2eMs arrival to last token
 * @param queueMs arrival to the first step that works on the request, mean
 * @param residentRequests resident requests, mean over rounds with decode rows
 * @param rowsPerRound decode rows after padding, mean over rounds
 * @param roundMs time of decode rounds, mean; of a mixed step what its decode rows alone would take
 * @param prefillShare share of the busy time that prompt tokens cost
 * @param roundsPerRequest decode rounds of a request, mean
 * @param acceptLength tokens drawn per request and round before truncation, mean
 * @param busyShare share of time in which the engine runs
 * @param waitForRunningShare share of steps that left requests waiting because max_running was reached
 * @param waitForMemoryShare share of steps that left requests waiting because memory was too short
 * @param preemptions preempted or retracted requests per completed request
 * @param peakKvPages most KV pages in use
 * @param level level of the intervals
 * @param requests completed requests behind the figures
 * @param deletedRequests completed requests deleted as warm-up
 * @param batches batches or replications behind the intervals; 1 where nothing is random
 * @param refusedRequests requests that could never fit and were refused
 * @param targetMet true when every mean figure that the stopping rule watches has its target half-width
 * @param series what charts show beside the figures; null in points of earlier versions
 * @param notes what a reader must know, each a sentence
 */
public record SimulationPoint(
        Estimate outputTokS,
        Estimate requestsPerS,
        Spread ttftMs,
        Spread tpotMs,
        Spread roundGapMs,
        Spread e2eMs,
        Estimate queueMs,
        Estimate residentRequests,
        Estimate rowsPerRound,
        Estimate roundMs,
        Estimate prefillShare,
        Estimate roundsPerRequest,
        Estimate acceptLength,
        Estimate busyShare,
        double waitForRunningShare,
        double waitForMemoryShare,
        double preemptions,
        long peakKvPages,
        double level,
        long requests,
        long deletedRequests,
        int batches,
        long refusedRequests,
        boolean targetMet,
        RunSeries series,
        List<String> notes) {
    public SimulationPoint {
        notes = List.copyOf(notes);
    }
}
