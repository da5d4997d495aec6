package dev.foretoken.validation.compare;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.foretoken.sim.statistics.MeanInterval;
import dev.foretoken.sim.statistics.Tost;
import java.util.Arrays;
import java.util.Locale;

/**
 * Is a prediction equivalent to the measurement? Two one-sided tests on log(measured / predicted) over runs, each after a
 * restart of the server; requests are not replicates. The band is log 1.05 for a single client and log 1.10 under load.
 *
 * @param verdict decision
 * @param runs number of runs
 * @param meanLogRatio mean of ln(measured / predicted); positive when the measurement is larger
 * @param bandLog half-width of the band
 * @param noiseLog standard deviation of the runs, null with one run
 * @param pValue of the two one-sided tests, null when not tested
 * @param reason why, a sentence
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Equivalence(
        Verdict verdict, int runs, double meanLogRatio, double bandLog, Double noiseLog, Double pValue, String reason) {

    /** Fewest runs per arm. */
    public static final int MIN_RUNS = 5;

    private static final double ALPHA = 0.05;
    private static final double SINGLE = Math.log(1.05);
    private static final double LOADED = Math.log(1.10);

    /** What can be said. */
    public enum Verdict {
        EQUIVALENT,
        DIFFERENT,
        UNDECIDED
    }

    /** Band of a load: one client, or more. */
    public static double band(boolean singleClient) {
        return singleClient ? SINGLE : LOADED;
    }

    /**
     * Tests one cell.
     *
     * @param predicted positive
     * @param runs one positive value per run
     */
    public static Equivalence of(double predicted, double[] runs, boolean singleClient) {
        double band = band(singleClient);
        double[] logs = Arrays.stream(runs).map(v -> Math.log(v / predicted)).toArray();
        double mean = Arrays.stream(logs).average().orElseThrow();
        if (runs.length < 2) {
            return new Equivalence(
                    Verdict.UNDECIDED, runs.length, mean, band, null, null, "one run; " + MIN_RUNS + " are needed");
        }
        MeanInterval interval = MeanInterval.of(logs, 1 - 2 * ALPHA);
        double noise = interval.standardError() * Math.sqrt(runs.length);
        if (runs.length < MIN_RUNS) {
            return new Equivalence(
                    Verdict.UNDECIDED,
                    runs.length,
                    mean,
                    band,
                    noise,
                    null,
                    runs.length + " runs; " + MIN_RUNS + " are needed");
        }
        if (noise > band) {
            return new Equivalence(
                    Verdict.UNDECIDED,
                    runs.length,
                    mean,
                    band,
                    noise,
                    null,
                    String.format(
                            Locale.ROOT,
                            "runs vary by %.1f %% (standard deviation), more than the band of %.0f %%",
                            100 * Math.expm1(noise),
                            100 * Math.expm1(band)));
        }
        Tost t = Tost.of(logs, band);
        if (t.equivalent(ALPHA)) {
            return new Equivalence(
                    Verdict.EQUIVALENT, runs.length, mean, band, noise, t.pValue(), "inside the band at the 5 % level");
        }
        boolean outside = Math.abs(mean) - interval.halfWidth() > band;
        return new Equivalence(
                outside ? Verdict.DIFFERENT : Verdict.UNDECIDED,
                runs.length,
                mean,
                band,
                noise,
                t.pValue(),
                outside ? "the 90 % interval lies outside the band" : "the 90 % interval crosses the edge of the band");
    }
}
