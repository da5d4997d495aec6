package dev.foretoken.validation.validate;

import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.method.Method;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.scenario.LoadSpec;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.scenario.Workload;
import dev.foretoken.sim.statistics.PredictionErrors;
import dev.foretoken.validation.compare.Bootstrap;
import dev.foretoken.validation.compare.Cell;
import dev.foretoken.validation.compare.Equivalence;
import dev.foretoken.validation.compare.ErrorSummary;
import dev.foretoken.validation.compare.Figure;
import dev.foretoken.validation.compare.Figures;
import dev.foretoken.validation.compare.Guards;
import dev.foretoken.validation.compare.Residuals;
import dev.foretoken.validation.validate.ValidationReport.FigureRow;
import dev.foretoken.validation.validate.ValidationReport.RankingRow;
import dev.foretoken.validation.validate.ValidationReport.Row;
import dev.foretoken.validation.validate.ValidationReport.SpeedupRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;

/**
 * Compares measurements of a scenario's cells with its predictions. Predictions are made for the prompt and answer lengths
 * that were measured, where the scenario's are fixed (a tokenizer seldom hits a length exactly).
 */
public final class Validation {
    private static final String FORCED = "A";
    private static final String MEASURED = "B";
    private static final String FULL = "C";
    private static final double LEVEL = 0.9;
    private static final double SAME_ROUND_LOG = 0.15;

    private final ScenarioPredictor predictor;
    private final String scenarioHash;
    private final Ceiling ceiling;
    private final Set<String> allowed;

    /** Most output tokens per second that a replica's memory bandwidth allows. */
    @FunctionalInterface
    public interface Ceiling {
        /**
         * @param tp cards of the replica
         * @param tokensPerRound tokens per request and round
         * @param concurrency requests in the batch
         * @return tokens per second, null if unknown
         */
        Double tokS(int tp, double tokensPerRound, int concurrency);

        /** Nothing is known of card or model. */
        Ceiling NONE = (tp, tokensPerRound, concurrency) -> null;
    }

    /** Without a ceiling, and with no difference between runs allowed. */
    public Validation(ScenarioPredictor predictor, String scenarioHash) {
        this(predictor, scenarioHash, Ceiling.NONE, Set.of());
    }

    /**
     * @param ceiling of the scenario's card and model
     * @param allowed names of differences between runs that the user accepts, "all" for every one
     */
    public Validation(ScenarioPredictor predictor, String scenarioHash, Ceiling ceiling, Set<String> allowed) {
        this.predictor = predictor;
        this.scenarioHash = scenarioHash;
        this.ceiling = ceiling;
        this.allowed = Set.copyOf(allowed);
    }

    private record Compared(
            Cell cell, Arm arm, List<Measurement> runs, Point full, Point withAcceptance, LoadSpec load) {}

    /**
     * The report.
     *
     * @param measurements of any cells of the scenario; at least one
     * @throws IllegalArgumentException when a measurement fits no cell of the scenario
     * @throws Guards.RefusedException when runs that would be compared differ in more than the method
     */
    public ValidationReport report(List<Measurement> measurements) {
        if (measurements.isEmpty()) {
            throw new IllegalArgumentException("nothing was measured");
        }
        Map<Cell, List<Measurement>> byCell = new LinkedHashMap<>();
        measurements.forEach(
                m -> byCell.computeIfAbsent(m.cell(), c -> new ArrayList<>()).add(m));
        List<Compared> compared = new ArrayList<>();
        Set<String> warnings = new LinkedHashSet<>(comparable(measurements));
        byCell.forEach((cell, runs) -> compared.add(predict(cell, runs, warnings)));
        List<Row> rows = new ArrayList<>();
        Map<String, Map<String, List<ErrorSummary.Pair>>> pairs = new TreeMap<>();
        List<String> outside = new ArrayList<>();
        compared.forEach(c -> rows.add(row(c, pairs, outside, warnings)));
        Map<String, Map<String, ErrorSummary>> stages = new LinkedHashMap<>();
        pairs.forEach((stage, figures) -> {
            Map<String, ErrorSummary> s = new LinkedHashMap<>();
            figures.forEach((f, p) -> s.put(f, ErrorSummary.of(p)));
            stages.put(stage, s);
        });
        return new ValidationReport(
                ValidationReport.SCHEMA,
                predictor.scenario().name(),
                scenarioHash,
                verdict(rows, outside.size()),
                rows,
                stages,
                Residuals.explain(compared.stream().map(Validation::facts).toList()),
                rankings(compared),
                speedups(compared, warnings),
                noiseFloor(byCell),
                outside,
                List.copyOf(warnings));
    }

    /** What the scenario's tolerance says of the figures. */
    private String verdict(List<Row> rows, int outside) {
        Set<String> tolerances = predictor.scenario().tolerance().keySet();
        if (tolerances.isEmpty()) {
            return "no tolerance given: " + ValidationReport.NOT_JUDGED;
        }
        long judged = rows.stream()
                .flatMap(r -> r.figures().keySet().stream())
                .filter(tolerances::contains)
                .count();
        if (judged == 0) {
            return "no figure with a tolerance (" + String.join(", ", tolerances) + ") to compare: "
                    + ValidationReport.NOT_JUDGED;
        }
        return outside == 0 ? "within tolerance" : counted(outside, "figure") + " outside tolerance";
    }

    /** A number of things in words, such as 1 cell and 2 cells. */
    public static String counted(int n, String thing) {
        return n + " " + thing + (n == 1 ? "" : "s");
    }

    private Compared predict(Cell cell, List<Measurement> runs, Set<String> warnings) {
        Scenario s = predictor.scenario();
        Arm arm = ArmChoice.of(cell).arm(s);
        Workload w = s.workloads().stream()
                .filter(x -> x.id().equals(cell.workload()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the scenario has no workload " + cell.workload()));
        LoadSpec load = load(cell);
        Workload asMeasured = ScenarioPredictor.withLengths(
                w,
                mean(runs.stream().map(Measurement::promptTokens).toList()),
                mean(runs.stream().map(Measurement::outputTokens).toList()));
        Point full = predictor.full(arm, cell.tp(), asMeasured, load);
        if (!full.feasible()) {
            warnings.add(cell + " was measured, but is predicted infeasible: " + full.reason());
            return new Compared(cell, arm, runs, null, null, load);
        }
        Measurement acceptance = runs.stream()
                .filter(m -> m.acceptance() != null && !m.forced())
                .findFirst()
                .orElse(null);
        Point b = acceptance == null || !arm.speculative()
                ? null
                : predictor.withAcceptance(arm, cell.tp(), asMeasured, load, acceptance.acceptance());
        if (b != null && !b.feasible()) {
            warnings.add(cell + ": measured acceptance cannot be used: " + b.reason());
            b = null;
        }
        return new Compared(cell, arm, runs, full, b, load);
    }

    /** The load that a cell's label means: of the scenario, or a closed or Poisson load that it does not list. */
    private LoadSpec load(Cell cell) {
        for (LoadSpec l : ScenarioPredictor.single(predictor.scenario().loads())) {
            if (LoadLabels.of(l).equals(cell.load())) {
                return l;
            }
        }
        return LoadLabels.parse(cell.load());
    }

    /** Refuses runs of one workload and load whose servers or lengths differ; what is allowed is said. */
    private Set<String> comparable(List<Measurement> measurements) {
        Map<String, Measurement> first = new LinkedHashMap<>();
        Set<String> accepted = new LinkedHashSet<>();
        for (Measurement m : measurements) {
            Measurement other = first.putIfAbsent(m.cell().rivals(), m);
            if (other != null) {
                String what = "runs of " + other.cell() + " (" + other.source() + ", run " + other.run() + ") and "
                        + m.cell() + " (" + m.source() + ", run " + m.run() + ")";
                Guards.comparable(what, other.conditions(), m.conditions(), allowed)
                        .forEach(d -> accepted.add(what + " are compared although different: " + d));
            }
        }
        return accepted;
    }

    private List<String> roofline(Compared c) {
        Double measured = mean(c.runs, Figure.OUTPUT_TOK_S);
        Integer clients = clients(c.load);
        Double tokens = c.arm.speculative() ? mean(c.runs, Figure.ACCEPT_LENGTH) : Double.valueOf(1);
        if (measured == null || clients == null || tokens == null) {
            return List.of();
        }
        Double most = ceiling.tokS(c.cell.tp(), tokens, clients);
        return most == null ? List.of() : Guards.rooflineWarnings(measured, most);
    }

    private Row row(
            Compared c,
            Map<String, Map<String, List<ErrorSummary.Pair>>> pairs,
            List<String> outside,
            Set<String> warnings) {
        boolean forced = c.runs.stream().anyMatch(Measurement::forced);
        String stage = forced && c.arm.speculative() ? FORCED : FULL;
        Set<String> notes = new LinkedHashSet<>();
        c.runs.forEach(m -> notes.addAll(m.notes()));
        notes.remove(Guards.NO_BASELINE); // said once, of all loads, with the speed-ups
        notes.addAll(roofline(c));
        if (c.full == null) {
            return new Row(c.cell, c.runs.size(), stage, Map.of(), null, null, null, null, List.copyOf(notes));
        }
        notes.addAll(c.full.notes());
        Figures predicted = Figures.of(c.full);
        Figures b = c.withAcceptance == null ? null : Figures.of(c.withAcceptance);
        Map<String, FigureRow> figures = new LinkedHashMap<>();
        for (Figure f : Figure.values()) {
            double[] measured = measured(c.runs, f);
            Double p = predicted.get(f);
            if (measured.length == 0 || p == null) {
                continue;
            }
            double mean = Arrays.stream(measured).average().orElseThrow();
            double[] interval = f == Figure.OUTPUT_TOK_S ? interval(c.full) : null;
            FigureRow r = new FigureRow(
                    p,
                    mean,
                    100 * (p / mean - 1),
                    measured.length < 3 ? null : list(Bootstrap.mean(measured, LEVEL, 1)),
                    interval == null ? null : list(interval));
            figures.put(f.key(), r);
            add(pairs, stage, f, new ErrorSummary.Pair(p, mean, interval));
            if (b != null && b.get(f) != null && f != Figure.ACCEPT_LENGTH) {
                add(pairs, MEASURED, f, ErrorSummary.Pair.of(b.get(f), mean));
            }
            Double tolerance = predictor.scenario().tolerance().get(f.key());
            if (tolerance != null && Math.abs(p / mean - 1) > tolerance) {
                outside.add(String.format(
                        Locale.ROOT,
                        "%s: %s predicted %.4g, measured %.4g (%+.1f %%, tolerance %.0f %%)",
                        c.cell,
                        f.key(),
                        p,
                        mean,
                        100 * (p / mean - 1),
                        100 * tolerance));
            }
        }
        return new Row(
                c.cell,
                c.runs.size(),
                stage,
                figures,
                b == null ? null : Measurement.map(b),
                equivalence(c, predicted, warnings),
                c.full.extrapolated(),
                c.full.calibrated(),
                List.copyOf(notes));
    }

    /** Verdict over boots: runs of one start of the server are averaged, since they share its noise. */
    private static Equivalence equivalence(Compared c, Figures predicted, Set<String> warnings) {
        Figure f = clients(c.load) == null ? Figure.TPOT_MS : Figure.OUTPUT_TOK_S;
        if (predicted.get(f) == null) {
            return null;
        }
        Map<String, List<Double>> boots = new LinkedHashMap<>();
        for (Measurement m : c.runs) {
            Double v = m.values().get(f);
            if (v != null) {
                boots.computeIfAbsent(m.boot(), x -> new ArrayList<>()).add(v);
            }
        }
        if (boots.isEmpty()) {
            return null;
        }
        if (boots.size() < c.runs.size()) {
            warnings.add("runs without a restart of the server between them count as one run of the equivalence test");
        }
        double[] values = boots.values().stream()
                .mapToDouble(v ->
                        v.stream().mapToDouble(Double::doubleValue).average().orElseThrow())
                .toArray();
        return Equivalence.of(predicted.get(f), values, Objects.equals(clients(c.load), 1));
    }

    private static Residuals.CellFacts facts(Compared c) {
        Measurement m = c.runs.get(c.runs.size() - 1);
        Figures p = c.full == null ? null : Figures.of(c.full);
        Figures b = c.withAcceptance == null ? null : Figures.of(c.withAcceptance);
        boolean known = p != null;
        Figure round = round(c);
        return new Residuals.CellFacts(
                c.arm.speculative(),
                clients(c.load),
                known ? c.full.rowsPerRound() : null,
                known ? p.get(round) : null,
                mean(c.runs, round),
                known ? p.get(Figure.OUTPUT_TOK_S) : null,
                b != null ? b.get(Figure.OUTPUT_TOK_S) : known ? p.get(Figure.OUTPUT_TOK_S) : null,
                mean(c.runs, Figure.OUTPUT_TOK_S),
                known ? p.get(Figure.TTFT_MS) : null,
                mean(c.runs, Figure.TTFT_MS),
                m.promptTokens(),
                known ? p.get(Figure.E2E_MS) : null);
    }

    /**
     * The figure that holds round times: rounds as this client recovers them, else the gaps between events where a file's time per
     * token and accept length say that an event is a round.
     */
    private static Figure round(Compared c) {
        Double gap = mean(c.runs, Figure.ROUND_GAP_MS);
        Double tpot = mean(c.runs, Figure.TPOT_MS);
        Double tokens = c.arm.speculative() ? mean(c.runs, Figure.ACCEPT_LENGTH) : Double.valueOf(1);
        boolean rounds = mean(c.runs, Figure.ROUND_MS) == null
                && gap != null
                && tpot != null
                && tokens != null
                && Math.abs(Math.log(gap / (tpot * tokens))) < SAME_ROUND_LOG;
        return rounds ? Figure.ROUND_GAP_MS : Figure.ROUND_MS;
    }

    private static List<RankingRow> rankings(List<Compared> all) {
        Map<String, List<Compared>> groups = new LinkedHashMap<>();
        for (Compared c : all) {
            if (c.full != null && c.full.outputTokS() != null && mean(c.runs, Figure.OUTPUT_TOK_S) != null) {
                groups.computeIfAbsent(c.cell.rivals(), k -> new ArrayList<>()).add(c);
            }
        }
        List<RankingRow> rows = new ArrayList<>();
        groups.forEach((rivals, arms) -> {
            if (arms.size() < 2) {
                return;
            }
            double[] p = arms.stream().mapToDouble(c -> c.full.outputTokS()).toArray();
            double[] m = arms.stream()
                    .mapToDouble(c -> mean(c.runs, Figure.OUTPUT_TOK_S))
                    .toArray();
            PredictionErrors e = new PredictionErrors(p, m);
            OptionalDouble tau = e.kendallTauB();
            rows.add(new RankingRow(
                    rivals,
                    arms.size(),
                    tau.isPresent() ? tau.getAsDouble() : null,
                    arms.get(argmax(p)).cell.arm(),
                    arms.get(argmax(m)).cell.arm(),
                    100 * e.regret()));
        });
        return rows;
    }

    private static int argmax(double[] v) {
        int best = 0;
        for (int i = 1; i < v.length; i++) {
            best = v[i] > v[best] ? i : best;
        }
        return best;
    }

    private static List<SpeedupRow> speedups(List<Compared> all, Set<String> warnings) {
        List<SpeedupRow> rows = new ArrayList<>();
        Set<String> alone = new LinkedHashSet<>();
        for (Compared c : all) {
            if (!c.arm.speculative() || c.full == null) {
                continue;
            }
            Compared ar = all.stream()
                    .filter(x -> !x.arm.speculative()
                            && x.full != null
                            && x.cell.rivals().equals(c.cell.rivals()))
                    .findFirst()
                    .orElse(null);
            Double mine = mean(c.runs, Figure.OUTPUT_TOK_S);
            Double base = ar == null ? null : mean(ar.runs, Figure.OUTPUT_TOK_S);
            if (base == null) {
                alone.add(c.cell.rivals());
            }
            if (base == null || mine == null) {
                continue;
            }
            double predicted = c.full.outputTokS() / ar.full.outputTokS();
            double measured = mine / base;
            rows.add(new SpeedupRow(c.cell, predicted, measured, (predicted >= 1) == (measured >= 1)));
        }
        if (!alone.isEmpty()) {
            warnings.add("no autoregressive baseline was measured for " + String.join(", ", alone)
                    + ": speed-ups cannot be stated (measure or give one too, into the same --out)");
        }
        return rows;
    }

    /** Median over cells of the mean absolute log ratio between pairs of runs, as percent. */
    private static Double noiseFloor(Map<Cell, List<Measurement>> byCell) {
        List<Double> noise = new ArrayList<>();
        byCell.values().forEach(runs -> {
            double[] v = measured(runs, Figure.OUTPUT_TOK_S);
            double sum = 0;
            int n = 0;
            for (int i = 0; i < v.length; i++) {
                for (int j = i + 1; j < v.length; j++) {
                    sum += Math.abs(Math.log(v[i] / v[j]));
                    n++;
                }
            }
            if (n > 0) {
                noise.add(100 * Math.expm1(sum / n));
            }
        });
        return noise.isEmpty()
                ? null
                : ErrorSummary.medianOf(
                        noise.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private static void add(
            Map<String, Map<String, List<ErrorSummary.Pair>>> pairs, String stage, Figure f, ErrorSummary.Pair pair) {
        pairs.computeIfAbsent(stage, s -> new LinkedHashMap<>())
                .computeIfAbsent(f.key(), k -> new ArrayList<>())
                .add(pair);
    }

    private static double[] measured(List<Measurement> runs, Figure f) {
        return runs.stream()
                .map(m -> m.values().get(f))
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .toArray();
    }

    private static Double mean(List<Measurement> runs, Figure f) {
        double[] v = measured(runs, f);
        return v.length == 0 ? null : Arrays.stream(v).average().orElseThrow();
    }

    private static Double mean(List<Double> values) {
        double[] v = values.stream()
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .toArray();
        return v.length == 0 ? null : Arrays.stream(v).average().orElseThrow();
    }

    private static Integer clients(LoadSpec load) {
        return load instanceof LoadSpec.Closed c ? c.concurrency().get(0) : null;
    }

    private static double[] interval(Point p) {
        return p.interval() == null
                ? null
                : p.interval().outputTokS().stream()
                        .mapToDouble(Double::doubleValue)
                        .toArray();
    }

    private static List<Double> list(double[] v) {
        return Arrays.stream(v).boxed().toList();
    }

    /** Draft length of an arm, for round recovery: tokens per round are at most this plus one. */
    public static Integer maxTokensPerRound(Arm arm) {
        Method m = arm.method();
        return m.maxAccepted(arm) + 1;
    }
}
