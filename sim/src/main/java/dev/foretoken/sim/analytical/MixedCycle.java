package dev.foretoken.sim.analytical;

/**
 * What happens between two answers of a resident request when prompts share steps with decode rows.
 *
 * @param cycleMs time from joining to the end of the answer and whatever passes until the next one joins, ms
 * @param roundMs mean over steps with decode rows of the time that these alone would take, ms
 * @param rows mean decode rows of those steps
 * @param firstTokenMs mean time from arrival to the first token for one who finds a place free, ms
 * @param prefillShare share of the time that prompts add to steps
 */
public record MixedCycle(double cycleMs, double roundMs, double rows, double firstTokenMs, double prefillShare) {
    public MixedCycle {
        if (!(cycleMs > 0) || !(roundMs >= 0) || !(firstTokenMs >= 0) || !(prefillShare >= 0 && prefillShare <= 1)) {
            throw new IllegalArgumentException("a cycle takes time and its share of prefill lies in [0, 1]: " + cycleMs
                    + " ms, rounds of " + roundMs + " ms, " + firstTokenMs + " ms to the first token, prefill share "
                    + prefillShare);
        }
    }
}
