package dev.foretoken.validation.compare;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.foretoken.sim.statistics.PredictionErrors;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Errors of a set of predictions.
 *
 * @param n pairs
 * @param meanAbsolutePercent mean |predicted / measured - 1|, percent
 * @param medianAbsolutePercent median of the same
 * @param worstPercent largest, signed
 * @param biasLogRatio mean of ln(predicted / measured)
 * @param tooHigh predictions above the measurement
 * @param kendallTauB agreement of the rankings, null where one side is all ties
 * @param coverage share of measurements inside the predicted interval, null without intervals
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ErrorSummary(
        int n,
        double meanAbsolutePercent,
        double medianAbsolutePercent,
        double worstPercent,
        double biasLogRatio,
        int tooHigh,
        Double kendallTauB,
        Double coverage) {

    /**
     * One prediction and its measurement, both positive.
     *
     * @param interval predicted [lo, hi], null if none
     */
    public record Pair(double predicted, double measured, double[] interval) {
        public Pair {
            if (!(predicted > 0) || !(measured > 0) || !Double.isFinite(predicted) || !Double.isFinite(measured)) {
                throw new IllegalArgumentException("predicted " + predicted + ", measured " + measured);
            }
        }

        public static Pair of(double predicted, double measured) {
            return new Pair(predicted, measured, null);
        }

        /** predicted / measured - 1, percent. */
        public double percent() {
            return 100 * (predicted / measured - 1);
        }

        public double logRatio() {
            return Math.log(predicted / measured);
        }
    }

    /** @param pairs at least one */
    public static ErrorSummary of(List<Pair> pairs) {
        double[] p = pairs.stream().mapToDouble(Pair::predicted).toArray();
        double[] m = pairs.stream().mapToDouble(Pair::measured).toArray();
        PredictionErrors e = new PredictionErrors(p, m);
        double[] absolute =
                pairs.stream().mapToDouble(x -> Math.abs(x.percent())).sorted().toArray();
        double worst = pairs.stream()
                .mapToDouble(Pair::percent)
                .reduce((a, b) -> Math.abs(a) >= Math.abs(b) ? a : b)
                .orElseThrow();
        OptionalDouble tau = pairs.size() < 2 ? OptionalDouble.empty() : e.kendallTauB();
        List<Pair> banded = pairs.stream().filter(x -> x.interval != null).toList();
        Double coverage = banded.isEmpty()
                ? null
                : banded.stream()
                                .filter(x -> x.measured >= x.interval[0] && x.measured <= x.interval[1])
                                .count()
                        / (double) banded.size();
        return new ErrorSummary(
                pairs.size(),
                100 * e.meanAbsoluteRelativeError(),
                median(absolute),
                worst,
                e.meanLogRatio(),
                (int) pairs.stream().filter(x -> x.predicted > x.measured).count(),
                tau.isPresent() ? tau.getAsDouble() : null,
                coverage);
    }

    /** Median of sorted values. */
    static double median(double[] sorted) {
        int n = sorted.length;
        return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    }

    /** Median of values in any order. */
    public static double medianOf(double[] values) {
        double[] v = values.clone();
        Arrays.sort(v);
        return median(v);
    }
}
