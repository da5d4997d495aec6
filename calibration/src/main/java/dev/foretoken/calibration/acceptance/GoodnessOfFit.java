package dev.foretoken.calibration.acceptance;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.acceptance.PmfLaw;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.commons.math3.optim.InitialGuess;
import org.apache.commons.math3.optim.MaxEval;
import org.apache.commons.math3.optim.nonlinear.scalar.GoalType;
import org.apache.commons.math3.optim.nonlinear.scalar.ObjectiveFunction;
import org.apache.commons.math3.optim.nonlinear.scalar.noderiv.NelderMeadSimplex;
import org.apache.commons.math3.optim.nonlinear.scalar.noderiv.SimplexOptimizer;

/**
 * How well the fitted family and simpler laws give histograms, in and out of sample. The simpler laws know no budget: fitted to
 * one histogram they predict the same histogram for any other design (cut to what it can commit). The family is held against
 * the data twice: as it was fitted, over a fine rule of z, and by the 9-node rule of the laws that other commands use.
 */
public final class GoodnessOfFit {
    private static final double LEAST_PROBABILITY = 1e-12;

    private GoodnessOfFit() {}

    /**
     * One law against one histogram.
     *
     * @param law name of the law
     * @param parameters fitted numbers
     * @param fittedOn what the law was fitted on
     * @param against what it is held against
     * @param inSample whether these are the same
     * @param logLikelihoodPerRound mean log-probability of a round
     * @param deviance twice the gap of the log-likelihood to the saturated model
     * @param totalVariation half the sum of the gaps of the relative frequencies
     * @param acceptLength accept length of the law
     * @param observedAcceptLength mean tokens of the histogram
     */
    public record Row(
            String law,
            int parameters,
            String fittedOn,
            String against,
            boolean inSample,
            double logLikelihoodPerRound,
            double deviance,
            double totalVariation,
            double acceptLength,
            double observedAcceptLength) {
        /** Relative error of the accept length. */
        public double relativeError() {
            return acceptLength / observedAcceptLength - 1;
        }
    }

    /** A histogram and its design; request rounds are counted up. */
    private record Counted(String name, Design design, double[] counts) {
        static List<Counted> of(List<Evidence> evidence) {
            List<Counted> out = new ArrayList<>();
            for (Evidence e : evidence) {
                if (e instanceof Evidence.RequestRounds r) {
                    out.add(new Counted(Evidence.name(r.design()), r.design(), r.counts()));
                } else if (e instanceof Evidence.Histogram h) {
                    out.add(new Counted(
                            Evidence.name(h.design()),
                            h.design(),
                            h.rounds().stream().mapToDouble(Double::doubleValue).toArray()));
                }
            }
            return out;
        }
    }

    /**
     * Holds a fit of the family and simpler laws fitted on the same evidence against histograms.
     *
     * @param form fitted parameters
     * @param fittedOn the evidence of the fit
     * @param against histograms to predict; those among the evidence of the fit are marked in sample
     */
    public static List<Row> compare(AcceptanceForm.Srt form, List<Evidence> fittedOn, List<Evidence> against) {
        List<Row> rows = new ArrayList<>();
        List<Counted> known = Counted.of(fittedOn);
        String all =
                String.join(" and ", fittedOn.stream().map(Evidence::describe).toList());
        for (Counted target : Counted.of(against)) {
            boolean seen = known.stream().anyMatch(k -> Arrays.equals(k.counts, target.counts));
            rows.add(row("srt", SrtParameters.COUNT, all, target, seen, EvidenceModel.pmf(form, target.design)));
            rows.add(row(
                    "srt, 9 nodes",
                    SrtParameters.COUNT,
                    all,
                    target,
                    seen,
                    Laws.of(form, target.design).central().pmf()));
            for (Counted source : known) {
                boolean same = Arrays.equals(source.counts, target.counts);
                int length = source.counts.length - 1;
                double alpha = iid(source.counts);
                rows.add(row(
                        "iid",
                        1,
                        source.name,
                        target,
                        same,
                        PmfLaw.iid(alpha, length).pmf()));
                double[] beta = betaMixed(source.counts);
                rows.add(row(
                        "beta-mixed",
                        2,
                        source.name,
                        target,
                        same,
                        PmfLaw.betaMixed(beta[0], beta[1], length).pmf()));
                rows.add(row(
                        "per-position",
                        length,
                        source.name,
                        target,
                        same,
                        PmfLaw.ofCounts(source.counts).pmf()));
            }
        }
        return rows;
    }

    private static Row row(
            String law, int parameters, String fittedOn, Counted target, boolean inSample, double[] pmf) {
        int cells = Math.max(pmf.length, target.counts.length);
        double[] p = cut(pmf, EvidenceModel.positions(target.design) + 1, cells);
        double[] n = Arrays.copyOf(target.counts, cells);
        double total = Arrays.stream(n).sum();
        double likelihood = 0;
        double saturated = 0;
        double variation = 0;
        double mean = 0;
        double observed = 0;
        for (int j = 0; j < cells; j++) {
            double q = n[j] / total;
            if (q > 0) {
                likelihood += q * Math.log(Math.max(LEAST_PROBABILITY, p[j]));
                saturated += q * Math.log(q);
            }
            variation += Math.abs(q - p[j]) / 2;
            mean += (j + 1) * p[j];
            observed += (j + 1) * q;
        }
        return new Row(
                law,
                parameters,
                fittedOn,
                target.name,
                inSample,
                likelihood,
                2 * total * (saturated - likelihood),
                variation,
                mean,
                observed);
    }

    /** A pmf with everything beyond the most tokens put on them, in a given number of cells. */
    private static double[] cut(double[] pmf, int most, int cells) {
        double[] out = new double[cells];
        for (int j = 0; j < pmf.length; j++) {
            out[Math.min(j, Math.min(most, cells) - 1)] += pmf[j];
        }
        return out;
    }

    /** Likeliest alpha of a truncated geometric: accepted over tried positions. */
    static double iid(double[] counts) {
        int length = counts.length - 1;
        double accepted = 0;
        double tried = 0;
        for (int j = 0; j < counts.length; j++) {
            accepted += counts[j] * j;
            tried += counts[j] * Math.min(j + 1, length);
        }
        return tried > 0 ? accepted / tried : 0;
    }

    /** Likeliest parameters of the beta law of a round's acceptance. */
    static double[] betaMixed(double[] counts) {
        int length = counts.length - 1;
        double[] end = new SimplexOptimizer(1e-9, 1e-6)
                .optimize(
                        new MaxEval(2000),
                        GoalType.MAXIMIZE,
                        new InitialGuess(new double[] {1, 0}),
                        new ObjectiveFunction(x -> {
                            double[] pmf = PmfLaw.betaMixed(bounded(x[0]), bounded(x[1]), length)
                                    .pmf();
                            double sum = 0;
                            for (int j = 0; j < counts.length; j++) {
                                sum += counts[j] * Math.log(Math.max(LEAST_PROBABILITY, pmf[j]));
                            }
                            return sum;
                        }),
                        new NelderMeadSimplex(new double[] {0.5, 0.5}))
                .getPoint();
        return new double[] {bounded(end[0]), bounded(end[1])};
    }

    private static double bounded(double log) {
        return Math.exp(Math.max(-8, Math.min(10, log)));
    }
}
