package dev.foretoken.sim.serving;

import dev.foretoken.sim.serving.RunLog.Sum;
import dev.foretoken.sim.statistics.Variances;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Figures and intervals from the segments of a run.
 *
 * <p>A mean figure is a ratio of two sums over the segments, r = sum A / sum B. Its standard error comes from the residuals
 * A_s - r B_s of the segments (classical ratio estimator), inflated by the AR(1) factor (1 + phi)/(1 - phi) when the lag-1
 * correlation phi of batch residuals is positive beyond chance; the interval is Student's.
 *
 * <p>Control variates: drawn lengths have known means, and where rounds are independent so have the tokens that requests
 * draw. The surplus over these means has mean 0 over whole requests (for tokens by Wald's identity); its least-squares share
 * is taken off every mean figure. What is left of the rounds of a request is the overshoot of its last one.
 *
 * <p>A percentile is read from all values; its interval is that of the share of values below it, found by
 * batches in the same way, turned back into values. This needs no density and allows for dependence.
 */
final class RunStatistics {
    private static final double NS_PER_MS = 1e6;
    /** Fewest segments for which the control variate's slope is estimated. */
    private static final int MIN_CONTROLLED = 10;
    /** Share of a control's squares below which it is taken for a multiple of others. */
    private static final double NEGLIGIBLE = 1e-9;

    private static final List<Sum> LENGTHS = List.of(Sum.OUTPUT_SURPLUS, Sum.PROMPT_SURPLUS);
    private static final List<Sum> ROUNDS_AND_LENGTHS = List.of(Sum.SURPLUS, Sum.OUTPUT_SURPLUS, Sum.PROMPT_SURPLUS);

    private final RunLog log;
    private final int first;
    private final int count;
    private final double quantile;
    private final boolean serial;
    private final boolean exact;
    private final List<double[]> controls;

    /**
     * @param first first segment that counts; those before are warm-up
     * @param level level of the intervals
     * @param serial true when neighbouring segments may depend on each other (batches of one run)
     * @param independentRounds true when the rounds of a request are independent draws, so that the surplus of drawn tokens
     *     has mean 0
     */
    RunStatistics(RunLog log, int first, double level, boolean serial, boolean independentRounds) {
        this(
                log,
                first,
                serial,
                log.segments() - first < MIN_CONTROLLED ? List.of() : independentRounds ? ROUNDS_AND_LENGTHS : LENGTHS,
                log.segments() - first < 2
                        ? 0
                        : TDistribution.of(log.segments() - first - 1.0).inverseCumulativeProbability((1 + level) / 2),
                false);
    }

    private RunStatistics(RunLog log, int first, boolean serial, List<Sum> controlled, double quantile, boolean exact) {
        this.log = log;
        this.first = first;
        this.serial = serial;
        this.quantile = quantile;
        this.exact = exact;
        count = log.segments() - first;
        controls = controls(controlled);
    }

    /** Statistics of a terminating run in which nothing is random: every interval is the figure. */
    static RunStatistics exact(RunLog log) {
        return new RunStatistics(log, 0, false, List.of(), 0, true);
    }

    /** True when nothing is random. */
    boolean isExact() {
        return exact;
    }

    /** Segments that count. */
    int segments() {
        return count;
    }

    double total(Sum column) {
        double sum = 0;
        for (int s = first; s < first + count; s++) {
            sum += log.sum(s, column);
        }
        return sum;
    }

    /** Ratio of two sums; null when the denominator is 0. */
    Estimate ratio(Sum numerator, Sum denominator) {
        double[] a = column(numerator);
        double[] b = column(denominator);
        double below = Arrays.stream(b).sum();
        if (below == 0) {
            return null;
        }
        double ratio = Arrays.stream(a).sum() / below;
        for (double[] control : controls) {
            double slope = slope(a, b, ratio, control);
            for (int s = 0; s < count; s++) {
                a[s] -= slope * control[s];
            }
        }
        ratio = Arrays.stream(a).sum() / below;
        return Estimate.around(ratio, halfWidth(a, b, ratio));
    }

    private double[] column(Sum sum) {
        double[] values = new double[count];
        for (int s = 0; s < count; s++) {
            values[s] = log.sum(first + s, sum);
        }
        return values;
    }

    /** Columns of mean 0 that vary, each less its share of those before it (Gram-Schmidt on the centred columns). */
    private List<double[]> controls(List<Sum> columns) {
        List<double[]> apart = new ArrayList<>();
        for (Sum sum : columns) {
            double[] control = column(sum);
            double before = squares(control);
            for (double[] other : apart) {
                double share = product(control, other) / squares(other);
                for (int s = 0; s < count; s++) {
                    control[s] -= share * other[s];
                }
            }
            if (squares(control) > NEGLIGIBLE * before) {
                apart.add(control);
            }
        }
        return apart;
    }

    /** Sum of products of deviations from the means. */
    private static double product(double[] x, double[] y) {
        double meanX = Arrays.stream(x).sum() / x.length;
        double meanY = Arrays.stream(y).sum() / y.length;
        double sum = 0;
        for (int s = 0; s < x.length; s++) {
            sum += (x[s] - meanX) * (y[s] - meanY);
        }
        return sum;
    }

    private static double squares(double[] x) {
        return product(x, x);
    }

    /** Least-squares slope of the residuals on a control. */
    private static double slope(double[] a, double[] b, double ratio, double[] control) {
        double[] residual = new double[a.length];
        for (int s = 0; s < a.length; s++) {
            residual[s] = a[s] - ratio * b[s];
        }
        return product(residual, control) / squares(control);
    }

    private double halfWidth(double[] a, double[] b, double ratio) {
        int n = a.length;
        if (n < 2) {
            return 0;
        }
        double[] residual = new double[n];
        double squares = 0;
        double meanB = 0;
        for (int s = 0; s < n; s++) {
            residual[s] = a[s] - ratio * b[s];
            squares += residual[s] * residual[s];
            meanB += b[s] / n;
        }
        double variance = squares / (n - 1 - controls.size()) / n / (meanB * meanB);
        return quantile * Math.sqrt(variance * (serial ? dependence(residual, squares) : 1));
    }

    /** AR(1) inflation when the lag-1 correlation is above what independent batches would show one time in twenty. */
    private static double dependence(double[] residual, double squares) {
        if (squares == 0) {
            return 1;
        }
        double lagged = 0;
        for (int s = 1; s < residual.length; s++) {
            lagged += residual[s] * residual[s - 1];
        }
        double phi = lagged / squares;
        return phi > 1.645 / Math.sqrt(residual.length) ? Variances.ar1Factor(Math.min(phi, 0.95)) : 1;
    }

    /** Mean and percentiles of a per-request time, the percentiles by rank; null when no request has one. */
    Spread requestSpread(Sum sum, Sum requests, SampleSeries series) {
        Estimate mean = ratio(sum, requests);
        if (mean == null) {
            return null;
        }
        double[][] perSegment = new double[count][];
        for (int s = 0; s < count; s++) {
            long from = first + s == 0 ? 0 : log.completedUpTo(first + s - 1);
            perSegment[s] = Arrays.stream(series.range(from, log.completedUpTo(first + s)))
                    .filter(Double::isFinite)
                    .toArray();
        }
        double[] sorted = Arrays.stream(perSegment)
                .flatMapToDouble(Arrays::stream)
                .sorted()
                .toArray();
        return spread(mean, new Values() {
            @Override
            public double at(double percent) {
                int rank = (int) Math.ceil(percent / 100 * sorted.length);
                return sorted[Math.max(1, Math.min(sorted.length, rank)) - 1];
            }

            @Override
            public double count(int segment) {
                return perSegment[segment].length;
            }

            @Override
            public double notAbove(int segment, double ms) {
                return Arrays.stream(perSegment[segment]).filter(x -> x <= ms).count();
            }
        });
    }

    /** Mean and percentiles of the time between commits, from histograms of 3 digits; null when there was none. */
    Spread gapSpread() {
        Estimate mean = ratio(Sum.GAP_MS, Sum.GAPS);
        if (mean == null) {
            return null;
        }
        Histogram all = RunLog.gapHistogram();
        long least = Long.MAX_VALUE;
        long most = 0;
        for (int s = first; s < first + count; s++) {
            all.add(log.gaps(s));
            least = Math.min(least, log.leastGapNs(s));
            most = Math.max(most, log.mostGapNs(s));
        }
        long leastNs = least;
        long mostNs = most;
        return spread(mean, new Values() {
            @Override
            public double at(double percent) {
                long ns = all.medianEquivalentValue(all.getValueAtPercentile(percent));
                return Math.max(leastNs, Math.min(mostNs, ns)) / NS_PER_MS;
            }

            @Override
            public double count(int segment) {
                return log.gaps(first + segment).getTotalCount();
            }

            @Override
            public double notAbove(int segment, double ms) {
                Histogram h = log.gaps(first + segment);
                long ns = Math.min((long) (ms * NS_PER_MS), h.getHighestTrackableValue());
                return h.getCountBetweenValues(0, ns);
            }
        });
    }

    /** A sample of times by segment. */
    private interface Values {
        /** Value at a percentile, ms. */
        double at(double percent);

        double count(int segment);

        /** Values of a segment up to and including this one. */
        double notAbove(int segment, double ms);
    }

    private Spread spread(Estimate mean, Values values) {
        return new Spread(mean, percentile(values, 50), percentile(values, 95), percentile(values, 99));
    }

    private Estimate percentile(Values values, double percent) {
        double at = values.at(percent);
        double[] below = new double[count];
        double[] all = new double[count];
        for (int s = 0; s < count; s++) {
            all[s] = values.count(s);
            below[s] = values.notAbove(s, at);
        }
        double share = Arrays.stream(below).sum() / Arrays.stream(all).sum();
        double half = 100 * halfWidth(below, all, share);
        double lo = values.at(Math.max(0, percent - half));
        double hi = values.at(Math.min(100, percent + half));
        return new Estimate(at, Math.min(lo, at), Math.max(hi, at));
    }
}
