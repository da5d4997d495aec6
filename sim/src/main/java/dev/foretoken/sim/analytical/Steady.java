package dev.foretoken.sim.analytical;

/**
 * Steady state of one point.
 *
 * @param requestsPerMs completion rate, per ms
 * @param inSystem mean requests in the system (waiting and resident)
 * @param waiting mean requests that wait for a place in the batch
 * @param waitProbability chance that a request must wait for a place in the batch
 * @param resident mean resident requests over busy rounds
 * @param roundMs mean decode round over busy rounds, ms
 * @param rows mean rows over busy rounds
 * @param rounds mean rounds per answer, weighted by completions
 * @param busyShare share of time with at least one resident request
 * @param prefillShare share of busy time spent on prompts
 * @param e2eMs mean time in the system, ms (Little)
 * @param waitMs mean wait for a place in the batch, ms
 * @param boundaryMs mean wait for the round in progress to end, ms
 * @param promptWaitMs mean wait for prompts of earlier arrivals that are computed first, ms
 * @param promptWaitProbability chance of such a wait
 * @param firstTokenPrefillMs mean prefill time up to the first token: those who go first and the request's own, ms
 */
public record Steady(
        double requestsPerMs,
        double inSystem,
        double waiting,
        double waitProbability,
        double resident,
        double roundMs,
        double rows,
        double rounds,
        double busyShare,
        double prefillShare,
        double e2eMs,
        double waitMs,
        double boundaryMs,
        double promptWaitMs,
        double promptWaitProbability,
        double firstTokenPrefillMs) {

    /** Mean time to first token, ms: the whole time where the first token is the last, else never above it. */
    public double ttftMs() {
        if (rounds == 0) {
            return e2eMs;
        }
        return Math.min(e2eMs, waitMs + boundaryMs + promptWaitMs + firstTokenPrefillMs);
    }
}
