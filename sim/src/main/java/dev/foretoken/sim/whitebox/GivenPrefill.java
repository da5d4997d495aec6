package dev.foretoken.sim.whitebox;

import dev.foretoken.sim.round.RoundTime;
import dev.foretoken.sim.round.RoundTimeModel;

/**
 * Rounds from kernel timings with prompts at a given price: prompt tokens add to a round what they cost alone.
 *
 * @param rounds of the kernels
 * @param prefillMsPerToken ms per prompt token, 0 or more
 */
record GivenPrefill(RoundTimeModel rounds, double prefillMsPerToken) implements RoundTimeModel {
    GivenPrefill {
        if (!(prefillMsPerToken >= 0)) {
            throw new IllegalArgumentException("prefill_ms_per_token must be 0 or more: " + prefillMsPerToken);
        }
    }

    @Override
    public double roundMs(int requests, long rows, double contextTokens, double maxContextTokens) {
        return rounds.roundMs(requests, rows, contextTokens, maxContextTokens);
    }

    @Override
    public double mixedRoundMs(
            int requests,
            long rows,
            double contextTokens,
            double maxContextTokens,
            long prefillTokens,
            double prefillContext) {
        double prompts = prefillTokens * prefillMsPerToken;
        return requests == 0 ? prompts : roundMs(requests, rows, contextTokens, maxContextTokens) + prompts;
    }

    @Override
    public RoundTime explain(int requests, long rows, double contextTokens, double maxContextTokens) {
        return rounds.explain(requests, rows, contextTokens, maxContextTokens);
    }
}
