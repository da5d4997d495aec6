package dev.foretoken.sim.whitebox;

import dev.foretoken.sim.profile.ProfileDraws;
import dev.foretoken.sim.round.RoundTime;
import dev.foretoken.sim.round.RoundTimeModel;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One end of the 90 % band that the intervals of a measured profile leave a round: the central time, shifted by the spread of
 * the same round under draws of that half of the profile's intervals.
 */
final class TimingBand implements RoundTimeModel {
    private final WhiteBox central;
    private final List<WhiteBox> draws;
    private final double deviate;

    /** @param upper true for the slow end */
    TimingBand(WhiteBox central, List<WhiteBox> draws, boolean upper) {
        this.central = central;
        this.draws = draws;
        this.deviate = upper ? ProfileDraws.Z95 : -ProfileDraws.Z95;
    }

    private double shifted(ToDoubleFunction<WhiteBox> ms) {
        double middle = ms.applyAsDouble(central);
        double squares = 0;
        for (WhiteBox draw : draws) {
            double d = Math.log(ms.applyAsDouble(draw) / middle);
            squares += d * d;
        }
        return middle * Math.exp(deviate * Math.sqrt(squares / draws.size()));
    }

    @Override
    public double roundMs(int requests, long rows, double contextTokens, double maxContextTokens) {
        return shifted(b -> b.roundMs(requests, rows, contextTokens, maxContextTokens));
    }

    @Override
    public double mixedRoundMs(
            int requests,
            long rows,
            double contextTokens,
            double maxContextTokens,
            long prefillTokens,
            double prefillContext) {
        return shifted(
                b -> b.mixedRoundMs(requests, rows, contextTokens, maxContextTokens, prefillTokens, prefillContext));
    }

    /** The central round: terms are told once. */
    @Override
    public RoundTime explain(int requests, long rows, double contextTokens, double maxContextTokens) {
        return central.explain(requests, rows, contextTokens, maxContextTokens);
    }
}
