package dev.foretoken.calibration.study;

import dev.foretoken.calibration.acceptance.Evidence;
import dev.foretoken.calibration.acceptance.MarginalReplay;
import dev.foretoken.calibration.acceptance.MarginalReplay.Rule;
import dev.foretoken.calibration.acceptance.MarginalRound;
import dev.foretoken.formats.acceptance.readers.AcceptanceKey;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.io.Skipped;
import dev.foretoken.formats.marginals.Marginals;
import dev.foretoken.formats.marginals.MarginalsHeader;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.LawBand;
import dev.foretoken.sim.tree.TreeOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A trace of drafter marginals in one pass: exact replay of any number of designs, and the evidence that it holds for a fit:
 * rounds of the chain of first choices, ranks at the first miss, first choices after a sibling.
 *
 * @param key workload and method
 * @param drafter as the trace says; null when it does not
 * @param target as the trace says; null when it does not
 * @param temperature as the trace says; null when it does not
 * @param depth drafted positions
 * @param ranks candidates per position
 * @param rounds read
 * @param replayed one per design
 * @param collected evidence for a fit
 * @param skipped lines that were left out
 */
public record MarginalStudy(
        AcceptanceKey key,
        String drafter,
        String target,
        Double temperature,
        int depth,
        int ranks,
        long rounds,
        List<Replayed> replayed,
        Collected collected,
        Skipped skipped) {

    /**
     * Exact replay of one design.
     *
     * @param design what would have been drafted
     * @param law tokens per round
     * @param openRounds rounds whose walk reached the end of the logged target tokens
     * @param meanNodes mean nodes per round
     */
    public record Replayed(Design design, LawBand law, long openRounds, double meanNodes) {}

    /**
     * What to replay: the chain, and a best-first tree for every budget and top-k.
     *
     * @param budgets nodes; empty for the chain alone
     * @param topKs candidates per depth; empty for as many as the trace has
     * @param chainSeed trees hold the chain of first choices
     */
    public record Trees(List<Integer> budgets, List<Integer> topKs, boolean chainSeed) {
        public Trees {
            budgets = List.copyOf(budgets);
            topKs = List.copyOf(topKs);
        }
    }

    /**
     * Reads a trace.
     *
     * @param known what the user says of its workload and method
     * @throws DocumentError when it holds no round, or a tree asks for more candidates than it has
     */
    public static MarginalStudy read(Path file, AcceptanceKey known, Trees trees) {
        Reading reading = new Reading(file, known, trees);
        Skipped skipped = Marginals.read(file, reading::add);
        return reading.study(skipped);
    }

    private static final class Reading {
        private final Path file;
        private final AcceptanceKey known;
        private final Trees trees;
        private final Map<Design, MarginalReplay.Tally> tallies = new LinkedHashMap<>();
        private final Map<String, IntList> requests = new LinkedHashMap<>();
        private final TreeMap<Integer, Double> misses = new TreeMap<>();
        private MarginalsHeader header = MarginalsHeader.unknown();
        private int depth;
        private int ranks;
        private long rounds;
        private long accepted;
        private long chainRounds;
        private double beyond;
        private double siblings;
        private double siblingsRight;

        Reading(Path file, AcceptanceKey known, Trees trees) {
            this.file = file;
            this.known = known;
            this.trees = trees;
        }

        void add(MarginalsHeader of, dev.foretoken.formats.marginals.MarginalRound logged) {
            if (rounds == 0) {
                header = of;
                depth = logged.depth();
                ranks = logged.ranks();
                designs().forEach(d -> tallies.put(d, new MarginalReplay.Tally(Rule.of(d))));
            } else if (logged.depth() != depth || logged.ranks() != ranks) {
                throw new IllegalArgumentException("a round of " + logged.depth() + " x " + logged.ranks()
                        + " log-probabilities in a trace of " + depth + " x " + ranks);
            }
            rounds++;
            MarginalRound round = MarginalTrace.convert(logged);
            tallies.values().forEach(t -> t.add(round));
            chain(logged.request(), round.targetRanks());
        }

        private Set<Design> designs() {
            Set<Design> designs = new LinkedHashSet<>();
            designs.add(new Design.Chain(depth));
            List<Integer> tops = trees.topKs().isEmpty() ? List.of(ranks) : trees.topKs();
            for (int topK : tops) {
                if (topK > ranks) {
                    throw new DocumentError(
                            file.toString(),
                            0,
                            "",
                            "holds " + ranks + " candidates per position; top_k " + topK + " asks for more");
                }
                for (int budget : trees.budgets()) {
                    designs.add(
                            topK == 1
                                    ? new Design.Chain(Math.min(budget, depth))
                                    : new Design.Tree(depth, topK, budget, trees.chainSeed()));
                }
            }
            return designs;
        }

        /** What the logged tokens say along the chain of first choices. */
        private void chain(String request, int[] target) {
            int right = 0;
            while (right < target.length && target[right] == 0) {
                right++;
            }
            if (right == target.length && right < depth) {
                return; // the answer ended before the chain did
            }
            requests.computeIfAbsent(request, r -> new IntList()).add(right + 1);
            chainRounds++;
            accepted += right;
            if (right == depth) {
                return;
            }
            if (target[right] < 0) {
                beyond++;
                return;
            }
            misses.merge(target[right], 1.0, Double::sum);
            if (right + 1 < target.length) {
                siblings++;
                siblingsRight += target[right + 1] == 0 ? 1 : 0;
            }
        }

        MarginalStudy study(Skipped skipped) {
            if (rounds == 0) {
                throw new DocumentError(
                        file.toString(),
                        0,
                        "",
                        "holds no round"
                                + (skipped.count() == 0
                                        ? ""
                                        : "; the first of " + skipped.count() + " that were refused: "
                                                + skipped.examples().get(0)));
            }
            List<Replayed> replayed = new ArrayList<>();
            tallies.forEach((design, tally) ->
                    replayed.add(new Replayed(design, law(tally), tally.openRounds(), tally.meanNodes())));
            AcceptanceKey key = known.orElse(new AcceptanceKey(header.workload(), null, null, null));
            return new MarginalStudy(
                    key,
                    header.drafter(),
                    header.target(),
                    header.temperature(),
                    depth,
                    ranks,
                    rounds,
                    replayed,
                    new Collected(
                            key,
                            evidence(),
                            true,
                            chainRounds,
                            requests.size(),
                            chainRounds + accepted,
                            null,
                            Map.of()),
                    skipped);
        }

        private static LawBand law(MarginalReplay.Tally tally) {
            return tally.law(List.of());
        }

        private List<Evidence> evidence() {
            List<Evidence> evidence = new ArrayList<>();
            if (!requests.isEmpty()) {
                List<Evidence.Request> list = new ArrayList<>();
                requests.forEach((id, tokens) -> list.add(new Evidence.Request(id, tokens.toArray())));
                evidence.add(new Evidence.RequestRounds(new Design.Chain(depth), list));
            }
            if (!misses.isEmpty() && ranks > 1) {
                Double[] counts = new Double[ranks - 1];
                Arrays.fill(counts, 0.0);
                misses.forEach((rank, n) -> counts[rank - 1] = n);
                evidence.add(new Evidence.FirstMissRank(depth, List.of(counts), beyond));
            }
            if (siblings > 0 && depth > 1) {
                evidence.add(new Evidence.AfterSibling(depth, siblings, siblingsRight));
            }
            return evidence;
        }
    }

    /** Top-k as people write it; null when a design has none. */
    public static Integer topK(Design design) {
        return design instanceof Design.Tree t && t.topK() != TreeOptions.UNLIMITED ? Integer.valueOf(t.topK()) : null;
    }
}
