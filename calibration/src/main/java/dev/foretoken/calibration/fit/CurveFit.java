package dev.foretoken.calibration.fit;

import dev.foretoken.sim.random.Streams;
import dev.foretoken.sim.statistics.Isotonic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;

/**
 * Fits one curve.
 *
 * <ol>
 *   <li>Isolated high knots are set aside: interference only slows a kernel down, so a knot above both neighbours, by more
 *       than its interval and 3 %, is no stair. A low knot is kept.
 *   <li>Stairs, hinges, lines and constants by {@link Stairs}, the strictness chosen by the error at knots held out in five
 *       folds.
 *   <li>Where residuals scatter more than the intervals say, variances are scaled up and the fit is repeated.
 *   <li>The time at a knot is the fit's, moved to the nearest end of the knot's own interval where it lies outside, and
 *       isotonic between significant drops.
 *   <li>Draws: times at the knots redrawn from the fit and its variances, refitted with the same stairs (parametric
 *       bootstrap, Efron and Tibshirani 1993).
 * </ol>
 */
public final class CurveFit {
    /** Draws per curve. */
    public static final int DRAWS = 200;

    private static final double[] STRICTNESS = {4, 2.5, 1.5, 1};
    private static final int FOLDS = 5;
    private static final double SPIKE_SDS = 4;
    private static final double SPIKE_MINIMUM = 0.03;
    /** How far, in standard deviations, the fit may leave a knot before the knot holds it back. */
    private static final double HOLD_SDS = 2.5;

    /** Held-out loss that a laxer fit must save, in squared standard deviations. */
    private static final double CLEARLY = 4;

    private static final int NOISE_ROUNDS = 3;

    /**
     * Error that all knots of a run share (interrupted samples lift every median a little), as a share of one knot's: no run
     * shows its own.
     */
    private static final double SHARED = 0.15;

    private final boolean tiles;
    private final long seed;

    /**
     * @param tiles true where the axis counts rows, so that stairs are likely at multiples of eight
     * @param seed of the draws
     */
    public CurveFit(boolean tiles, long seed) {
        this.tiles = tiles;
        this.seed = seed;
    }

    /** Fits knots at distinct positions, at least one. */
    public FittedCurve fit(List<Knot> measured) {
        if (measured.isEmpty()) {
            throw new IllegalArgumentException("a curve needs at least one knot");
        }
        List<Knot> knots = new ArrayList<>(measured);
        knots.sort(Comparator.comparingDouble(Knot::at));
        List<Knot> outliers = new ArrayList<>();
        Fit fit = fitNoise(knots);
        if (removeSpikes(knots, outliers, Math.max(1, fit.noiseScale()))) {
            fit = fitNoise(knots);
        }
        if (removeResidualSpikes(knots, outliers, fit)) {
            fit = fitNoise(knots);
        }
        return finish(knots, outliers, fit);
    }

    /** Knots as arrays with scaled standard deviations, and their segmentation. */
    private record Fit(
            double[] at, double[] us, double[] sdUs, Stairs stairs, double noiseScale, double heldOutError) {}

    private static boolean removeSpikes(List<Knot> knots, List<Knot> outliers, double scale) {
        int before = knots.size();
        for (int i = 1; i + 1 < knots.size(); i++) {
            Knot left = knots.get(i - 1);
            Knot here = knots.get(i);
            Knot right = knots.get(i + 1);
            double neighbours = Math.max(left.us(), right.us());
            double sd = scale * Math.hypot(here.sdUs(), Math.max(left.sdUs(), right.sdUs()));
            boolean above = here.us() - neighbours > Math.max(SPIKE_SDS * sd, SPIKE_MINIMUM * neighbours);
            // what the rise before it leads to is no spike: a protocol that is left too late ends like that
            double led = i < 2 ? neighbours : goOn(knots.get(i - 2), left, here.at());
            above &= here.us() - led > Math.max(SPIKE_SDS * sd, SPIKE_MINIMUM * led);
            // a second high knot, or a fall that lasts, is no spike but a stair down
            boolean returns = right.us()
                    > left.us() - SPIKE_SDS * scale * Math.hypot(left.sdUs(), right.sdUs()) - SPIKE_MINIMUM * left.us();
            if (above && returns) {
                outliers.add(here);
                knots.remove(i);
                i--;
            }
        }
        return knots.size() < before;
    }

    /** The line through two knots at a position after them. */
    private static double goOn(Knot a, Knot b, double at) {
        return b.us() + (b.us() - a.us()) / (b.at() - a.at()) * (at - b.at());
    }

    private static boolean removeResidualSpikes(List<Knot> knots, List<Knot> outliers, Fit fit) {
        boolean removed = false;
        for (Segment s : fit.stairs().segments()) {
            if (s.size() < 5) {
                continue;
            }
            for (int i = s.from() + 1; i < s.to() - 1; i++) {
                double over = residual(s, fit, i);
                boolean alone = Math.abs(residual(s, fit, i - 1)) < 2 * fit.sdUs()[i - 1]
                        && Math.abs(residual(s, fit, i + 1)) < 2 * fit.sdUs()[i + 1];
                if (alone && over > Math.max(SPIKE_SDS * fit.sdUs()[i], SPIKE_MINIMUM * fit.us()[i])) {
                    Knot spike = knots.stream()
                            .filter(k -> !outliers.contains(k))
                            .sorted(Comparator.comparingDouble(Knot::at))
                            .toList()
                            .get(i);
                    outliers.add(spike);
                    removed = true;
                }
            }
        }
        knots.removeAll(outliers);
        return removed;
    }

    private static double residual(Segment s, Fit fit, int i) {
        return fit.us()[i] - s.at(fit.at()[i]);
    }

    private Fit fitNoise(List<Knot> knots) {
        int n = knots.size();
        double[] at = knots.stream().mapToDouble(Knot::at).toArray();
        double[] us = knots.stream().mapToDouble(Knot::us).toArray();
        double[] own = pooledSds(knots);
        double scale = 1;
        double[] sd = own.clone();
        Choice choice = choose(at, us, sd);
        for (int round = 1; round < NOISE_ROUNDS; round++) {
            int free = n - choice.stairs().parameters();
            if (free < 4) {
                break;
            }
            double next = residualScale(at, us, own, choice.stairs(), free);
            if (Math.abs(next / scale - 1) < 0.1) {
                break;
            }
            scale = next;
            for (int i = 0; i < n; i++) {
                sd[i] = scale * own[i];
            }
            choice = choose(at, us, sd);
        }
        return new Fit(at, us, sd, choice.stairs(), scale, choice.error());
    }

    /**
     * Standard deviations of the knots, microseconds. An interval of thirty samples knows its own width to a quarter only, so a
     * knot's relative deviation is the geometric mean of its own and the curve's typical one; where its own is more than twice
     * the typical one the knot was disturbed and keeps it.
     */
    private static double[] pooledSds(List<Knot> knots) {
        double typical =
                Numbers.median(knots.stream().mapToDouble(Knot::relativeSd).toArray());
        return knots.stream()
                .mapToDouble(k ->
                        k.us() * (k.relativeSd() > 2 * typical ? k.relativeSd() : Math.sqrt(k.relativeSd() * typical)))
                .toArray();
    }

    /** Scale of the residuals in units of the deviations, each residual counted up to three; between 0.7 and 10. */
    private static double residualScale(double[] at, double[] us, double[] sd, Stairs stairs, int free) {
        double sum = 0;
        double[] z = new double[at.length];
        for (Segment s : stairs.segments()) {
            for (int i = s.from(); i < s.to(); i++) {
                z[i] = Math.abs(us[i] - s.at(at[i])) / sd[i];
            }
        }
        double cap = 3 * Math.max(1, Numbers.median(z) / 0.6745);
        for (double r : z) {
            sum += Math.min(r, cap) * Math.min(r, cap);
        }
        return Math.min(10, Math.max(0.7, Math.sqrt(sum / free)));
    }

    private record Choice(Stairs stairs, double error) {}

    /** The strictest segmentation that no laxer one beats clearly at held-out knots. */
    private Choice choose(double[] at, double[] us, double[] sd) {
        if (at.length < FOLDS) {
            return new Choice(Stairs.fit(at, us, sd, 1, tiles), Double.NaN);
        }
        double best = Double.MAX_VALUE;
        double bestStrictness = 1;
        double error = Double.NaN;
        for (double strictness : STRICTNESS) {
            double[] errors = heldOut(at, us, sd, strictness);
            double loss = 0;
            double[] relative = new double[errors.length];
            int count = 0;
            for (int i = 0; i < errors.length; i++) {
                if (!Double.isNaN(errors[i])) {
                    double z = errors[i] / sd[i];
                    // beside an unseen stair every rule errs alike: such knots must not drown the rest
                    loss += Math.min(z * z, 25);
                    relative[count++] = Math.abs(errors[i]) / us[i];
                }
            }
            if (loss < best - Math.max(CLEARLY, 0.05 * best)) {
                best = loss;
                bestStrictness = strictness;
                error = Numbers.median(Arrays.copyOf(relative, count));
            }
        }
        return new Choice(Stairs.fit(at, us, sd, bestStrictness, tiles), error);
    }

    /** Error at each knot when it is left out with every fifth other; NaN at the two ends. */
    private double[] heldOut(double[] at, double[] us, double[] sd, double strictness) {
        int n = at.length;
        double[] errors = new double[n];
        Arrays.fill(errors, Double.NaN);
        for (int fold = 0; fold < FOLDS; fold++) {
            int kept = 0;
            double[] a = new double[n];
            double[] u = new double[n];
            double[] s = new double[n];
            for (int i = 0; i < n; i++) {
                if (!held(i, fold, n)) {
                    a[kept] = at[i];
                    u[kept] = us[i];
                    s[kept++] = sd[i];
                }
            }
            double[] keptAt = Arrays.copyOf(a, kept);
            Stairs stairs = Stairs.fit(keptAt, Arrays.copyOf(u, kept), Arrays.copyOf(s, kept), strictness, tiles);
            for (int i = 0; i < n; i++) {
                if (held(i, fold, n)) {
                    errors[i] = us[i] - stairs.at(at[i], keptAt, tiles);
                }
            }
        }
        return errors;
    }

    private static boolean held(int i, int fold, int n) {
        return i % FOLDS == fold && i > 0 && i < n - 1;
    }

    private FittedCurve finish(List<Knot> knots, List<Knot> outliers, Fit fit) {
        Line line = Line.of(fit, tiles);
        double[] times = line.times(fit.stairs(), fit);
        int n = times.length;
        double[][] draws = draws(line, fit);
        double[] low = new double[n];
        double[] high = new double[n];
        double[] column = new double[draws.length];
        for (int i = 0; i < n; i++) {
            for (int d = 0; d < draws.length; d++) {
                column[d] = draws[d][i];
            }
            low[i] = Math.min(times[i], Numbers.quantile(column, 0.05));
            high[i] = Math.max(times[i], Numbers.quantile(column, 0.95));
        }
        return new FittedCurve(
                List.copyOf(knots),
                List.copyOf(outliers),
                line.at(),
                line.counts(knots),
                times,
                low,
                high,
                line.stairs(),
                draws,
                fit.noiseScale(),
                fit.heldOutError());
    }

    private static double typicalSd(Fit fit) {
        double[] relative = new double[fit.at().length];
        for (int i = 0; i < relative.length; i++) {
            relative[i] = fit.sdUs()[i] / fit.us()[i];
        }
        return Numbers.median(relative);
    }

    private double[][] draws(Line line, Fit fit) {
        int n = fit.at().length;
        double[] centre = knotTimes(fit.stairs(), fit);
        UniformRandomProvider random = Streams.of(seed, "curve-draws", n, Double.doubleToLongBits(centre[0]));
        var normal = ZigguratSampler.NormalizedGaussian.of(random);
        // the fit was chosen with these knots: what it predicts errs more, by Akaike's final prediction error (1969)
        double widen = Math.sqrt(1 + fit.stairs().parameters() / (double) n);
        double shared = SHARED * typicalSd(fit);
        double[][] draws = new double[DRAWS][];
        for (int d = 0; d < DRAWS; d++) {
            double[] noisy = new double[n];
            for (int i = 0; i < n; i++) {
                noisy[i] = Math.max(0.05 * centre[i], centre[i] + widen * fit.sdUs()[i] * normal.sample());
            }
            Fit redrawn = new Fit(fit.at(), noisy, fit.sdUs(), fit.stairs(), fit.noiseScale(), fit.heldOutError());
            draws[d] = line.times(fit.stairs().refit(fit.at(), noisy, fit.sdUs()), redrawn);
            double factor = Math.exp(shared * normal.sample());
            for (int i = 0; i < draws[d].length; i++) {
                draws[d][i] *= factor;
            }
        }
        return draws;
    }

    /** Fitted times at the measured knots, held by the knots' own intervals, isotonic within each rising stretch. */
    private static double[] knotTimes(Stairs stairs, Fit fit) {
        double[] t = new double[fit.at().length];
        for (Segment s : stairs.segments()) {
            for (int i = s.from(); i < s.to(); i++) {
                double reach = HOLD_SDS * fit.sdUs()[i];
                t[i] = Math.min(fit.us()[i] + reach, Math.max(fit.us()[i] - reach, s.at(fit.at()[i])));
            }
        }
        int from = 0;
        for (int k = 0; k < stairs.segments().size(); k++) {
            Segment s = stairs.segments().get(k);
            boolean last = k + 1 == stairs.segments().size();
            boolean falls = !last && stairs.segments().get(k + 1).at(fit.at()[s.to()]) < s.at(fit.at()[s.to() - 1]);
            if (last || falls) {
                double[] part = Arrays.copyOfRange(t, from, s.to());
                double[] weights = new double[part.length];
                for (int i = 0; i < weights.length; i++) {
                    weights[i] = 1 / (fit.sdUs()[from + i] * fit.sdUs()[from + i]);
                }
                System.arraycopy(Isotonic.fit(part, weights), 0, t, from, part.length);
                from = s.to();
            }
        }
        return t;
    }

    /**
     * Positions of the fitted curve: the measured knots and, where a stair lies between knots that do not touch it, the last
     * position before it and the first after it, so that a curve is right on both sides.
     *
     * @param at positions, ascending
     * @param knot index of the measured knot at each position, -1 where there is none
     * @param segment index of the segment each position belongs to
     * @param stairs places of the stairs
     */
    private record Line(double[] at, int[] knot, int[] segment, double[] stairs) {
        static Line of(Fit fit, boolean tiles) {
            List<double[]> rows = new ArrayList<>();
            List<Double> places = new ArrayList<>();
            List<Segment> segments = fit.stairs().segments();
            for (int k = 0; k < segments.size(); k++) {
                for (int i = segments.get(k).from(); i < segments.get(k).to(); i++) {
                    rows.add(new double[] {fit.at()[i], i, k});
                }
                if (k + 1 < segments.size()) {
                    double left = fit.at()[segments.get(k).to() - 1];
                    double right = fit.at()[segments.get(k).to()];
                    double place = Stairs.place(left, right, tiles);
                    places.add(place);
                    if (place > left) {
                        rows.add(new double[] {place, -1, k});
                    }
                    if (tiles && place + 1 < right) {
                        rows.add(new double[] {place + 1, -1, k + 1});
                    }
                }
            }
            return new Line(
                    rows.stream().mapToDouble(r -> r[0]).toArray(),
                    rows.stream().mapToInt(r -> (int) r[1]).toArray(),
                    rows.stream().mapToInt(r -> (int) r[2]).toArray(),
                    places.stream().mapToDouble(Double::doubleValue).toArray());
        }

        double[] times(Stairs stairs, Fit fit) {
            double[] measured = knotTimes(stairs, fit);
            double[] t = new double[at.length];
            for (int i = 0; i < t.length; i++) {
                t[i] = knot[i] >= 0
                        ? measured[knot[i]]
                        : Math.max(1e-3, stairs.segments().get(segment[i]).at(at[i]));
            }
            return t;
        }

        /** Samples behind each position; of an added one those of the nearest knot of its segment. */
        int[] counts(List<Knot> knots) {
            int[] n = new int[at.length];
            for (int i = 0; i < n.length; i++) {
                int k = knot[i];
                if (k < 0) {
                    k = i > 0 && segment[i - 1] == segment[i] ? knot[i - 1] : knot[i + 1];
                }
                n[i] = knots.get(k).samples();
            }
            return n;
        }
    }
}
