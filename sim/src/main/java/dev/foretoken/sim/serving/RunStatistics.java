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
 * A_s - r B_s of the segments (classical ratio estimator), the interval is Student's. Where end-to-end times of
 * neighbouring segments depend on each other, segments are joined into batches of two, four ... as long as 20 are left; what
 * correlation phi is then left beyond chance inflates the variance by the AR(1) factor (1 + phi)/(1 - phi).
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
    /** Fewest batches that joining leaves. */
    private static final int MIN_BATCHES = 20;
    /** Lag-1 correlation times the root of the number of batches that chance exceeds one time in twenty. */
    private static final double CHANCE = 1.645;

    private static final List<Sum> LENGTHS = List.of(Sum.OUTPUT_SURPLUS, Sum.PROMPT_SURPLUS);
    private static final List<Sum> ROUNDS_AND_LENGTHS = List.of(Sum.SURPLUS, Sum.OUTPUT_SURPLUS, Sum.PROMPT_SURPLUS);

    private final RunLog log;
    private final int first;
    private final int count;
    private final int group;
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
        this.log = log;
        this.serial = serial;
        exact = false;
        int segments = log.segments() - first;
        int joined = serial ? dependentSegments(log, first) : 1;
        group = joined;
        count = segments / joined;
        this.first = first + segments % joined;
        quantile = count < 2 ? 0 : TDistribution.of(count - 1.0).inverseCumulativeProbability((1 + level) / 2);
        controls = count < MIN_CONTROLLED ? List.of() : controls(independentRounds ? ROUNDS_AND_LENGTHS : LENGTHS);
    }

    private RunStatistics(RunLog log) {
        this.log = log;
        serial = false;
        exact = true;
        group = 1;
        count = log.segments();
        first = 0;
        quantile = 0;
        controls = List.of();
    }

    /** Statistics of a terminating run in which nothing is random: every interval is the figure. */
    static RunStatistics exact(RunLog log) {
        return new RunStatistics(log);
    }

    /** Neighbouring segments to join into a batch, 1, 2, 4 ..., until end-to-end times of batches look independent. */
    private static int dependentSegments(RunLog log, int first) {
        int joined = 1;
        int segments = log.segments() - first;
        while (segments / (2 * joined) >= MIN_BATCHES && correlated(log, first, joined)) {
            joined *= 2;
        }
        return joined;
    }

    private static boolean correlated(RunLog log, int first, int joined) {
        int n = (log.segments() - first) / joined;
        double[] a = column(log, first, n, joined, Sum.E2E_MS);
        double[] b = column(log, first, n, joined, Sum.REQUESTS);
        double[] residual =
                residual(a, b, Arrays.stream(a).sum() / Arrays.stream(b).sum());
        return lagOne(residual) > CHANCE / Math.sqrt(n);
    }

    /** True when nothing is random. */
    boolean isExact() {
        return exact;
    }

    /** Batches or replications behind the intervals. */
    int batches() {
        return count;
    }

    double total(Sum column) {
        double sum = 0;
        for (int s = first; s < log.segments(); s++) {
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
        return column(log, first, count, group, sum);
    }

    private static double[] column(RunLog log, int first, int batches, int joined, Sum sum) {
        double[] values = new double[batches];
        for (int s = 0; s < batches * joined; s++) {
            values[s / joined] += log.sum(first + s, sum);
        }
        return values;
    }

    private static double[] residual(double[] a, double[] b, double ratio) {
        double[] residual = new double[a.length];
        for (int s = 0; s < a.length; s++) {
            residual[s] = a[s] - ratio * b[s];
        }
        return residual;
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
        return product(residual(a, b, ratio), control) / squares(control);
    }

    private double halfWidth(double[] a, double[] b, double ratio) {
        int n = a.length;
        if (n < 2) {
            return 0;
        }
        double[] residual = residual(a, b, ratio);
        double squares = Arrays.stream(residual).map(r -> r * r).sum();
        double meanB = Arrays.stream(b).sum() / n;
        double variance = squares / (n - 1 - controls.size()) / n / (meanB * meanB);
        return quantile * Math.sqrt(variance * (serial ? dependence(residual) : 1));
    }

    /** AR(1) inflation when the lag-1 correlation is above what independent batches would show one time in twenty. */
    private static double dependence(double[] residual) {
        double phi = lagOne(residual);
        return phi > CHANCE / Math.sqrt(residual.length) ? Variances.ar1Factor(Math.min(phi, 0.95)) : 1;
    }

    /** Lag-1 correlation of residuals, 0 when they vanish. */
    private static double lagOne(double[] residual) {
        double squares = 0;
        double lagged = 0;
        for (int s = 0; s < residual.length; s++) {
            squares += residual[s] * residual[s];
            lagged += s == 0 ? 0 : residual[s] * residual[s - 1];
        }
        return squares == 0 ? 0 : lagged / squares;
    }

    /** Mean and percentiles of a per-request time, the percentiles by rank; null when no request has one. */
    Spread requestSpread(Sum sum, Sum requests, SampleSeries series) {
        Estimate mean = ratio(sum, requests);
        if (mean == null) {
            return null;
        }
        double[][] perBatch = new double[count][];
        for (int s = 0; s < count; s++) {
            int from = first + s * group;
            long before = from == 0 ? 0 : log.completedUpTo(from - 1);
            perBatch[s] = Arrays.stream(series.range(before, log.completedUpTo(from + group - 1)))
                    .filter(Double::isFinite)
                    .toArray();
        }
        double[] sorted =
                Arrays.stream(perBatch).flatMapToDouble(Arrays::stream).sorted().toArray();
        return spread(mean, new Values() {
            @Override
            public double at(double percent) {
                int rank = (int) Math.ceil(percent / 100 * sorted.length);
                return sorted[Math.max(1, Math.min(sorted.length, rank)) - 1];
            }

            @Override
            public double count(int batch) {
                return perBatch[batch].length;
            }

            @Override
            public double notAbove(int batch, double ms) {
                return Arrays.stream(perBatch[batch]).filter(x -> x <= ms).count();
            }
        });
    }

    /** Kept values of the requests that count, ascending. */
    double[] sorted(SampleSeries series) {
        long before = first == 0 ? 0 : log.completedUpTo(first - 1);
        return Arrays.stream(series.range(before, log.completedUpTo(log.segments() - 1)))
                .filter(Double::isFinite)
                .sorted()
                .toArray();
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
        for (int s = first; s < log.segments(); s++) {
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
            public double count(int batch) {
                double sum = 0;
                for (int s = 0; s < group; s++) {
                    sum += log.gaps(first + batch * group + s).getTotalCount();
                }
                return sum;
            }

            @Override
            public double notAbove(int batch, double ms) {
                double sum = 0;
                for (int s = 0; s < group; s++) {
                    Histogram h = log.gaps(first + batch * group + s);
                    long ns = Math.min((long) (ms * NS_PER_MS), h.getHighestTrackableValue());
                    sum += h.getCountBetweenValues(0, ns);
                }
                return sum;
            }
        });
    }

    /** A sample of times by batch. */
    private interface Values {
        /** Value at a percentile, ms. */
        double at(double percent);

        double count(int batch);

        /** Values of a batch up to and including this one. */
        double notAbove(int batch, double ms);
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
