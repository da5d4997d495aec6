package dev.foretoken.calibration.fit;

/**
 * What a fit is for.
 *
 * @param card catalogue id of the card (or of the host)
 * @param engine engine id; "own" for timings that belong to no engine
 * @param version engine version; null when none
 * @param seed of the draws
 */
public record FitOptions(String card, String engine, String version, long seed) {
    public FitOptions {
        if (card == null || card.isBlank() || engine == null || engine.isBlank()) {
            throw new IllegalArgumentException("a fit names its card and engine: " + card + ", " + engine);
        }
    }
}
