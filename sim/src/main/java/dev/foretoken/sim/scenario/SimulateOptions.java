package dev.foretoken.sim.scenario;

/**
 * When a simulation stops.
 *
 * @param relHalfWidth target relative half-width of the interval of output tokens per second
 * @param level confidence level
 * @param maxRequests cap on the requests per point
 */
public record SimulateOptions(double relHalfWidth, double level, long maxRequests) {
    public static final SimulateOptions DEFAULT = new SimulateOptions(0.01, 0.95, 20_000);

    public SimulateOptions {
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
}
