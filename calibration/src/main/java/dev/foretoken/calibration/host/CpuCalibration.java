package dev.foretoken.calibration.host;

import dev.foretoken.calibration.fit.FitOptions;
import dev.foretoken.calibration.fit.FitResult;
import dev.foretoken.calibration.fit.KernelFit;
import dev.foretoken.calibration.host.ForcedSpeculation.Kind;
import dev.foretoken.formats.timings.KernelTimings;
import dev.foretoken.formats.timings.TimingPoint;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.random.Streams;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * From the runs of a plan to the costs of rounds.
 *
 * <p>A run's CPU time is the sum over its requests of prompt and first token, and over its rounds of the cost of a round, which
 * depends on the rows. All rounds of a run but the last few have the same rows; those few, where drafts are cut by the end of
 * the answer, are taken off at the current estimate of the curve, and the estimate is repeated until it stands. What is left of
 * a run with a drafter is the drafter's: a part per round and a part per drafted position, by least squares over the numbers of
 * drafts.
 */
public final class CpuCalibration {
    private static final int REFINEMENTS = 6;
    /** Relative standard deviation of a cost from one run, where repeats show less. */
    private static final double SMALLEST_SD = 0.005;

    private final Map<ForcedSpeculation, List<Run>> runs = new LinkedHashMap<>();

    private record Run(LoopLoad load, RunCost cost) {}

    /** Counts of rounds of one run, by rows; and how long their drafts were. */
    private record Rounds(TreeMap<Integer, Integer> byRows, int drafted, long positions, int sequences) {}

    private CpuCalibration() {}

    /** Runs a plan. */
    public static CpuCalibration measure(TimedServer server, CalibrationPlan plan, Consumer<String> progress)
            throws IOException, InterruptedException {
        CpuCalibration c = new CpuCalibration();
        int done = 0;
        for (Map.Entry<ForcedSpeculation, List<LoopLoad>> e : plan.runs().entrySet()) {
            progress.accept("calibrating: " + e.getKey() + " (" + ++done + " of "
                    + plan.runs().size() + " servers)");
            List<RunCost> costs = server.run(e.getKey(), e.getValue());
            for (int i = 0; i < costs.size(); i++) {
                c.add(e.getKey(), e.getValue().get(i), costs.get(i));
            }
        }
        return c;
    }

    private void add(ForcedSpeculation speculation, LoopLoad load, RunCost cost) {
        runs.computeIfAbsent(speculation, s -> new ArrayList<>()).add(new Run(load, cost));
    }

    /** Median over the repeats of a value. */
    private static double median(List<Double> values) {
        double[] v = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int n = v.length;
        return n % 2 == 1 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
    }

    /**
     * Costs of requests and rounds as timings, microseconds of CPU: operations decode_round along rows, request and draft_pass.
     *
     * @param context mean tokens in the cache of a request, for the record
     */
    public KernelTimings timings(int context) {
        Map<Kind, Double> request = requestUs();
        TreeMap<Integer, List<Double>> rounds = roundUs(request);
        List<TimingPoint> points = new ArrayList<>();
        rounds.forEach((rows, us) -> points.add(
                point("decode_round", Map.of("rows", (long) rows, "context", (long) context, "tp", 1L), us)));
        request.forEach((kind, us) ->
                points.add(point("request", Map.of("drafter", kind == Kind.DRAFT_MODEL ? 1L : 0L), List.of(us))));
        return new KernelTimings(
                KernelTimings.SCHEMA,
                null,
                null,
                null,
                "ok",
                "host",
                "smollm2-135m",
                null,
                Map.of("name", "llama.cpp", "unit", "CPU time of the server"),
                List.of(),
                List.of(),
                Map.of(),
                Map.of(),
                Map.of(),
                List.of(),
                null,
                points,
                List.of());
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
        KernelTimings timings = timings(0);
        FitResult fit =
                new KernelFit(new FitOptions("host-cpu", "llama.cpp", null, seed)).fit(Map.of("llama.cpp", timings));
        FitResult.Fitted rounds = fit.fits().stream()
                .filter(f -> f.op().equals(Op.ROUND))
                .findFirst()
                .orElseThrow();
        Map<Kind, Double> request = requestUs();
        RoundCosts plain = new RoundCosts(rounds.curve(), new TreeMap<>(), new TreeMap<>(), request);
        TreeMap<Integer, Double> perDraft = new TreeMap<>();
        TreeMap<Integer, Double> perRound = new TreeMap<>();
        drafterUs(plain, perDraft, perRound);
        return new CalibratedCosts(
                new RoundCosts(rounds.curve(), perDraft, perRound, request), rounds.fit(), fit, noise());
    }

    private Map<Kind, Double> requestUs() {
        Map<Kind, Double> us = new EnumMap<>(Kind.class);
        runs.forEach((s, list) -> {
            List<Double> values = list.stream()
                    .filter(r -> r.load().outputTokens() == 1)
                    .map(r -> r.cost().cpuSeconds() * 1e6 / r.load().requests())
                    .toList();
            if (!values.isEmpty()) {
                us.put(s.kind(), median(values));
            }
        });
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
        int[] drafted = new int[2];
        long[] positions = new long[1];
        UniformRandomProvider none = Streams.of(0, "no-draft-is-accepted", 0, 0);
        LoopSimulator.walk(
                s,
                load,
                none,
                (sequences, drafts, rows) -> {
                    byRows.merge(rows, 1, Integer::sum);
                    drafted[0] += drafts > 0 ? 1 : 0;
                    drafted[1] = Math.max(drafted[1], sequences);
                    positions[0] += drafts;
                },
                n -> {});
        return new Rounds(byRows, drafted[0], positions[0], drafted[1]);
    }

    /** Cost of a round by rows, one value per run: from runs without a draft model. */
    private TreeMap<Integer, List<Double>> roundUs(Map<Kind, Double> request) {
        TreeMap<Integer, Double> estimate = new TreeMap<>();
        TreeMap<Integer, List<Double>> values = new TreeMap<>();
        for (int round = 0; round < REFINEMENTS; round++) {
            values = new TreeMap<>();
            for (Map.Entry<ForcedSpeculation, List<Run>> e : runs.entrySet()) {
                if (e.getKey().kind() == Kind.DRAFT_MODEL) {
                    continue;
                }
                for (Run r : e.getValue()) {
                    if (r.load().outputTokens() == 1) {
                        continue;
                    }
                    Rounds rounds = rounds(e.getKey(), r.load());
                    int main = mainRows(rounds.byRows());
                    double us = r.cost().cpuSeconds() * 1e6
                            - r.load().requests() * request.get(e.getKey().kind());
                    for (Map.Entry<Integer, Integer> other : rounds.byRows().entrySet()) {
                        if (other.getKey() != main) {
                            double each = estimate.isEmpty()
                                    ? us
                                            / rounds.byRows().values().stream()
                                                    .mapToInt(Integer::intValue)
                                                    .sum()
                                    : interpolate(estimate, other.getKey());
                            us -= other.getValue() * each;
                        }
                    }
                    double each = us / rounds.byRows().get(main);
                    if (!(each > 0)) {
                        throw new IllegalArgumentException("a run of " + e.getKey() + " at " + r.load()
                                + " took less CPU time than its prompts: " + r.cost());
                    }
                    values.computeIfAbsent(main, k -> new ArrayList<>()).add(each);
                }
            }
            TreeMap<Integer, Double> next = new TreeMap<>();
            values.forEach((rows, v) -> next.put(rows, median(v)));
            estimate = next;
        }
        return values;
    }

    private static int mainRows(TreeMap<Integer, Integer> byRows) {
        return byRows.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
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

    /** The drafter's part per round and per position for each number of sequences, by least squares over runs. */
    private void drafterUs(RoundCosts plain, TreeMap<Integer, Double> perDraft, TreeMap<Integer, Double> perRound) {
        Map<Integer, List<double[]>> bySequences = new TreeMap<>();
        runs.forEach((s, list) -> {
            if (s.kind() != Kind.DRAFT_MODEL) {
                return;
            }
            for (Run r : list) {
                if (r.load().outputTokens() == 1) {
                    continue;
                }
                Rounds rounds = rounds(s, r.load());
                double us = r.cost().cpuSeconds() * 1e6
                        - r.load().requests() * plain.requestUs().get(s.kind());
                for (Map.Entry<Integer, Integer> e : rounds.byRows().entrySet()) {
                    us -= e.getValue() * plain.roundUs().us(e.getKey());
                }
                bySequences
                        .computeIfAbsent(rounds.sequences(), k -> new ArrayList<>())
                        .add(new double[] {rounds.positions() / (double) rounds.drafted(), us / rounds.drafted()});
            }
        });
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

    /** Median relative difference of repeats of the same run: what no prediction can beat. */
    private double noise() {
        List<Double> differences = new ArrayList<>();
        for (List<Run> list : runs.values()) {
            Map<LoopLoad, List<Double>> same = new LinkedHashMap<>();
            list.forEach(r -> same.computeIfAbsent(r.load(), l -> new ArrayList<>())
                    .add(r.cost().cpuSeconds()));
            for (List<Double> v : same.values()) {
                for (int i = 1; i < v.size(); i++) {
                    differences.add(Math.abs(Math.log(v.get(i) / v.get(i - 1))));
                }
            }
        }
        return differences.isEmpty() ? Double.NaN : median(differences);
    }

    /** Runs as they were measured, for reports. */
    public List<String> table() {
        List<String> lines = new ArrayList<>();
        runs.forEach((s, list) -> list.forEach(r -> lines.add(s + " " + r.load() + " " + r.cost())));
        return lines;
    }

    @Override
    public String toString() {
        return Arrays.toString(table().toArray());
    }
}
