package dev.foretoken.sim.analytical;

/** The server as a load-dependent station: its state for each number of resident requests. */
public interface Station {
    /** State with n resident requests, n = 1..maxResident. */
    StationState at(int n);

    /** Largest number of resident requests (max_running or memory); {@link Integer#MAX_VALUE} when unlimited. */
    int maxResident();

    /**
     * Prefill time of several prompts that join at the same round boundary and share chunks, ms.
     *
     * @param prompts at least 1
     */
    default double prefillMs(int prompts) {
        return prompts * at(1).prefillMs();
    }

    /**
     * The cycle of n resident requests where prompts share steps with decode rows; null where they run by themselves.
     *
     * @param fluctuating false: the backlog of prompts is taken as if it did not fluctuate, which is quick
     */
    default MixedCycle mixed(int n, boolean fluctuating) {
        return null;
    }

    /** Prompts that one chunk holds, at least 1: their first tokens come together. */
    default int promptsPerChunk() {
        return 1;
    }

    /** Whether every answer takes the same number of rounds, so that staggered requests stay staggered. */
    default boolean fixedRounds() {
        return false;
    }
}
