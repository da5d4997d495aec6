package dev.foretoken.formats.marginals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * One round of a block drafter: its candidates at each depth and which of them the target's own tokens are.
 *
 * @param request id of the request
 * @param round number of the round within the request, from 0
 * @param logProbs natural log-probabilities, depth by rank, each depth sorted descending; as many ranks at every depth
 * @param targetRanks rank of the target's token at each depth (0 is the first choice), null where it is none of the
 *     candidates; as many as depths, or fewer when the answer ended
 */
public record MarginalRound(String request, int round, double[][] logProbs, List<Integer> targetRanks) {
    /** A sum of probabilities may exceed 1 by this much through rounding. */
    private static final double ROUNDING = 1e-4;

    public MarginalRound {
        if (request == null || request.isBlank()) {
            throw new IllegalArgumentException("a round needs the id of its request");
        }
        if (round < 0) {
            throw new IllegalArgumentException("round must be at least 0: " + round);
        }
        if (logProbs == null || logProbs.length == 0 || logProbs[0] == null || logProbs[0].length == 0) {
            throw new IllegalArgumentException("log_probs needs at least one depth and one candidate");
        }
        int ranks = logProbs[0].length;
        for (int depth = 0; depth < logProbs.length; depth++) {
            check(logProbs[depth], depth, ranks);
        }
        if (targetRanks == null || targetRanks.size() > logProbs.length) {
            throw new IllegalArgumentException("target_ranks must have at most " + logProbs.length + " entries: "
                    + (targetRanks == null ? "none given" : targetRanks.size()));
        }
        targetRanks = Collections.unmodifiableList(new ArrayList<>(targetRanks));
        for (Integer rank : targetRanks) {
            if (rank != null && (rank < 0 || rank >= ranks)) {
                throw new IllegalArgumentException("a target rank must lie in 0.." + (ranks - 1) + ": " + rank);
            }
        }
    }

    private static void check(double[] logProbs, int depth, int ranks) {
        if (logProbs == null || logProbs.length != ranks) {
            throw new IllegalArgumentException("depth " + (depth + 1) + " must have " + ranks + " candidates: "
                    + (logProbs == null ? 0 : logProbs.length));
        }
        double sum = 0;
        for (int rank = 0; rank < ranks; rank++) {
            double logProb = logProbs[rank];
            if (!(logProb <= ROUNDING) || Double.isInfinite(logProb)) {
                throw new IllegalArgumentException("a log-probability must be finite and at most 0: " + logProb
                        + " at depth " + (depth + 1) + ", rank " + rank);
            }
            if (rank > 0 && logProb > logProbs[rank - 1]) {
                throw new IllegalArgumentException("log_probs must fall with the rank: " + logProb + " after "
                        + logProbs[rank - 1] + " at depth " + (depth + 1));
            }
            sum += Math.exp(logProb);
        }
        if (sum > 1 + ROUNDING * ranks) {
            throw new IllegalArgumentException(
                    "probabilities of depth " + (depth + 1) + " sum to " + sum + ", more than 1");
        }
    }

    /** Positions drafted. */
    public int depth() {
        return logProbs.length;
    }

    /** Candidates per position. */
    public int ranks() {
        return logProbs[0].length;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MarginalRound that
                && request.equals(that.request)
                && round == that.round
                && Arrays.deepEquals(logProbs, that.logProbs)
                && targetRanks.equals(that.targetRanks);
    }

    @Override
    public int hashCode() {
        return Objects.hash(request, round, Arrays.deepHashCode(logProbs), targetRanks);
    }

    @Override
    public String toString() {
        return "MarginalRound[" + request + " round " + round + ", " + depth() + " x " + ranks() + ", target "
                + targetRanks + "]";
    }
}
