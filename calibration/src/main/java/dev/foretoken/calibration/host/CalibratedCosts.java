package dev.foretoken.calibration.host;

import dev.foretoken.calibration.fit.FitResult;
import dev.foretoken.calibration.fit.FittedCurve;
import dev.foretoken.sim.random.Streams;
import java.util.Arrays;

/**
 * Fitted costs with what they rest on.
 *
 * @param costs medians
 * @param rounds the fit of the curve of rounds
 * @param fit its table of residuals and rejected points
 * @param noise median relative difference of repeated runs
 */
public record CalibratedCosts(RoundCosts costs, FittedCurve rounds, FitResult fit, double noise) {
    private static final int MEANS = 400;

    /**
     * A predicted run.
     *
     * @param cpuSeconds expected CPU seconds
     * @param low 5 % quantile of a single run: costs and acceptance both drawn
     * @param high 95 % quantile
     * @param calibrated false when a round had more rows than any that was timed
     */
    public record Prediction(double cpuSeconds, double low, double high, boolean calibrated) {}

    /** Predicts a run under forced speculation. */
    public Prediction predict(ForcedSpeculation speculation, LoopLoad load, long seed) {
        double sum = 0;
        double[] single = new double[MEANS];
        for (int i = 0; i < MEANS; i++) {
            sum += LoopSimulator.cpuSeconds(costs, speculation, load, Streams.of(seed, "cpu-loop", i, 0));
            RoundCosts drawn = costs.with(rounds.draw(costs.roundUs().shape(), i));
            single[i] = LoopSimulator.cpuSeconds(drawn, speculation, load, Streams.of(seed, "cpu-loop", i, 1));
        }
        Arrays.sort(single);
        int most = load.concurrency() * (speculation.drafts() + 1);
        return new Prediction(sum / MEANS, single[MEANS / 20], single[MEANS - 1 - MEANS / 20], costs.calibrated(most));
    }
}
