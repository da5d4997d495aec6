package dev.foretoken.calibration.acceptance;

import dev.foretoken.sim.acceptance.Design;
import java.util.Arrays;
import java.util.List;

/** One observation of a drafter's acceptance. All counts are of rounds; tokens per round include the bonus token. */
public sealed interface Evidence {

    /** Short description for reports. */
    String describe();

    /**
     * Rounds of single requests in their order, at one design: the best evidence, since it shows the dependence of rounds.
     *
     * @param design what was drafted
     * @param requests requests with at least one round in all; the same id in another piece of evidence is the same prompt
     */
    record RequestRounds(Design design, List<Request> requests) implements Evidence {
        public RequestRounds {
            requests = List.copyOf(requests);
            if (requests.isEmpty()) {
                throw new IllegalArgumentException("no requests were observed at " + name(design));
            }
        }

        /** Rounds by tokens 1, 2, ..., up to the largest seen. */
        public double[] counts() {
            int most = 1;
            for (Request r : requests) {
                for (int t : r.tokens) {
                    most = Math.max(most, t);
                }
            }
            double[] counts = new double[most];
            for (Request r : requests) {
                for (int t : r.tokens) {
                    counts[t - 1]++;
                }
            }
            return counts;
        }

        @Override
        public String describe() {
            return requests.size() + " requests of logged rounds at " + name(design);
        }
    }

    /** Tokens per round of one request, in order. */
    final class Request {
        private final String id;
        private final int[] tokens;

        public Request(String id, int... tokens) {
            if (id == null || tokens.length == 0) {
                throw new IllegalArgumentException("a request needs an id and at least one round: " + id);
            }
            for (int t : tokens) {
                if (t < 1) {
                    throw new IllegalArgumentException("request " + id + " has a round of " + t + " tokens");
                }
            }
            this.id = id;
            this.tokens = tokens.clone();
        }

        public String id() {
            return id;
        }

        public int rounds() {
            return tokens.length;
        }

        /** Tokens of round 0, 1, ... */
        public int tokens(int round) {
            return tokens[round];
        }
    }

    /**
     * A histogram of tokens per round; also the form of per-position counters of a chain, whose differences it is.
     *
     * @param design what was drafted
     * @param rounds number of rounds that committed 1, 2, ... tokens
     */
    record Histogram(Design design, List<Double> rounds) implements Evidence {
        public Histogram {
            rounds = List.copyOf(rounds);
            double total = 0;
            for (double n : rounds) {
                if (!(n >= 0) || Double.isInfinite(n)) {
                    throw new IllegalArgumentException("a histogram has " + n + " rounds in a cell");
                }
                total += n;
            }
            if (!(total > 0)) {
                throw new IllegalArgumentException("a histogram needs at least one round");
            }
        }

        /**
         * From the counters of a chain (vLLM, llama.cpp).
         *
         * @param drafts rounds that drafted
         * @param acceptedAt rounds that accepted position 1, 2, ..., not rising
         */
        public static Histogram ofChainCounters(double drafts, double... acceptedAt) {
            Double[] cells = new Double[acceptedAt.length + 1];
            double before = drafts;
            for (int i = 0; i < acceptedAt.length; i++) {
                if (!(acceptedAt[i] <= before)) {
                    throw new IllegalArgumentException("position " + (i + 1) + " accepted " + acceptedAt[i]
                            + " rounds after " + before + ": counters of one chain may not rise");
                }
                cells[i] = before - acceptedAt[i];
                before = acceptedAt[i];
            }
            cells[acceptedAt.length] = before;
            return new Histogram(new Design.Chain(acceptedAt.length), Arrays.asList(cells));
        }

        @Override
        public String describe() {
            return "histogram at " + name(design);
        }
    }

    /**
     * A mean accept length.
     *
     * @param design what was drafted
     * @param tokens mean tokens per round
     * @param rounds rounds over which it was taken
     */
    record MeanTokens(Design design, double tokens, double rounds) implements Evidence {
        public MeanTokens {
            if (!(tokens >= 1) || Double.isInfinite(tokens) || !(rounds >= 1) || Double.isInfinite(rounds)) {
                throw new IllegalArgumentException("a mean of " + tokens + " tokens over " + rounds + " rounds");
            }
        }

        @Override
        public String describe() {
            return "mean accept length at " + name(design);
        }
    }

    /**
     * Rank of the target's token at the first miss of the chain of first choices.
     *
     * @param depth positions walked, so that the miss lies at 1..depth
     * @param counts misses whose token had rank 1, 2, ...
     * @param beyond misses whose token had a larger rank
     */
    record FirstMissRank(int depth, List<Double> counts, double beyond) implements Evidence {
        public FirstMissRank {
            counts = List.copyOf(counts);
            double total = beyond;
            for (double n : counts) {
                total += n;
            }
            if (depth < 1 || counts.isEmpty() || !(beyond >= 0) || !(total > 0) || Double.isInfinite(total)) {
                throw new IllegalArgumentException(
                        "ranks at the first miss: depth " + depth + ", counts " + counts + ", beyond " + beyond);
            }
        }

        @Override
        public String describe() {
            return "rank probe over " + depth + " positions";
        }
    }

    /**
     * How often the first choice is right just after the target took another rank of the position before.
     *
     * @param depth positions walked; the sibling lies at 1..depth-1
     * @param trials positions after a sibling
     * @param accepted those where the first choice was right
     */
    record AfterSibling(int depth, double trials, double accepted) implements Evidence {
        public AfterSibling {
            if (depth < 2 || !(trials > 0) || Double.isInfinite(trials) || !(accepted >= 0 && accepted <= trials)) {
                throw new IllegalArgumentException(
                        "after a sibling: depth " + depth + ", " + accepted + " accepted of " + trials);
            }
        }

        @Override
        public String describe() {
            return "sibling probe over " + depth + " positions";
        }
    }

    /** A design in words. */
    static String name(Design design) {
        if (design instanceof Design.Chain c) {
            return "a chain of " + c.length();
        }
        if (design instanceof Design.Tree t) {
            return "budget " + t.budget() + (t.topK() == Integer.MAX_VALUE ? "" : ", top_k " + t.topK());
        }
        if (design instanceof Design.Eagle e) {
            return "steps " + e.settings().steps() + ", top_k " + e.settings().topK() + ", draft_tokens "
                    + e.settings().draftTokens();
        }
        return "a cost-aware tree of at most " + ((Design.CostAware) design).maxBudget() + " nodes";
    }
}
