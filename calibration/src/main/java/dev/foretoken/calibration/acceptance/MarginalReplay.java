package dev.foretoken.calibration.acceptance;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.acceptance.AcceptanceRefused;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.LawBand;
import dev.foretoken.sim.acceptance.PmfLaw;
import dev.foretoken.sim.tree.BestFirst;
import dev.foretoken.sim.tree.CostAwareBudget;
import dev.foretoken.sim.tree.DraftTree;
import dev.foretoken.sim.tree.EagleTree;
import dev.foretoken.sim.tree.RankScores;
import dev.foretoken.sim.tree.TreeOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntToDoubleFunction;

/**
 * Exact replay of logged drafter marginals: for every round the tree that a rule would have built, and how far the target's
 * logged tokens go in it. Nothing is modelled while the target's tokens are known. Where a trace logs fewer target tokens than
 * it drafts and the walk reaches their end, what comes after is scored by the drafter's belief, off the spine times kappa: the
 * figures at kappa 0 and 1 bound it.
 */
public final class MarginalReplay implements AcceptanceForm.Source {

    /** How the tree of a round is built. */
    public sealed interface Rule {
        /** Largest depth used, at most that of the trace. */
        int depth();

        /** Best-first tree: budget, top-k, chain seed, bonuses, width profile. */
        record BestFirstTree(int depth, TreeOptions options) implements Rule {}

        /** Best-first tree whose budget maximises the believed tokens per cost. */
        record CostAware(int depth, TreeOptions options, IntToDoubleFunction costMs) implements Rule {}

        /** EAGLE-2/3 dynamic tree. */
        record Eagle(int depth, EagleTree.Settings settings) implements Rule {}

        /** The rule of a design. */
        static Rule of(Design design) {
            if (design instanceof Design.Chain c) {
                return new BestFirstTree(
                        c.length(), TreeOptions.budget(c.length()).withTopK(1));
            }
            if (design instanceof Design.Tree t) {
                return new BestFirstTree(
                        t.depth(),
                        TreeOptions.budget(t.budget()).withTopK(t.topK()).withChainSeed(t.chainSeed()));
            }
            if (design instanceof Design.Eagle e) {
                return new Eagle(e.settings().steps(), e.settings());
            }
            Design.CostAware c = (Design.CostAware) design;
            return new CostAware(
                    c.depth(),
                    TreeOptions.budget(c.maxBudget()).withTopK(c.topK()).withChainSeed(c.chainSeed()),
                    c.costMs());
        }
    }

    private final Iterable<MarginalRound> trace;
    private final int depth;
    private final int candidates;
    private final Map<Design, LawBand> laws = new ConcurrentHashMap<>();

    /**
     * @param trace rounds of one depth; read once for every design
     * @param depth drafted positions of the trace
     * @param candidates candidates per position
     */
    public MarginalReplay(Iterable<MarginalRound> trace, int depth, int candidates) {
        if (depth < 1 || candidates < 1) {
            throw new IllegalArgumentException(
                    "a trace needs at least one position and candidate: " + depth + ", " + candidates);
        }
        this.trace = trace;
        this.depth = depth;
        this.candidates = candidates;
    }

    @Override
    public LawBand law(Design design) {
        return laws.computeIfAbsent(design, this::replay);
    }

    private LawBand replay(Design design) {
        Rule rule = Rule.of(design);
        if (rule.depth() > depth) {
            throw new AcceptanceRefused("the trace drafts " + depth + " positions, the design " + rule.depth());
        }
        int topK = rule instanceof Rule.Eagle e
                ? e.settings().topK()
                : rule instanceof Rule.CostAware c
                        ? c.options().topK()
                        : ((Rule.BestFirstTree) rule).options().topK();
        if (topK > candidates && topK != TreeOptions.UNLIMITED) {
            throw new AcceptanceRefused(
                    "the trace holds " + candidates + " candidates per position, the design uses " + topK);
        }
        Tally tally = new Tally(rule);
        for (MarginalRound round : trace) {
            tally.add(round);
        }
        return tally.law(
                topK == TreeOptions.UNLIMITED
                        ? List.of("the trace holds " + candidates + " candidates per position: the tree has no others")
                        : List.of());
    }

    /** Replays rounds one by one under one rule: for traces that do not fit into memory. Not safe for several threads. */
    public static final class Tally {
        private static final double TYPICAL_KAPPA = 0.64;

        private final Rule rule;
        private final BestFirst workspace = new BestFirst();
        private final double[] reached;
        private final double[][] open = new double[3][];
        private final double[] kappas = {0, TYPICAL_KAPPA, 1};
        private long rounds;
        private long openRounds;
        private long nodes;

        public Tally(Rule rule) {
            this.rule = rule;
            this.reached = new double[rule.depth()];
            for (int i = 0; i < open.length; i++) {
                open[i] = new double[rule.depth()];
            }
        }

        /**
         * Replays a round.
         *
         * @return drafts accepted along the logged tokens
         */
        public int add(MarginalRound round) {
            if (round.depth() < rule.depth()) {
                throw new IllegalArgumentException(
                        "a round of " + round.depth() + " positions, the rule drafts " + rule.depth());
            }
            int[] target = round.targetRanks();
            int known = Math.min(target.length, rule.depth());
            int accepted;
            RankScores scores = RankScores.logProbs(
                    round.depth() == rule.depth() ? round.logProbs() : Arrays.copyOf(round.logProbs(), rule.depth()));
            if (rule instanceof Rule.BestFirstTree r && known == rule.depth()) {
                accepted = workspace.accepted(scores, r.options(), target);
                nodes += r.options().budget();
            } else {
                DraftTree tree = tree(scores);
                accepted = tree.accepted(known == target.length ? target : Arrays.copyOf(target, known));
                nodes += tree.size();
                if (accepted == known && known < rule.depth()) {
                    continueByBelief(tree, scores, target, known);
                }
            }
            for (int d = 0; d < accepted; d++) {
                reached[d]++;
            }
            rounds++;
            return accepted;
        }

        private DraftTree tree(RankScores scores) {
            if (rule instanceof Rule.BestFirstTree r) {
                return workspace.expand(scores, r.options()).tree();
            }
            if (rule instanceof Rule.Eagle r) {
                return EagleTree.build(scores, r.settings());
            }
            Rule.CostAware r = (Rule.CostAware) rule;
            DraftTree tree = workspace.expand(scores, r.options()).tree();
            return tree.prefix(CostAwareBudget.best(tree.pathProbabilities(scores), r.costMs()));
        }

        /** Adds what may be accepted below the last logged token. */
        private void continueByBelief(DraftTree tree, RankScores scores, int[] target, int known) {
            openRounds++;
            int[] node = new int[known + 1];
            node[0] = -1;
            boolean spine = true;
            int found = 0;
            for (int n = 0; n < tree.size() && found < known; n++) {
                if (tree.parent(n) == node[found] && tree.rank(n) == target[found]) {
                    spine &= tree.rank(n) == 0;
                    node[++found] = n;
                }
            }
            double[][] path = new double[kappas.length][tree.size()];
            boolean[] onSpine = new boolean[tree.size()];
            int from = node[known];
            for (int n = from + 1; n < tree.size(); n++) {
                int p = tree.parent(n);
                boolean child = p == from;
                if (!child && (p <= from || path[2][p] == 0)) {
                    continue;
                }
                double belief = scores.probability(scores.extend(scores.rootScore(), tree.depth(n), tree.rank(n)));
                boolean parentOnSpine = child ? spine : onSpine[p];
                onSpine[n] = parentOnSpine && tree.rank(n) == 0;
                for (int i = 0; i < kappas.length; i++) {
                    path[i][n] = (child ? 1 : path[i][p]) * belief * (parentOnSpine ? 1 : kappas[i]);
                    open[i][tree.depth(n) - 1] += path[i][n];
                }
            }
        }

        public long rounds() {
            return rounds;
        }

        /** Rounds whose walk reached the end of the logged tokens inside the draft. */
        public long openRounds() {
            return openRounds;
        }

        /** Mean nodes per round, without the root. */
        public double meanNodes() {
            return rounds == 0 ? 0 : (double) nodes / rounds;
        }

        /** The law of the rounds so far, with a band when some were open. */
        public LawBand law(List<String> remarks) {
            if (rounds == 0) {
                throw new AcceptanceRefused("the trace has no rounds");
            }
            List<String> notes = new ArrayList<>(remarks);
            notes.add("exact replay of " + rounds + " logged rounds");
            if (openRounds == 0) {
                return new LawBand(law(1), List.of(), null, notes);
            }
            notes.add(openRounds
                    + " rounds reach the end of the logged target tokens: what follows is the drafter's belief");
            return new LawBand(
                    law(1), List.of(law(0), law(2)), "kappa in [0, 1] beyond the logged target tokens", notes);
        }

        private AcceptanceLaw law(int kappa) {
            double[] survival = new double[reached.length];
            double before = 1;
            for (int d = 0; d < survival.length; d++) {
                before = Math.min(before, (reached[d] + open[kappa][d]) / rounds);
                survival[d] = before;
            }
            return PmfLaw.ofSurvival(survival);
        }
    }
}
