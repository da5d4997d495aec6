package dev.foretoken.calibration.host;

import dev.foretoken.calibration.fit.FitResult;
import dev.foretoken.calibration.fit.FittedCurve;
import dev.foretoken.calibration.host.ForcedSpeculation.Kind;
import dev.foretoken.sim.random.Streams;
import java.util.Arrays;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;

/**
 * Fitted costs with what they rest on.
 *
 * @param costs medians
 * @param promptTokens of the usual prompt
 * @param rounds the fit of the curve of rounds
 * @param fit its table of residuals and rejected points
 * @param noise relative standard deviation of one run, from repeats
 * @param passes of the calibration
 */
public record CalibratedCosts(
        RoundCosts costs, double promptTokens, FittedCurve rounds, FitResult fit, double noise, int passes) {
    private static final int DRAWS = 400;

    /**
     * A predicted run.
     *
     * @param cpuSeconds expected CPU seconds
     * @param low 5 % quantile of what may be measured: costs, acceptance, drift since the calibration and the noise of a run
     *     all drawn
     * @param high 95 % quantile
     * @param mostRows rows of its largest round
     * @param calibrated false when a round had more rows than any that was timed, or more sequences drafted
     */
    public record Prediction(double cpuSeconds, double low, double high, int mostRows, boolean calibrated) {}

    /**
     * Predicts a run under forced speculation; the band is that of the mean of some repeats.
     *
     * @param repeats whose mean is measured
     */
    public Prediction predict(ForcedSpeculation speculation, LoopLoad load, int repeats, long seed) {
        double sum = 0;
        double[] measured = new double[DRAWS];
        for (int i = 0; i < DRAWS; i++) {
            sum += LoopSimulator.cpuSeconds(costs, speculation, load, promptTokens, Streams.of(seed, "cpu-loop", i, 0));
            UniformRandomProvider random = Streams.of(seed, "cpu-loop", i, 1);
            ZigguratSampler.NormalizedGaussian normal = ZigguratSampler.NormalizedGaussian.of(random);
            double known = noise / Math.sqrt(passes);
            RoundCosts drawn = costs.with(
                    rounds.draw(costs.roundUs().shape(), i),
                    Math.exp(known * normal.sample()),
                    Math.exp(known * normal.sample()));
            // the machine is as far from its calibration as the calibration's passes are from each other
            double drift = Math.exp(noise * normal.sample());
            double total = 0;
            for (int r = 0; r < repeats; r++) {
                total += LoopSimulator.cpuSeconds(drawn, speculation, load, promptTokens, random)
                        * Math.exp(noise * normal.sample());
            }
            measured[i] = drift * total / repeats;
        }
        Arrays.sort(measured);
        int most = load.concurrency() * (speculation.drafts() + 1);
        boolean drafter = speculation.kind() != Kind.DRAFT_MODEL
                || load.concurrency() <= costs.perDraftUs().lastKey();
        return new Prediction(
                sum / DRAWS,
                measured[DRAWS / 20],
                measured[DRAWS - 1 - DRAWS / 20],
                most,
                costs.calibrated(most) && drafter);
    }
}
