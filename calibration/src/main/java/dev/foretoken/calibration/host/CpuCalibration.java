package dev.foretoken.calibration.host;

import dev.foretoken.calibration.fit.FitOptions;
import dev.foretoken.calibration.fit.FitResult;
import dev.foretoken.calibration.fit.KernelFit;
import dev.foretoken.calibration.host.ForcedSpeculation.Kind;
import dev.foretoken.formats.timings.KernelTimings;
import dev.foretoken.formats.timings.TimingPoint;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Shape;
import dev.foretoken.sim.random.Streams;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * From the runs of a plan to the costs of rounds.
 *
 * <p>A run's CPU time is the sum over its requests of prompt and first token, and over its rounds of the cost of a round, which
 * depends on the rows and on the tokens before them. All rounds of a run but the last few have the same rows; those few, where
 * drafts are cut by the end of the answer, are taken off at the current estimate of the curve, and the estimate is repeated
 * until it stands. Runs with longer prompts give the cost of a further token of context, by least squares. What is left of a
 * run with a drafter is the drafter's: a part per round and a part per drafted position, by least squares over the numbers of
 * drafts.
 */
public final class CpuCalibration {
    private static final int REFINEMENTS = 6;
    private static final int CONTEXT_REFINEMENTS = 3;
    /** Relative standard deviation of a cost from one run, where repeats show less. */
    private static final double SMALLEST_SD = 0.005;

    private final List<Run> runs = new ArrayList<>();
    private int passes;

    private record Run(ForcedSpeculation speculation, LoopLoad load, RunCost cost) {
        boolean usualPrompt() {
            return load.counts() == LoopLoad.SHORT_PROMPT;
        }

        boolean onlyPrompts() {
            return load.outputTokens() == 1;
        }

        double us() {
            return cost.cpuSeconds() * 1e6;
        }
    }

    /** Counts of rounds of one run by rows, tokens of its answers before each row summed, and how long its drafts were. */
    private record Rounds(
            TreeMap<Integer, Integer> byRows, long rows, long cells, int drafted, long positions, int most) {
        int main() {
            return byRows.entrySet().stream()
                    .max(Map.Entry.comparingByValue())
                    .orElseThrow()
                    .getKey();
        }
    }

    /** Costs of the target's passes. */
    private record Passes(TreeMap<Integer, List<Double>> us, double context, double perCellUs, double promptTokens) {
        TreeMap<Integer, Double> medians() {
            TreeMap<Integer, Double> medians = new TreeMap<>();
            us.forEach((rows, v) -> medians.put(rows, median(v)));
            return medians;
        }
    }

    private CpuCalibration() {}

    /** Runs a plan. */
    public static CpuCalibration measure(TimedServer server, CalibrationPlan plan, LoopProgress progress)
            throws IOException, InterruptedException {
        CpuCalibration c = new CpuCalibration();
        c.passes = plan.passes();
        long total = plan.work();
        long[] done = new long[1];
        for (int pass = 0; pass < plan.passes(); pass++) {
            for (Map.Entry<ForcedSpeculation, List<LoopLoad>> e : plan.runs().entrySet()) {
                progress.stage("calibrating, pass " + (pass + 1) + " of " + plan.passes() + ": " + e.getKey());
                server.run(e.getKey(), e.getValue(), (load, cost) -> {
                    c.runs.add(new Run(e.getKey(), load, cost));
                    done[0] += LoopSimulator.work(e.getKey(), load);
                    progress.done(done[0], total);
                });
            }
        }
        return c;
    }

    /** Median over the repeats of a value. */
    private static double median(List<Double> values) {
        double[] v = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int n = v.length;
        return n % 2 == 1 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
    }

    /**
     * Costs of requests and rounds as timings, microseconds of CPU: operations decode_round along rows (plain decoding, and
     * verification of refused n-gram drafts), request, and draft_round, what a draft model adds to a round.
     *
     * @param info of the machine, for the record
     */
    public KernelTimings timings(Provenance info) {
        Passes passes = targetPasses();
        List<TimingPoint> points = new ArrayList<>();
        passes.us()
                .forEach((rows, us) -> points.add(point(
                        "decode_round",
                        Map.of("rows", (long) rows, "context", Math.round(passes.context()), "tp", 1L),
                        us)));
        longRounds(passes)
                .forEach((place, us) -> points.add(point(
                        "decode_round",
                        Map.of("rows", (long) place.rows(), "context", place.context(), "tp", 1L),
                        us)));
        Map<String, List<Double>> requests = new LinkedHashMap<>();
        Map<String, Map<String, Long>> params = new LinkedHashMap<>();
        for (Run r : runs) {
            if (r.onlyPrompts()) {
                Map<String, Long> p = Map.of(
                        "prompt_tokens",
                        Math.round(r.cost().promptTokens()),
                        "drafter",
                        r.speculation().kind() == Kind.DRAFT_MODEL ? 1L : 0L);
                params.put(p.toString(), p);
                requests.computeIfAbsent(p.toString(), k -> new ArrayList<>())
                        .add(r.us() / r.load().requests());
            }
        }
        requests.forEach((key, us) -> points.add(point("request", params.get(key), us)));
        RoundCosts plain = plain(passes, interpolated(passes));
        draftRounds(plain)
                .forEach((place, us) -> points.add(point(
                        "draft_round",
                        Map.of("sequences", (long) place.sequences(), "drafts", (long) place.drafts()),
                        us)));
        return new KernelTimings(
                KernelTimings.SCHEMA,
                info.runId(),
                info.startedAt(),
                info.finishedAt(),
                "ok",
                "host",
                info.model(),
                null,
                info.tool(),
                List.of(),
                info.warnings(),
                info.host(),
                info.software(),
                Map.of(),
                List.of(),
                null,
                points,
                List.of());
    }

    /**
     * Where timings come from.
     *
     * @param runId UUID
     * @param startedAt RFC 3339
     * @param finishedAt RFC 3339
     * @param model id
     * @param tool name and version of what measured
     * @param warnings each a sentence
     * @param host the machine
     * @param software versions
     */
    public record Provenance(
            String runId,
            String startedAt,
            String finishedAt,
            String model,
            Map<String, String> tool,
            List<String> warnings,
            Map<String, String> host,
            Map<String, String> software) {
        /** Nothing known but the model. */
        public static Provenance none() {
            return new Provenance(null, null, null, "smollm2-135m", Map.of(), List.of(), Map.of(), Map.of());
        }
    }

    private static TimingPoint point(String op, Map<String, Long> params, List<Double> us) {
        double median = median(us);
        double low = us.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
        double high = us.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
        double half = Math.max(2 * SMALLEST_SD, (high - low) / 2 / median);
        return new TimingPoint(
                op + "/" + new TreeMap<>(params),
                op,
                "llama.cpp",
                null,
                null,
                params,
                Map.of("a", "q4_1", "b", "q4_1"),
                null,
                null,
                null,
                TimingPoint.UNIT,
                us.size(),
                1,
                median,
                null,
                null,
                null,
                low,
                Math.min(low, median * (1 - half)),
                Math.max(high, median * (1 + half)),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                TimingPoint.OK,
                null,
                null);
    }

    /** Everything a prediction needs. */
    public CalibratedCosts fit(long seed) {
        Passes passes = targetPasses();
        FitResult fit = new KernelFit(new FitOptions("host-cpu", "llama.cpp", null, seed))
                .fit(Map.of("llama.cpp", timings(Provenance.none())));
        FitResult.Fitted rounds = fit.fits().stream()
                .filter(f -> f.op().equals(Op.ROUND))
                .max(Comparator.comparingInt(f -> f.curve().size()))
                .orElseThrow();
        RoundCosts plain = plain(passes, rounds.curve());
        TreeMap<Integer, Double> perDraft = new TreeMap<>();
        TreeMap<Integer, Double> perRound = new TreeMap<>();
        drafterUs(plain, perDraft, perRound);
        return new CalibratedCosts(
                new RoundCosts(
                        rounds.curve(), plain.context(), plain.perCellUs(), perDraft, perRound, plain.requestUs()),
                passes.promptTokens(),
                rounds.fit(),
                fit,
                noise(),
                this.passes);
    }

    private RoundCosts plain(Passes passes, Curve rounds) {
        return new RoundCosts(
                rounds, passes.context(), passes.perCellUs(), new TreeMap<>(), new TreeMap<>(), requestUs());
    }

    private static Curve interpolated(Passes passes) {
        TreeMap<Integer, Double> medians = passes.medians();
        return Curve.of(
                Shape.NONE,
                medians.keySet().stream().mapToDouble(Integer::doubleValue).toArray(),
                medians.values().stream().mapToDouble(Double::doubleValue).toArray(),
                new double[0]);
    }

    private Map<Kind, Double> requestUs() {
        Map<Kind, Double> us = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            List<Double> values = runs.stream()
                    .filter(r -> r.speculation().kind() == kind && r.onlyPrompts() && r.usualPrompt())
                    .map(r -> r.us() / r.load().requests())
                    .toList();
            if (!values.isEmpty()) {
                us.put(kind, median(values));
            }
        }
        if (!us.containsKey(Kind.NONE)) {
            throw new IllegalArgumentException("the plan has no run of single tokens, so prompts have no cost");
        }
        // an n-gram drafter costs a prompt nothing
        us.putIfAbsent(Kind.NGRAM, us.get(Kind.NONE));
        us.putIfAbsent(Kind.DRAFT_MODEL, us.get(Kind.NONE));
        return us;
    }

    private static Rounds rounds(ForcedSpeculation s, LoopLoad load) {
        TreeMap<Integer, Integer> byRows = new TreeMap<>();
        int[] counts = new int[2];
        long[] sums = new long[3];
        LoopSimulator.walk(
                s,
                load,
                Streams.of(0, "no-draft-is-accepted", 0, 0),
                r -> {
                    byRows.merge(r.rows(), 1, Integer::sum);
                    counts[0] += r.drafts() > 0 ? 1 : 0;
                    counts[1] = Math.max(counts[1], r.sequences());
                    sums[0] += r.rows();
                    sums[1] += r.answerCells();
                    sums[2] += r.drafts();
                },
                n -> {});
        return new Rounds(byRows, sums[0], sums[1], counts[0], sums[2], counts[1]);
    }

    /** Passes of the target at the usual prompt and what a further token before a row costs: from runs without a drafter. */
    private Passes targetPasses() {
        Map<Kind, Double> request = requestUs();
        List<Run> plain = runs.stream()
                .filter(r -> r.speculation().kind() != Kind.DRAFT_MODEL && !r.onlyPrompts())
                .toList();
        List<Run> usual = plain.stream().filter(Run::usualPrompt).toList();
        double prompt = median(usual.stream().map(r -> r.cost().promptTokens()).toList());
        double context = prompt
                + median(usual.stream()
                        .map(r -> {
                            Rounds rounds = rounds(r.speculation(), r.load());
                            return rounds.cells() / (double) rounds.rows();
                        })
                        .toList());
        double perCell = 0;
        Passes passes = null;
        for (int i = 0; i < CONTEXT_REFINEMENTS; i++) {
            passes = new Passes(roundUs(usual, request, prompt, context, perCell), context, perCell, prompt);
            perCell = perCellUs(plain, passes);
        }
        return new Passes(passes.us(), context, perCell, prompt);
    }

    /** Cost of a round by rows at one context, one value per run. */
    private static TreeMap<Integer, List<Double>> roundUs(
            List<Run> usual, Map<Kind, Double> request, double prompt, double context, double perCell) {
        TreeMap<Integer, Double> estimate = new TreeMap<>();
        TreeMap<Integer, List<Double>> values = new TreeMap<>();
        for (int round = 0; round < REFINEMENTS; round++) {
            values = new TreeMap<>();
            for (Run r : usual) {
                Rounds rounds = rounds(r.speculation(), r.load());
                double us = r.us()
                        - r.load().requests() * request.get(r.speculation().kind())
                        - perCell * (rounds.cells() + rounds.rows() * (prompt - context));
                values.computeIfAbsent(rounds.main(), k -> new ArrayList<>()).add(mainRound(r, rounds, us, estimate));
            }
            TreeMap<Integer, Double> next = new TreeMap<>();
            values.forEach((rows, v) -> next.put(rows, median(v)));
            estimate = next;
        }
        return values;
    }

    /** What is left for a round of the run's usual rows when the others are taken off at the estimate. */
    private static double mainRound(Run r, Rounds rounds, double us, TreeMap<Integer, Double> estimate) {
        int main = rounds.main();
        int all = rounds.byRows().values().stream().mapToInt(Integer::intValue).sum();
        double left = us;
        for (Map.Entry<Integer, Integer> other : rounds.byRows().entrySet()) {
            if (other.getKey() != main) {
                left -= other.getValue() * (estimate.isEmpty() ? us / all : interpolate(estimate, other.getKey()));
            }
        }
        double each = left / rounds.byRows().get(main);
        if (!(each > 0)) {
            throw new IllegalArgumentException("a run of " + r.speculation() + " at " + r.load()
                    + " took less CPU time than its prompts: " + r.cost());
        }
        return each;
    }

    private static double interpolate(TreeMap<Integer, Double> curve, int rows) {
        Map.Entry<Integer, Double> low = curve.floorEntry(rows);
        Map.Entry<Integer, Double> high = curve.ceilingEntry(rows);
        if (low == null || high == null || low.getKey().equals(high.getKey())) {
            return (low == null ? high : low).getValue();
        }
        double share = (rows - low.getKey()) / (double) (high.getKey() - low.getKey());
        return low.getValue() + share * (high.getValue() - low.getValue());
    }

    /** Prompt and first token of a request with this run's prompt, by the runs that generate one token. */
    private double requestUs(Run run) {
        List<Double> values = runs.stream()
                .filter(r -> r.onlyPrompts()
                        && r.load().counts() == run.load().counts()
                        && r.speculation().kind() != Kind.DRAFT_MODEL)
                .map(r -> r.us() / r.load().requests())
                .toList();
        if (values.isEmpty()) {
            throw new IllegalArgumentException("no run of the plan times the prompt of " + run.load());
        }
        return median(values);
    }

    /** Least squares through the origin over the runs with long prompts, each weighted by its own time. */
    private double perCellUs(List<Run> plain, Passes passes) {
        double xy = 0;
        double xx = 0;
        TreeMap<Integer, Double> medians = passes.medians();
        for (Run r : plain) {
            if (r.usualPrompt()) {
                continue;
            }
            Rounds rounds = rounds(r.speculation(), r.load());
            double us = r.us() - r.load().requests() * requestUs(r);
            for (Map.Entry<Integer, Integer> e : rounds.byRows().entrySet()) {
                us -= e.getValue() * interpolate(medians, e.getKey());
            }
            double cells = rounds.cells() + rounds.rows() * (r.cost().promptTokens() - passes.context());
            double weight = 1 / (r.us() * r.us());
            xy += weight * cells * us;
            xx += weight * cells * cells;
        }
        return xx > 0 ? Math.max(0, xy / xx) : 0;
    }

    private record Place(int rows, long context) {}

    /** Rounds at long prompts as they were measured. */
    private Map<Place, List<Double>> longRounds(Passes passes) {
        Map<Place, List<Double>> out = new LinkedHashMap<>();
        TreeMap<Integer, Double> medians = passes.medians();
        Map<Integer, Long> contexts = new TreeMap<>();
        for (Run r : runs) {
            if (r.usualPrompt() || r.onlyPrompts() || r.speculation().kind() == Kind.DRAFT_MODEL) {
                continue;
            }
            Rounds rounds = rounds(r.speculation(), r.load());
            double mean = r.cost().promptTokens() + rounds.cells() / (double) rounds.rows();
            // runs of one prompt make one curve, at the context of the first
            long context = contexts.computeIfAbsent(r.load().counts(), c -> Math.round(mean));
            TreeMap<Integer, Double> there = new TreeMap<>();
            medians.forEach((rows, us) -> there.put(rows, us + passes.perCellUs() * rows * (mean - passes.context())));
            double us = r.us() - r.load().requests() * requestUs(r);
            out.computeIfAbsent(new Place(rounds.main(), context), k -> new ArrayList<>())
                    .add(mainRound(r, rounds, us, there));
        }
        return out;
    }

    private record Drafting(int sequences, int drafts) {}

    /** What a drafter adds to a round that drafts, by its longest number of sequences and of drafts; one value per run. */
    private Map<Drafting, List<Double>> draftRounds(RoundCosts plain) {
        Map<Drafting, List<Double>> out = new LinkedHashMap<>();
        forEachDraftRun(plain, (run, rounds, us) -> {
            // on a noisy machine nothing may be left for a cheap drafter: that is no timing
            if (us > 0) {
                out.computeIfAbsent(
                                new Drafting(rounds.most(), run.speculation().drafts()), k -> new ArrayList<>())
                        .add(us / rounds.drafted());
            }
        });
        return out;
    }

    private interface DraftRunVisitor {
        /** A run, its rounds, and its microseconds beyond the target's passes and the prompts. */
        void run(Run run, Rounds rounds, double us);
    }

    private void forEachDraftRun(RoundCosts plain, DraftRunVisitor visitor) {
        for (Run r : runs) {
            if (r.speculation().kind() != Kind.DRAFT_MODEL || r.onlyPrompts()) {
                continue;
            }
            Rounds rounds = rounds(r.speculation(), r.load());
            double us = r.us()
                    - r.load().requests() * plain.requestUs().get(Kind.DRAFT_MODEL)
                    - plain.perCellUs()
                            * (rounds.cells() + rounds.rows() * (r.cost().promptTokens() - plain.context()));
            for (Map.Entry<Integer, Integer> e : rounds.byRows().entrySet()) {
                us -= e.getValue() * plain.roundUs().us(e.getKey());
            }
            visitor.run(r, rounds, us);
        }
    }

    /** The drafter's part per round and per position for each number of sequences, by least squares over runs. */
    private void drafterUs(RoundCosts plain, TreeMap<Integer, Double> perDraft, TreeMap<Integer, Double> perRound) {
        Map<Integer, List<double[]>> bySequences = new TreeMap<>();
        forEachDraftRun(
                plain,
                (run, rounds, us) -> bySequences
                        .computeIfAbsent(rounds.most(), k -> new ArrayList<>())
                        .add(new double[] {rounds.positions() / (double) rounds.drafted(), us / rounds.drafted()}));
        bySequences.forEach((sequences, points) -> {
            double meanX = points.stream().mapToDouble(p -> p[0]).average().orElseThrow();
            double meanY = points.stream().mapToDouble(p -> p[1]).average().orElseThrow();
            double sxx = points.stream()
                    .mapToDouble(p -> (p[0] - meanX) * (p[0] - meanX))
                    .sum();
            double sxy = points.stream()
                    .mapToDouble(p -> (p[0] - meanX) * (p[1] - meanY))
                    .sum();
            double slope = sxx > 0 ? Math.max(0, sxy / sxx) : meanY / meanX;
            perDraft.put(sequences, slope);
            perRound.put(sequences, meanY - slope * meanX);
        });
    }

    /** Relative standard deviation of one run, from the differences of its repeats. */
    private double noise() {
        Map<List<Object>, List<Double>> same = new LinkedHashMap<>();
        runs.forEach(r -> same.computeIfAbsent(List.of(r.speculation(), r.load()), k -> new ArrayList<>())
                .add(r.cost().cpuSeconds()));
        return RunNoise.of(same.values());
    }
}
