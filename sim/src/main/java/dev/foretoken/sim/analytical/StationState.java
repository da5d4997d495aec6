package dev.foretoken.sim.analytical;

/**
 * What the server does while n requests are resident.
 *
 * @param rounds mean rounds of one answer after its first token, E[R]
 * @param roundMs time of a decode round, ms
 * @param prefillMs prefill time of one request, which stalls every resident request, ms; where prompts share steps, what a cycle
 *     takes beyond its rounds, per resident request
 * @param rows query tokens of a round after padding
 */
public record StationState(double rounds, double roundMs, double prefillMs, double rows) {
    public StationState {
        if (!(rounds >= 0) || !(roundMs > 0) || !(prefillMs >= 0)) {
            throw new IllegalArgumentException("a station needs rounds >= 0, roundMs > 0 and prefillMs >= 0: " + rounds
                    + " rounds, " + roundMs + " ms, " + prefillMs + " ms");
        }
    }

    /** Time in which n resident requests complete n answers, ms: E[R] t(n w) + n p. */
    public double cycleMs(int n) {
        return rounds * roundMs + n * prefillMs;
    }
}
