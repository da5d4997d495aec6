package dev.foretoken.validation.client;

import java.time.Duration;

/**
 * How much to send.
 *
 * @param load offered load
 * @param warmup requests sent first and discarded
 * @param measured requests that count
 * @param seed of think and arrival times
 * @param limit the run is broken off after this time, with what it has
 */
public record RunPlan(Load load, int warmup, int measured, long seed, Duration limit) {
    /** How the reason of a run that met its limit begins. */
    public static final String TIME_LIMIT = "the time limit";

    public RunPlan {
        if (warmup < 0 || measured < 1) {
            throw new IllegalArgumentException("warmup " + warmup + " and measured " + measured + " requests");
        }
        if (limit.isNegative() || limit.isZero()) {
            throw new IllegalArgumentException("the time limit must be positive: " + limit);
        }
        if (load instanceof Load.Trace t && t.arrivalNs().length < warmup + measured) {
            throw new IllegalArgumentException(
                    "the trace has " + t.arrivalNs().length + " arrivals, " + (warmup + measured) + " are needed");
        }
    }
}
