package dev.foretoken.sim.serving;

import dev.foretoken.sim.round.RoundTimeModel;

/**
 * One way to run a round: what a request drafts, how many rows it verifies, and how long such rounds take.
 *
 * @param budget drafted tokens or tree nodes per request; 0 = plain decoding
 * @param width query tokens of a request that drafts; 1 for plain decoding
 * @param fireRate chance that a request drafts in a round (n-gram); without a draft it has one row and one token
 * @param rounds times of rounds under this option
 */
public record RoundOption(int budget, int width, double fireRate, RoundTimeModel rounds) {
    public RoundOption {
        if (budget < 0) {
            throw new IllegalArgumentException("budget must not be negative: " + budget);
        }
        if (width < 1) {
            throw new IllegalArgumentException("width must be at least 1: " + width);
        }
        if (!(fireRate >= 0 && fireRate <= 1)) {
            throw new IllegalArgumentException("fire_rate must lie in [0, 1]: " + fireRate);
        }
        if (rounds == null) {
            throw new IllegalArgumentException("an option needs round times (budget " + budget + ")");
        }
    }

    /** Plain decoding. */
    public static RoundOption autoregressive(RoundTimeModel rounds) {
        return new RoundOption(0, 1, 1, rounds);
    }

    /** Every request drafts in every round. */
    public static RoundOption drafting(int budget, int width, RoundTimeModel rounds) {
        return new RoundOption(budget, width, 1, rounds);
    }
}
