package dev.foretoken.sim.profile;

/**
 * The card while it was timed. Absent = not recorded.
 *
 * @param device name that the driver gives
 * @param smClockMhz multiprocessor clock under load, MHz
 * @param memoryClockMhz memory clock under load, MHz
 * @param powerLimitW power limit, W
 * @param driver driver version
 */
public record CardState(String device, Double smClockMhz, Double memoryClockMhz, Double powerLimitW, String driver) {
    public CardState {
        positive("sm_clock_mhz", smClockMhz);
        positive("memory_clock_mhz", memoryClockMhz);
        positive("power_limit_w", powerLimitW);
    }

    private static void positive(String key, Double v) {
        if (v != null && !(v > 0 && Double.isFinite(v))) {
            throw new IllegalArgumentException(key + " must be finite and positive: " + v);
        }
    }
}
