package dev.foretoken.sim.acceptance;

import dev.foretoken.sim.tree.TreeOptions;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What is known about the acceptance of a drafter on a workload: the forms of a scenario's {@code acceptance}. Pure data. */
public sealed interface AcceptanceForm {

    /**
     * Mean tokens per round at the method's own length.
     *
     * @param tokens at least 1
     */
    record AcceptLength(double tokens) implements AcceptanceForm {
        public AcceptLength {
            acceptLength(tokens, "accept_length");
        }
    }

    /**
     * Acceptance by position along the chain.
     *
     * @param survival P(at least i drafts accepted), i = 1..k, not rising
     * @param extendGeometric positions beyond k go on with the last conditional rate
     */
    record PerPosition(List<Double> survival, boolean extendGeometric) implements AcceptanceForm {
        public PerPosition {
            survival = List.copyOf(survival);
            if (survival.isEmpty()) {
                throw new IllegalArgumentException("per_position needs at least one position");
            }
            Survival.check(toArray(survival));
        }

        /** From conditional rates, which may rise with depth. */
        public static PerPosition ofConditional(List<Double> conditional, boolean extendGeometric) {
            return new PerPosition(toList(Survival.fromConditional(toArray(conditional))), extendGeometric);
        }

        public double[] toArray() {
            return toArray(survival);
        }

        private static double[] toArray(List<Double> list) {
            return list.stream().mapToDouble(Double::doubleValue).toArray();
        }
    }

    /**
     * Counted rounds by tokens.
     *
     * @param counts rounds that committed 1, 2, ... tokens; at least one round
     * @param design what was drafted when they were counted
     */
    record Histogram(List<Double> counts, CountedAt design) implements AcceptanceForm {
        public Histogram {
            counts = List.copyOf(counts);
            Survival.pmfFromCounts(PerPosition.toArray(counts));
            if (design == null) {
                throw new IllegalArgumentException("a histogram needs the design at which it was counted");
            }
            int most = design instanceof CountedAt.Chain chain
                    ? chain.length()
                    : design instanceof CountedAt.Tree tree ? tree.budget() : Integer.MAX_VALUE;
            for (int j = most; j < counts.size() - 1; j++) {
                if (counts.get(j + 1) > 0) {
                    throw new IllegalArgumentException("histogram has " + counts.get(j + 1) + " rounds of " + (j + 2)
                            + " tokens, more than a "
                            + (design instanceof CountedAt.Tree ? "tree of budget " : "chain of length ") + most
                            + " can commit");
                }
            }
        }

        public double[] toArray() {
            return PerPosition.toArray(counts);
        }
    }

    /** The design of a counted histogram. */
    sealed interface CountedAt {
        /** A chain of that many drafts. */
        record Chain(int length) implements CountedAt {
            public Chain {
                if (length < 1) {
                    throw new IllegalArgumentException("length of a histogram's design must be at least 1: " + length);
                }
            }
        }

        /** A tree; top-k {@link TreeOptions#UNLIMITED} when none was set. */
        record Tree(int budget, int topK) implements CountedAt {
            public Tree {
                if (budget < 1 || topK < 1) {
                    throw new IllegalArgumentException(
                            "budget and top_k of a histogram's design must be at least 1: " + budget + ", " + topK);
                }
            }
        }
    }

    /**
     * Mean tokens per round of a tree by budget: separate measurements, which may fall.
     *
     * @param tokens accept length by budget; the one of budget 0, if given, is 1
     */
    record AcceptLengthByBudget(NavigableMap<Integer, Double> tokens) implements AcceptanceForm {
        public AcceptLengthByBudget {
            tokens = Collections.unmodifiableNavigableMap(new TreeMap<>(tokens));
            if (tokens.isEmpty()) {
                throw new IllegalArgumentException("accept_length_by_budget needs at least one budget");
            }
            tokens.forEach((budget, tau) -> {
                if (budget < 0) {
                    throw new IllegalArgumentException("accept_length_by_budget: budget must be at least 0: " + budget);
                }
                acceptLength(tau, "accept_length_by_budget at budget " + budget);
                if (tau > budget + 1.0) {
                    throw new IllegalArgumentException("accept_length_by_budget: " + tau + " tokens at budget " + budget
                            + " exceed the " + (budget + 1L) + " that its nodes allow");
                }
            });
        }
    }

    /**
     * Spine, rank, tail: the latent family of block drafters. With z ~ N(0, 1) per round, logit p_i = a - b (i - 1) -
     * c1 [i = 1] + sigma z along the chain of first choices; the other ranks have (1 - p_i)(1 - rho) rho^(r - 1), kept in
     * order by a running minimum; after the first node off the spine every conditional is multiplied by kappa.
     *
     * @param a logit at the first position, before c1
     * @param b fall of the logit per position
     * @param c1 extra fall at the first position
     * @param sigma spread of the round's difficulty, at least 0
     * @param rho ratio of neighbouring ranks, in [0, 1]
     * @param kappa off-spine continuation factor, in [0, 1]
     * @param depth positions, at least 1
     * @param ranks candidates per position, at least 1
     * @param zAutocorrelation lag-1 autocorrelation of the part of z that changes within a request, in [0, 1)
     * @param zRequestShare share of the variance of z that stays the same over a request, in [0, 1]
     */
    record Srt(
            Parameter a,
            Parameter b,
            Parameter c1,
            Parameter sigma,
            Parameter rho,
            Parameter kappa,
            int depth,
            int ranks,
            double zAutocorrelation,
            double zRequestShare)
            implements AcceptanceForm {
        public Srt {
            within(sigma, 0, Double.MAX_VALUE, "sigma");
            within(rho, 0, 1, "rho");
            within(kappa, 0, 1, "kappa");
            if (depth < 1) {
                throw new IllegalArgumentException("srt depth must be at least 1: " + depth);
            }
            if (ranks < 1) {
                throw new IllegalArgumentException("srt ranks must be at least 1: " + ranks);
            }
            if (!(zAutocorrelation >= 0 && zAutocorrelation < 1)) {
                throw new IllegalArgumentException("z_autocorrelation must be in [0, 1): " + zAutocorrelation);
            }
            Survival.probability(zRequestShare, "z_request_share");
        }

        /** Exact parameters, independent rounds. */
        public static Srt of(
                double a, double b, double c1, double sigma, double rho, double kappa, int depth, int ranks) {
            return new Srt(
                    Parameter.exact(a),
                    Parameter.exact(b),
                    Parameter.exact(c1),
                    Parameter.exact(sigma),
                    Parameter.exact(rho),
                    Parameter.exact(kappa),
                    depth,
                    ranks,
                    0,
                    0);
        }

        /** The same with dependence between the rounds of a request. */
        public Srt withDependence(double autocorrelation, double requestShare) {
            return new Srt(a, b, c1, sigma, rho, kappa, depth, ranks, autocorrelation, requestShare);
        }

        private static void within(Parameter p, double lo, double hi, String name) {
            if (!(p.lo() >= lo && p.hi() <= hi)) {
                throw new IllegalArgumentException("srt " + name + " must be in [" + lo + ", "
                        + (hi == Double.MAX_VALUE ? "infinity)" : hi + "]") + ": " + p.lo() + " to " + p.hi());
            }
        }
    }

    /** A form that works out its own laws, such as the exact replay of logged drafter marginals. */
    non-sealed interface Source extends AcceptanceForm {
        /** The law of a design, or {@link AcceptanceRefused} with the reason. */
        LawBand law(Design design);
    }

    private static void acceptLength(double tokens, String what) {
        if (!(tokens >= 1) || Double.isInfinite(tokens)) {
            throw new IllegalArgumentException(what + " must be finite and at least 1 token per round: " + tokens);
        }
    }

    private static List<Double> toList(double[] values) {
        return Arrays.stream(values).boxed().toList();
    }
}
