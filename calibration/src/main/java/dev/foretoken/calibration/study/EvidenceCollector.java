package dev.foretoken.calibration.study;

import dev.foretoken.calibration.acceptance.Evidence;
import dev.foretoken.calibration.acceptance.PublishedCurve;
import dev.foretoken.formats.acceptance.readers.AcceptanceKey;
import dev.foretoken.formats.acceptance.readers.AcceptanceObservation;
import dev.foretoken.formats.acceptance.readers.DraftDesign;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.AcceptanceForm.CountedAt;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.random.Streams;
import dev.foretoken.sim.tree.TreeOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * Turns observations into evidence while they stream in. Rounds of requests that can be told apart stay apart, so that
 * intervals respect that rounds of one request depend on each other; beyond {@link #MOST_ROUNDS} rounds they are only counted.
 * A request known by its histogram alone gets its rounds in a random order: its neighbours then show what rounds of a request
 * have in common, and nothing else.
 */
public final class EvidenceCollector implements Consumer<AcceptanceObservation> {
    /** Rounds of one method whose request is remembered. */
    public static final long MOST_ROUNDS = 4_000_000;

    private static final int MOST_REQUESTS = 200_000;
    /** Longest round that a list of rounds holds. */
    private static final int MOST_TOKENS = Short.MAX_VALUE;

    /** Relative standard error of a mean without a count, and the rounds that give about as much. */
    private static final double PUBLISHED_ROUNDS =
            1 / (PublishedCurve.DEFAULT_STANDARD_ERROR * PublishedCurve.DEFAULT_STANDARD_ERROR);

    private final DesignHints hints;
    private final Map<AcceptanceKey, Group> groups = new LinkedHashMap<>();

    public EvidenceCollector(DesignHints hints) {
        this.hints = hints;
    }

    @Override
    public void accept(AcceptanceObservation o) {
        groups.computeIfAbsent(o.key(), Group::new).add(o);
    }

    /**
     * Adds the rank of the target's token at the first position off the spine, as logged with a round.
     *
     * @param depth positions walked
     * @param rank 1 is the second choice
     */
    public void firstMiss(AcceptanceKey key, int depth, int rank) {
        groups.computeIfAbsent(key, Group::new)
                .misses
                .computeIfAbsent(depth, d -> new TreeMap<>())
                .merge(rank, 1L, Long::sum);
    }

    /** What was collected, in the order of first appearance. */
    public List<Collected> groups() {
        return groups.values().stream().map(Group::collected).toList();
    }

    /** Rounds at one design. */
    private static final class AtDesign {
        private final Map<String, IntList> requests = new LinkedHashMap<>();
        private double[] pooled = new double[0];
        private double meanSum;
        private double meanRounds;

        void pool(long[] histogram, double weight) {
            if (histogram.length > pooled.length) {
                pooled = Arrays.copyOf(pooled, histogram.length);
            }
            for (int j = 0; j < histogram.length; j++) {
                pooled[j] += weight * histogram[j];
            }
        }
    }

    private final class Group {
        private final AcceptanceKey key;
        private final Map<Design, AtDesign> designs = new LinkedHashMap<>();
        private final Map<Integer, TreeMap<Integer, Long>> misses = new TreeMap<>();
        private final Map<String, Long> unused = new LinkedHashMap<>();
        private final TreeMap<Integer, double[]> byBudget = new TreeMap<>();
        private final Map<DraftDesign, double[]> histograms = new LinkedHashMap<>();
        private final TreeMap<Integer, double[]> survivors = new TreeMap<>();
        /** Rounds of chains whose source tells what was drafted in each, and not the length. */
        private final AtDesign lengthless = new AtDesign();

        private int mostDrafted;
        private double[] lengthlessCounts = new double[0];
        private double lengthSum;
        private double lengthWeight;
        private boolean ordered = true;
        private long rounds;
        private long accepted;
        private long remembered;
        private int requestCount;

        Group(AcceptanceKey key) {
            this.key = key;
        }

        void add(AcceptanceObservation o) {
            DraftDesign d = hints.fill(o.design());
            String problem = impossible(o, d);
            if (problem != null) {
                unused.merge(problem, 1L, Long::sum);
                return;
            }
            if (o.rounds() != null) {
                rounds += o.rounds();
                accepted += o.acceptedDrafts();
            }
            double weight = o.rounds() != null ? o.rounds() : 1;
            if (d.budget() != null && d.budget() > 0) {
                double[] sum = byBudget.computeIfAbsent(d.budget(), b -> new double[2]);
                sum[0] += weight * o.acceptLength();
                sum[1] += weight;
            } else if (d.budget() == null) {
                lengthSum += weight * o.acceptLength();
                lengthWeight += weight;
            }
            if (o.histogram() != null && (d.budget() != null || d.length() != null)) {
                addTo(histograms, d, o.histogram());
            }
            if (o.survivors() != null && o.rounds() != null && o.rounds() > 0 && d.budget() == null) {
                double[] sum = survivors.computeIfAbsent(o.survivors().length, n -> new double[n + 1]);
                sum[0] += o.rounds();
                for (int i = 0; i < o.survivors().length; i++) {
                    sum[i + 1] += o.survivors()[i];
                }
            }
            if (d.length() == null && d.budget() == null && draftedPerRound(o)) {
                mostDrafted = Math.max(mostDrafted, Math.toIntExact(o.draftedTokens()));
                lengthlessCounts = added(lengthlessCounts, o.histogram());
                evidence(lengthless, o);
                return;
            }
            Design design;
            try {
                design = hints.resolve(o.design());
            } catch (IllegalArgumentException e) {
                unused.merge(e.getMessage(), 1L, Long::sum);
                return;
            }
            evidence(designs.computeIfAbsent(design, x -> new AtDesign()), o);
        }

        private void evidence(AtDesign at, AcceptanceObservation o) {
            if (o.histogram() != null) {
                rounds(at, o);
            } else if (o.survivors() != null) {
                at.pool(histogram(o.rounds(), o.survivors()), 1);
            } else if (o.survivalRates() != null) {
                long[] parts = new long[o.survivalRates().length];
                for (int i = 0; i < parts.length; i++) {
                    parts[i] = Math.round(o.survivalRates()[i] * PUBLISHED_ROUNDS);
                }
                at.pool(histogram(Math.round(PUBLISHED_ROUNDS), parts), 1);
                unused.merge("rates without counts are given the weight of 10,000 rounds", 1L, Long::sum);
            } else {
                double n = o.rounds() != null ? o.rounds() : PUBLISHED_ROUNDS;
                if (o.rounds() == null) {
                    unused.merge(
                            "means without counts are given a standard error of about 1 % (10,000 rounds)",
                            1L, Long::sum);
                }
                at.meanSum += n * o.acceptLength();
                at.meanRounds += n;
            }
        }

        private void rounds(AtDesign at, AcceptanceObservation o) {
            IntList list = o.unit() == null ? null : at.requests.get(o.unit());
            boolean room = remembered + o.rounds() <= MOST_ROUNDS
                    && (list != null || requestCount < MOST_REQUESTS)
                    && o.histogram().length < MOST_TOKENS;
            if (o.unit() == null || !room) {
                at.pool(o.histogram(), 1);
                return;
            }
            if (list == null) {
                list = new IntList();
                at.requests.put(o.unit(), list);
                requestCount++;
            }
            remembered += o.rounds();
            if (o.stepAccepted() != null) {
                for (int a : o.stepAccepted()) {
                    list.add(a + 1);
                }
            } else {
                ordered = false;
                for (int t : shuffled(o)) {
                    list.add(t);
                }
            }
        }

        /** The rounds of a histogram in a random order that depends on the request only. */
        private int[] shuffled(AcceptanceObservation o) {
            int[] tokens = new int[Math.toIntExact(o.rounds())];
            int n = 0;
            for (int j = 0; j < o.histogram().length; j++) {
                for (long k = 0; k < o.histogram()[j]; k++) {
                    tokens[n++] = j + 1;
                }
            }
            UniformRandomProvider random =
                    Streams.of(0, "order of rounds", 0, o.unit().hashCode());
            for (int i = tokens.length - 1; i > 0; i--) {
                int k = random.nextInt(i + 1);
                int t = tokens[i];
                tokens[i] = tokens[k];
                tokens[k] = t;
            }
            return tokens;
        }

        private boolean draftedPerRound(AcceptanceObservation o) {
            return o.histogram() != null
                    && o.rounds() == 1
                    && o.draftedTokens() != null
                    && o.draftedTokens() > 0
                    && o.draftedTokens() < MOST_TOKENS;
        }

        /** The rounds without a length, as chains of the most that a round drafted. */
        private void settleLength() {
            if (mostDrafted == 0) {
                return;
            }
            unused.put(
                    "chains of length " + mostDrafted + ", the most that a round drafted; else give --length",
                    Math.round(Arrays.stream(lengthlessCounts).sum()));
            AtDesign at = designs.computeIfAbsent(new Design.Chain(mostDrafted), x -> new AtDesign());
            lengthless.requests.forEach((id, tokens) -> {
                IntList list = at.requests.computeIfAbsent(id, x -> new IntList());
                for (int t : tokens.toArray()) {
                    list.add(t);
                }
            });
            at.pooled = added(at.pooled, lengthless.pooled);
            DraftDesign chain = new DraftDesign(mostDrafted, null, null);
            histograms.put(chain, added(histograms.getOrDefault(chain, new double[0]), lengthlessCounts));
            mostDrafted = 0;
        }

        Collected collected() {
            settleLength();
            List<Evidence> evidence = new ArrayList<>();
            long requests = designs.values().stream()
                    .flatMap(at -> at.requests.keySet().stream())
                    .distinct()
                    .count();
            designs.forEach((design, at) -> {
                if (!at.requests.isEmpty()) {
                    List<Evidence.Request> list = new ArrayList<>();
                    at.requests.forEach((id, tokens) -> list.add(new Evidence.Request(id, tokens.toArray())));
                    evidence.add(new Evidence.RequestRounds(design, list));
                }
                if (Arrays.stream(at.pooled).sum() > 0) {
                    evidence.add(new Evidence.Histogram(
                            design, Arrays.stream(at.pooled).boxed().toList()));
                }
                if (at.meanRounds >= 1) {
                    evidence.add(new Evidence.MeanTokens(design, at.meanSum / at.meanRounds, at.meanRounds));
                }
            });
            if (!evidence.isEmpty()) {
                misses.forEach((depth, ranks) -> {
                    List<Double> counts = new ArrayList<>();
                    for (int r = 1; r <= ranks.lastKey(); r++) {
                        counts.add((double) ranks.getOrDefault(r, 0L));
                    }
                    evidence.add(new Evidence.FirstMissRank(depth, counts, 0));
                });
            }
            return new Collected(
                    key, evidence, ordered, rounds, requests, rounds == 0 ? 0 : rounds + accepted, plain(), unused);
        }

        /** Survival by position of the number of positions with most rounds; null when no counters say it. */
        private AcceptanceForm.PerPosition perPosition() {
            double[] most = null;
            for (double[] sum : survivors.values()) {
                most = sum.length > 1 && (most == null || sum[0] > most[0]) ? sum : most;
            }
            if (most == null) {
                return null;
            }
            List<Double> survival = new ArrayList<>();
            for (int i = 1; i < most.length; i++) {
                survival.add(most[i] / most[0]);
            }
            return new AcceptanceForm.PerPosition(survival, false);
        }

        /** The largest histogram, else means by budget, else counters by position of chains, else their mean. */
        private AcceptanceForm plain() {
            DraftDesign largest = null;
            double most = 0;
            for (Map.Entry<DraftDesign, double[]> e : histograms.entrySet()) {
                double n = Arrays.stream(e.getValue()).sum();
                if (n > most) {
                    most = n;
                    largest = e.getKey();
                }
            }
            if (largest != null) {
                CountedAt at = largest.budget() == null
                        ? new CountedAt.Chain(largest.length())
                        : new CountedAt.Tree(
                                largest.budget(), largest.topK() == null ? TreeOptions.UNLIMITED : largest.topK());
                return new AcceptanceForm.Histogram(
                        Arrays.stream(histograms.get(largest)).boxed().toList(), at);
            }
            if (!byBudget.isEmpty()) {
                TreeMap<Integer, Double> means = new TreeMap<>();
                byBudget.forEach((budget, sum) -> means.put(budget, sum[0] / sum[1]));
                return new AcceptanceForm.AcceptLengthByBudget(means);
            }
            AcceptanceForm.PerPosition perPosition = perPosition();
            if (perPosition != null) {
                return perPosition;
            }
            return lengthWeight > 0 ? new AcceptanceForm.AcceptLength(lengthSum / lengthWeight) : null;
        }
    }

    /** Why a design cannot have accepted that much; null when it can. */
    private static String impossible(AcceptanceObservation o, DraftDesign d) {
        int most = Math.min(
                d.length() == null ? Integer.MAX_VALUE : d.length(),
                d.budget() == null ? Integer.MAX_VALUE : d.budget());
        int seen = (int) Math.ceil(o.acceptLength() - 1 - 1e-9);
        long[] counts = o.histogram() != null ? o.histogram() : o.survivors();
        if (counts != null) {
            int last = counts.length - 1;
            while (last >= 0 && counts[last] == 0) {
                last--;
            }
            seen = Math.max(seen, o.histogram() != null ? last : last + 1);
        }
        return seen <= most
                ? null
                : "more drafts were accepted than length " + d.length()
                        + (d.budget() == null ? "" : " and budget " + d.budget()) + " allow: " + seen;
    }

    private static void addTo(Map<DraftDesign, double[]> histograms, DraftDesign design, long[] counts) {
        double[] sum = histograms.getOrDefault(design, new double[0]);
        if (counts.length > sum.length) {
            sum = Arrays.copyOf(sum, counts.length);
        }
        for (int j = 0; j < counts.length; j++) {
            sum[j] += counts[j];
        }
        histograms.put(design, sum);
    }

    private static double[] added(double[] sum, long[] counts) {
        return added(sum, Arrays.stream(counts).asDoubleStream().toArray());
    }

    private static double[] added(double[] sum, double[] counts) {
        double[] out = Arrays.copyOf(sum, Math.max(sum.length, counts.length));
        for (int j = 0; j < counts.length; j++) {
            out[j] += counts[j];
        }
        return out;
    }

    /** Rounds by accepted drafts from rounds that accepted at least 1, 2, ... of them. */
    private static long[] histogram(long rounds, long[] survivors) {
        long[] h = new long[survivors.length + 1];
        long before = rounds;
        for (int i = 0; i < survivors.length; i++) {
            h[i] = before - survivors[i];
            before = survivors[i];
        }
        h[survivors.length] = before;
        return h;
    }
}
