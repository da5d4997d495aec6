package dev.foretoken.sim.serving;

import dev.foretoken.sim.round.RoundTime;
import dev.foretoken.sim.round.RoundTimeModel;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/** Rounds whose time depends on rows only, and prompts of so many ms per token: for hand-worked examples. */
record ConstantRounds(DoubleUnaryOperator msByRows, double prefillMsPerToken) implements RoundTimeModel {

    static ConstantRounds of(double ms) {
        return new ConstantRounds(rows -> ms, 0);
    }

    static ConstantRounds of(double ms, double prefillMsPerToken) {
        return new ConstantRounds(rows -> ms, prefillMsPerToken);
    }

    @Override
    public double roundMs(int requests, long rows, double contextTokens, double maxContextTokens) {
        return msByRows.applyAsDouble(rows);
    }

    @Override
    public double mixedRoundMs(
            int requests,
            long rows,
            double contextTokens,
            double maxContextTokens,
            long prefillTokens,
            double prefillContext) {
        double decode = requests == 0 ? 0 : msByRows.applyAsDouble(rows);
        return decode + prefillTokens * prefillMsPerToken;
    }

    @Override
    public RoundTime explain(int requests, long rows, double contextTokens, double maxContextTokens) {
        double ms = msByRows.applyAsDouble(rows);
        return new RoundTime(ms, Map.of("target", ms), 0, null, false, List.of());
    }
}
