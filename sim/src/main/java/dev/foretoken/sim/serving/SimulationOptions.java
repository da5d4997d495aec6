package dev.foretoken.sim.serving;

/**
 * How long and how exactly to simulate.
 *
 * @param seed seed of every random stream
 * @param relHalfWidth stop when the half-widths of the intervals of the mean figures are at most this share of the figures
 * @param level level of every interval
 * @param maxRequests most requests to complete in a steady-state run, or over the replications of a trace (one pass over a
 *     trace is always completed)
 */
public record SimulationOptions(long seed, double relHalfWidth, double level, long maxRequests) {
    /** Defaults: 1 % at the level 95 %, at most 20,000 requests. */
    public static final SimulationOptions DEFAULT = new SimulationOptions(1, 0.01, 0.95, 20_000);

    public SimulationOptions {
        if (!(relHalfWidth > 0 && relHalfWidth < 1)) {
            throw new IllegalArgumentException("rel_half_width must lie in (0, 1): " + relHalfWidth);
        }
        if (!(level > 0 && level < 1)) {
            throw new IllegalArgumentException("level must lie in (0, 1): " + level);
        }
        if (maxRequests < 1) {
            throw new IllegalArgumentException("max_requests must be at least 1: " + maxRequests);
        }
    }

    /** The same with another seed. */
    public SimulationOptions withSeed(long other) {
        return new SimulationOptions(other, relHalfWidth, level, maxRequests);
    }

    /** The same with another target half-width. */
    public SimulationOptions withRelHalfWidth(double target) {
        return new SimulationOptions(seed, target, level, maxRequests);
    }

    /** The same with another cap of requests. */
    public SimulationOptions withMaxRequests(long cap) {
        return new SimulationOptions(seed, relHalfWidth, level, cap);
    }
}
