package dev.foretoken.validation.client;

/**
 * What every request of a run asks for.
 *
 * @param api route
 * @param temperature sampling temperature, always sent
 * @param ignoreEos generate exactly the tokens asked for: on for timing runs, off for acceptance runs
 * @param bypassPrefixCache ask the engine not to reuse the prompts of earlier runs
 * @param salt text that is new in every run
 * @param seed sampling seed
 */
public record RequestOptions(
        Api api, double temperature, boolean ignoreEos, boolean bypassPrefixCache, String salt, long seed) {
    public RequestOptions {
        if (!(temperature >= 0) || temperature > 2) {
            throw new IllegalArgumentException("temperature must lie in [0, 2]: " + temperature);
        }
    }
}
