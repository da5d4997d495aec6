package dev.foretoken.validation.backtest;

import dev.foretoken.sim.round.BlackBoxKnot;
import dev.foretoken.sim.round.BlackBoxRounds;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Round times of one family of rows: same source, cards, model, engine and metric.
 *
 * <p>Time per token and request = (T(rows) + v excess + h + delta passes)/tau + o. T comes from the source's autoregressive
 * sweep of the dataset where it has at least two concurrencies (then excess counts rows beyond its last knot); else T is one
 * fitted time and excess counts rows beyond the autoregressive ones. h and delta (per drafter), v, and o (time per token of a
 * dataset outside rounds: prefill, ramps) are at least 0 and fitted by relative least squares. tau is what the source states
 * for the row.
 *
 * <p>Where no row of an arm states tau: with a sweep, one accept length and one draft term are fitted per arm and dataset;
 * without, a chain measured at several lengths gets one conditional acceptance per position.
 */
final class FamilyModel {
    private final List<Sample> autoregressive;
    private final List<Sample> training;
    private final Map<String, BlackBoxRounds> sweeps = new LinkedHashMap<>();
    private final Map<String, Integer> lastKnot = new LinkedHashMap<>();
    private final List<String> datasets = new ArrayList<>();
    private final List<String> drafters = new ArrayList<>();
    private double[] coefficients;

    /**
     * @param autoregressive rows of the family
     * @param training speculative rows to fit on
     */
    FamilyModel(List<Sample> autoregressive, List<Sample> training) {
        this.autoregressive = autoregressive;
        this.training = training;
        buildSweeps();
        fitStated();
    }

    private void buildSweeps() {
        Map<String, Map<Integer, List<Double>>> points = new LinkedHashMap<>();
        for (Sample s : autoregressive) {
            points.computeIfAbsent(s.row().dataset(), d -> new TreeMap<>())
                    .computeIfAbsent(s.c(), c -> new ArrayList<>())
                    .add(s.cost());
        }
        points.forEach((dataset, byC) -> {
            if (byC.size() < 2) {
                return;
            }
            List<BlackBoxKnot> knots = new ArrayList<>();
            byC.forEach((c, costs) -> knots.add(new BlackBoxKnot(
                    c,
                    null,
                    costs.stream().mapToDouble(Double::doubleValue).average().orElseThrow(),
                    null)));
            sweeps.put(dataset, BlackBoxRounds.of(knots, 0));
            lastKnot.put(dataset, knots.get(knots.size() - 1).rows());
        });
    }

    private static boolean stated(Sample s) {
        return s.row().acceptLength() != null;
    }

    // ---- rows whose accept length is stated ----

    private void fitStated() {
        List<Sample> spec = training.stream().filter(FamilyModel::stated).toList();
        if (spec.isEmpty()) {
            return;
        }
        Set<String> withAr = new LinkedHashSet<>();
        autoregressive.forEach(s -> withAr.add(s.row().dataset()));
        if (withAr.size() > 1) {
            datasets.addAll(withAr);
        }
        Set<String> names = new LinkedHashSet<>();
        spec.forEach(s -> names.add(s.shape().drafter()));
        drafters.addAll(names);
        List<double[]> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (Sample s : spec) {
            add(s, s.row().acceptLength(), x, y);
        }
        for (Sample s : autoregressive) {
            if (!sweeps.containsKey(s.row().dataset())) {
                add(s, 1, x, y);
            }
        }
        if (x.isEmpty()) {
            return;
        }
        coefficients = NonNegativeFit.relative(
                x.toArray(new double[0][]),
                y.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private void add(Sample s, double tau, List<double[]> x, List<Double> y) {
        double known = known(s, tau);
        if (s.cost() > known) {
            x.add(features(s, tau));
            y.add(s.cost() - known);
        }
    }

    /** Part of the cost that the sweep gives. */
    private double known(Sample s, double tau) {
        BlackBoxRounds sweep = sweeps.get(s.row().dataset());
        return sweep == null ? 0 : sweep.targetMs(s.rows(), 0) / tau;
    }

    private double[] features(Sample s, double tau) {
        double[] f = new double[2 + 2 * drafters.size() + datasets.size()];
        boolean swept = sweeps.containsKey(s.row().dataset());
        f[0] = swept ? 0 : 1 / tau;
        long base = swept ? lastKnot.get(s.row().dataset()) : s.c();
        f[1] = Math.max(0, s.rows() - base) / tau;
        int d = drafters.indexOf(s.shape().drafter());
        if (s.shape().passes() > 0 && d >= 0) {
            f[2 + 2 * d] = 1 / tau;
            f[3 + 2 * d] = s.shape().passes() / tau;
        }
        int o = datasets.indexOf(s.row().dataset());
        if (o >= 0 && !swept) {
            f[2 + 2 * drafters.size() + o] = 1;
        }
        return f;
    }

    /** Predicts a row that was not among the training rows (or was, for in-sample figures). */
    Estimate predict(Sample s) {
        if (autoregressive.isEmpty() && (!stated(s) || widthsOf(s.shape().drafter()) < 3)) {
            return Estimate.none(
                    "the source has no autoregressive row for this card, model and metric, and this drafter was"
                            + " not measured at three other widths with stated accept lengths");
        }
        return stated(s) ? predictStated(s) : sweeps.containsKey(s.row().dataset()) ? predictSwept(s) : predictChain(s);
    }

    private long widthsOf(String drafter) {
        return training.stream()
                .filter(t -> stated(t) && t.shape().drafter().equals(drafter))
                .map(t -> t.shape().width())
                .distinct()
                .count();
    }

    private Estimate predictStated(Sample s) {
        if (coefficients == null
                || training.stream()
                        .noneMatch(t -> stated(t)
                                && t.shape().drafter().equals(s.shape().drafter()))) {
            return Estimate.none("no other row of this drafter states its accept length: its draft time is unknown");
        }
        boolean swept = sweeps.containsKey(s.row().dataset());
        if (!swept
                && autoregressive.stream()
                        .noneMatch(a -> a.row().dataset().equals(s.row().dataset()))
                && !datasets.isEmpty()) {
            return Estimate.none("the dataset has no autoregressive row");
        }
        double tau = s.row().acceptLength();
        double cost = known(s, tau);
        double[] f = features(s, tau);
        for (int i = 0; i < f.length; i++) {
            cost += f[i] * coefficients[i];
        }
        boolean outside = swept && s.rows() > lastKnot.get(s.row().dataset());
        boolean othersC =
                !swept && !autoregressive.isEmpty() && autoregressive.stream().noneMatch(a -> a.c() == s.c());
        return cost > 0 ? new Estimate(cost, outside || othersC, null) : Estimate.none("nothing to fit on");
    }

    // ---- no accept length, but a sweep: one accept length and one draft term per arm ----

    private Estimate predictSwept(Sample s) {
        BlackBoxRounds sweep = sweeps.get(s.row().dataset());
        int last = lastKnot.get(s.row().dataset());
        List<Sample> curve = training.stream()
                .filter(t -> t.row().arm().equals(s.row().arm())
                        && t.row().dataset().equals(s.row().dataset()))
                .toList();
        List<Sample> covered = curve.stream().filter(t -> t.rows() <= last).toList();
        List<Sample> used = covered.size() >= 2 ? covered : curve;
        if (used.stream().map(Sample::c).distinct().count() < 2) {
            return Estimate.none(
                    "no accept length is stated, and fewer than two other points of the curve: accept length and draft time"
                            + " are unknown");
        }
        double[] ab = acceptAndDraft(used, sweep, s.shape().width());
        double cost = ab[0] * sweep.targetMs(s.rows(), 0) + ab[1];
        return new Estimate(cost, s.rows() > last || used.stream().anyMatch(t -> t.rows() > last), null);
    }

    /** cost = a T + b with a = 1/tau in [1/width, 1] and b = draft/tau at least 0. */
    private static double[] acceptAndDraft(List<Sample> curve, BlackBoxRounds sweep, int width) {
        double[][] x = new double[curve.size()][];
        double[] y = new double[curve.size()];
        for (int i = 0; i < y.length; i++) {
            x[i] = new double[] {sweep.targetMs(curve.get(i).rows(), 0), 1};
            y[i] = curve.get(i).cost();
        }
        double[] ab = NonNegativeFit.relative(x, y);
        double bounded = Math.min(1, Math.max(1.0 / width, ab[0]));
        if (bounded == ab[0]) {
            return ab;
        }
        double weights = 0;
        double sum = 0;
        for (int i = 0; i < y.length; i++) {
            weights += 1 / (y[i] * y[i]);
            sum += (y[i] - bounded * x[i][0]) / (y[i] * y[i]);
        }
        return new double[] {bounded, Math.max(0, sum / weights)};
    }

    // ---- no accept length, no sweep: a chain at several lengths ----

    private Estimate predictChain(Sample s) {
        if (!s.shape().chain()) {
            return Estimate.none("no accept length is stated for a tree, and the source has no autoregressive sweep");
        }
        List<Sample> lengths = training.stream()
                .filter(t -> t.shape().chain()
                        && !stated(t)
                        && t.shape().drafter().equals(s.shape().drafter())
                        && t.row().dataset().equals(s.row().dataset())
                        && t.c() == s.c())
                .toList();
        Double base = autoregressive.stream()
                .filter(a -> a.row().dataset().equals(s.row().dataset()) && a.c() == s.c())
                .mapToDouble(Sample::cost)
                .boxed()
                .findFirst()
                .orElse(null);
        if (base == null) {
            return Estimate.none("no autoregressive row at the same dataset and concurrency");
        }
        if (lengths.stream().map(t -> t.shape().width()).distinct().count() < 3) {
            return Estimate.none("no accept length is stated, and the method was measured at fewer than four lengths");
        }
        double best = Double.POSITIVE_INFINITY;
        double cost = 0;
        for (int i = 1; i < 100; i++) {
            double p = i / 100.0;
            double[] b = chainFit(lengths, base, p);
            if (b[2] < best) {
                best = b[2];
                cost = (base + b[0] + b[1] * (s.shape().width() - 1))
                        / acceptLength(p, s.shape().width() - 1);
            }
        }
        int lo = lengths.stream().mapToInt(t -> t.shape().width()).min().orElseThrow();
        int hi = lengths.stream().mapToInt(t -> t.shape().width()).max().orElseThrow();
        return new Estimate(cost, s.shape().width() < lo || s.shape().width() > hi, null);
    }

    private static double[] chainFit(List<Sample> lengths, double base, double p) {
        double[][] x = new double[lengths.size()][];
        double[] y = new double[lengths.size()];
        double squares = 0;
        for (int i = 0; i < y.length; i++) {
            int k = lengths.get(i).shape().width() - 1;
            double tau = acceptLength(p, k);
            double rest = lengths.get(i).cost() - base / tau;
            x[i] = new double[] {1 / tau, k / tau};
            y[i] = Math.max(1e-6 * base, rest);
        }
        double[] b = NonNegativeFit.relative(x, y);
        for (int i = 0; i < y.length; i++) {
            int k = lengths.get(i).shape().width() - 1;
            double predicted = (base + b[0] + b[1] * k) / acceptLength(p, k);
            double e = Math.log(predicted / lengths.get(i).cost());
            squares += e * e;
        }
        return new double[] {b[0], b[1], squares};
    }

    private static double acceptLength(double p, int k) {
        double sum = 1;
        double q = 1;
        for (int i = 0; i < k; i++) {
            q *= p;
            sum += q;
        }
        return sum;
    }

    /** Rows of the family that state an accept length or can do without. */
    static Collection<String> arms(List<Sample> samples) {
        Set<String> arms = new LinkedHashSet<>();
        samples.forEach(s -> arms.add(s.row().arm()));
        return arms;
    }
}
