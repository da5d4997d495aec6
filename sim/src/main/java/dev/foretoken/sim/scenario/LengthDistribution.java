package dev.foretoken.sim.scenario;

import java.util.Arrays;
import java.util.List;
import org.apache.commons.statistics.distribution.LogNormalDistribution;

/**
 * Integer distribution of prompt or output lengths, tokens, always at least 1. Continuous families are rounded to the nearest
 * integer (halves up) and everything below 1 counts as 1.
 */
public sealed interface LengthDistribution {

    /** Upper tail mass that {@link #pmf()} drops and renormalises for unbounded families. */
    double TAIL = 1e-12;

    /** Smallest length with positive probability. */
    int min();

    /** Largest length in {@link #pmf()}. */
    int max();

    /** Probabilities of min()..max(): entry i is P(length = min() + i); sums to 1. A fresh array. */
    double[] pmf();

    /** Inverse distribution function: the length at probability u in [0, 1). */
    int quantile(double u);

    /** Mean of the integer distribution, tokens. */
    default double mean() {
        return LengthMoments.of(this).mean();
    }

    /** Second moment of the integer distribution, tokens squared. */
    default double secondMoment() {
        return LengthMoments.of(this).secondMoment();
    }

    /** True when there is only one length. */
    default boolean isFixed() {
        return min() == max();
    }

    /** Every request has the same length. */
    record Fixed(int tokens) implements LengthDistribution {
        public Fixed {
            if (tokens < 1) {
                throw new IllegalArgumentException("length must be at least 1 token: " + tokens);
            }
        }

        @Override
        public int min() {
            return tokens;
        }

        @Override
        public int max() {
            return tokens;
        }

        @Override
        public double[] pmf() {
            return new double[] {1.0};
        }

        @Override
        public int quantile(double u) {
            return tokens;
        }
    }

    /** Equal probability for each integer from min to max, both included. */
    record Uniform(int min, int max) implements LengthDistribution {
        public Uniform {
            if (min < 1 || max < min) {
                throw new IllegalArgumentException("uniform lengths need 1 <= min <= max: min " + min + ", max " + max);
            }
        }

        @Override
        public double[] pmf() {
            double[] p = new double[max - min + 1];
            Arrays.fill(p, 1.0 / p.length);
            return p;
        }

        @Override
        public int quantile(double u) {
            return min + Math.min(max - min, (int) (u * (max - min + 1.0)));
        }
    }

    /**
     * Lognormal with the given mean and coefficient of variation of the continuous variable: sigma^2 = ln(1 + cv^2), mu =
     * ln(mean) - sigma^2/2.
     */
    record Lognormal(double meanTokens, double cv) implements LengthDistribution {
        public Lognormal {
            if (!(meanTokens >= 1) || Double.isInfinite(meanTokens)) {
                throw new IllegalArgumentException("mean length must be finite and at least 1 token: " + meanTokens);
            }
            if (!(cv > 0) || cv > 10) {
                throw new IllegalArgumentException("cv must lie in (0, 10]: " + cv);
            }
        }

        private LogNormalDistribution law() {
            double s2 = Math.log1p(cv * cv);
            return LogNormalDistribution.of(Math.log(meanTokens) - s2 / 2, Math.sqrt(s2));
        }

        private static int round(double x) {
            return (int) Math.max(1, Math.min(Integer.MAX_VALUE / 4.0, Math.floor(x + 0.5)));
        }

        @Override
        public int min() {
            return round(law().inverseCumulativeProbability(TAIL));
        }

        @Override
        public int max() {
            return round(law().inverseSurvivalProbability(TAIL));
        }

        @Override
        public double[] pmf() {
            LogNormalDistribution law = law();
            int lo = min();
            int hi = max();
            double[] p = new double[hi - lo + 1];
            double below = 0;
            for (int i = 0; i < p.length; i++) {
                double upTo = i == p.length - 1 ? 1.0 : law.cumulativeProbability(lo + i + 0.5);
                p[i] = upTo - below;
                below = upTo;
            }
            return p;
        }

        @Override
        public int quantile(double u) {
            double clamped = Math.min(1 - TAIL, Math.max(TAIL, u));
            return round(law().inverseCumulativeProbability(clamped));
        }
    }

    /** Observed lengths with optional weights (equal when null); duplicates are allowed. */
    record Empirical(List<Integer> lengths, List<Double> weights) implements LengthDistribution {
        public Empirical {
            lengths = List.copyOf(lengths);
            if (lengths.isEmpty()) {
                throw new IllegalArgumentException("an empirical length distribution needs at least one length");
            }
            for (int l : lengths) {
                if (l < 1) {
                    throw new IllegalArgumentException("length must be at least 1 token: " + l);
                }
            }
            if (weights != null) {
                weights = List.copyOf(weights);
                if (weights.size() != lengths.size()) {
                    throw new IllegalArgumentException(
                            "one weight per length: " + weights.size() + " weights, " + lengths.size() + " lengths");
                }
                double sum = 0;
                for (double w : weights) {
                    if (!(w >= 0) || Double.isInfinite(w)) {
                        throw new IllegalArgumentException("weight must be finite and not negative: " + w);
                    }
                    sum += w;
                }
                if (!(sum > 0)) {
                    throw new IllegalArgumentException("weights must not all be 0");
                }
            }
        }

        @Override
        public int min() {
            return lengths.stream().mapToInt(Integer::intValue).min().getAsInt();
        }

        @Override
        public int max() {
            return lengths.stream().mapToInt(Integer::intValue).max().getAsInt();
        }

        @Override
        public double[] pmf() {
            int lo = min();
            double[] p = new double[max() - lo + 1];
            double sum = 0;
            for (int i = 0; i < lengths.size(); i++) {
                double w = weights == null ? 1.0 : weights.get(i);
                p[lengths.get(i) - lo] += w;
                sum += w;
            }
            for (int i = 0; i < p.length; i++) {
                p[i] /= sum;
            }
            return p;
        }

        @Override
        public int quantile(double u) {
            double[] p = pmf();
            double c = 0;
            for (int i = 0; i < p.length; i++) {
                c += p[i];
                if (u < c) {
                    return min() + i;
                }
            }
            return max();
        }
    }
}
