package dev.foretoken.validation.backtest;

import dev.foretoken.sim.statistics.PredictionErrors;
import dev.foretoken.validation.backtest.BacktestReport.Errors;
import dev.foretoken.validation.backtest.BacktestReport.Prediction;
import dev.foretoken.validation.backtest.BacktestReport.Signs;
import dev.foretoken.validation.backtest.BacktestReport.SourceErrors;
import dev.foretoken.validation.backtest.BacktestReport.Unpredicted;
import dev.foretoken.validation.backtest.BacktestReport.Way;
import dev.foretoken.validation.compare.ErrorSummary;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Predicts the speculative rows of a cases file from the rest of their own source. */
public final class Backtest {
    private static final double MISS_PERCENT = 20;
    private static final double SIGN_BAND = 0.1;
    private static final Pattern QUEUE = Pattern.compile("queue_fraction ([0-9.]+)");
    private static final Pattern RUNNING = Pattern.compile("running avg/max ([0-9.]+)/");

    private final CasesFile.Content cases;
    private final List<Prediction> predictions = new ArrayList<>();
    private final List<Unpredicted> unpredicted = new ArrayList<>();

    private final WhiteBoxCase.Source whiteBox;

    /** Without predictions from kernel timings. */
    public Backtest(CasesFile.Content cases) {
        this(cases, WhiteBoxCase.Source.NONE);
    }

    /** @param whiteBox predictions of rows whose card and model are in a catalogue */
    public Backtest(CasesFile.Content cases, WhiteBoxCase.Source whiteBox) {
        this.cases = cases;
        this.whiteBox = whiteBox;
    }

    /** Runs the three ways over every family. */
    public BacktestReport run() {
        Map<String, List<Sample>> families = new LinkedHashMap<>();
        int autoregressive = 0;
        for (CaseRow r : cases.rows()) {
            autoregressive += r.autoregressive() ? 1 : 0;
            ArmShape shape = ArmShape.of(r);
            String problem = CostPerToken.problem(r);
            problem = problem != null ? problem : shape.problem();
            if (problem != null) {
                if (!r.autoregressive()) {
                    for (Way way : Way.values()) {
                        unpredicted.add(new Unpredicted(r.id(), r.sourceGroup(), way, problem));
                    }
                }
                continue;
            }
            families.computeIfAbsent(r.family(), f -> new ArrayList<>()).add(new Sample(r, shape, CostPerToken.of(r)));
        }
        families.values().forEach(this::family);
        return report(autoregressive);
    }

    private void family(List<Sample> samples) {
        List<Sample> ar = samples.stream().filter(s -> s.row().autoregressive()).toList();
        List<Sample> spec =
                samples.stream().filter(s -> !s.row().autoregressive()).toList();
        if (spec.isEmpty()) {
            return;
        }
        FamilyModel all = new FamilyModel(ar, spec);
        for (Sample s : spec) {
            record(Way.IN_SAMPLE, s, all.predict(s), ar);
            List<Sample> others = spec.stream().filter(t -> t != s).toList();
            record(Way.LEAVE_POINT_OUT, s, new FamilyModel(ar, others).predict(s), ar);
        }
        for (String arm : FamilyModel.arms(spec)) {
            FamilyModel without = new FamilyModel(
                    ar, spec.stream().filter(t -> !t.row().arm().equals(arm)).toList());
            for (Sample s : spec) {
                if (s.row().arm().equals(arm)) {
                    record(Way.LEAVE_METHOD_OUT, s, without.predict(s), ar);
                }
            }
        }
    }

    private void record(Way way, Sample s, Estimate e, List<Sample> ar) {
        CaseRow r = s.row();
        if (e.cost() == null) {
            unpredicted.add(new Unpredicted(r.id(), r.sourceGroup(), way, e.reason()));
            return;
        }
        double error = 100 * (s.cost() / e.cost() - 1);
        Double baseline = ar.stream()
                .filter(a -> a.c() == s.c() && a.row().dataset().equals(r.dataset()))
                .mapToDouble(Sample::cost)
                .boxed()
                .findFirst()
                .orElse(null);
        predictions.add(new Prediction(
                r.id(),
                r.sourceGroup(),
                way,
                r.metric(),
                CostPerToken.value(r, e.cost()),
                r.value(),
                error,
                e.extrapolated(),
                baseline == null ? null : baseline / s.cost(),
                baseline == null ? null : baseline / e.cost(),
                Math.abs(error) > MISS_PERCENT ? remark(r, e, error > 0) : null));
    }

    /** Why a row is missed by more than 20 %. */
    private static String remark(CaseRow r, Estimate e, boolean tooFast) {
        Matcher q = QUEUE.matcher(r.note());
        if (tooFast && q.find() && Double.parseDouble(q.group(1)) > 0) {
            Matcher running = RUNNING.matcher(r.note());
            return "requests queued (queue fraction " + q.group(1)
                    + (running.find() ? ", " + running.group(1) + " running" : "") + " of " + r.concurrency()
                    + "): memory, not round time, limits it";
        }
        if (e.extrapolated()) {
            return "rows or lengths beyond those measured: extrapolated";
        }
        if (r.range()) {
            return "the source gives a range";
        }
        return "unexplained";
    }

    private BacktestReport report(int autoregressive) {
        Map<Way, Errors> ways = new EnumMap<>(Way.class);
        Map<Way, Signs> signs = new EnumMap<>(Way.class);
        List<SourceErrors> sources = new ArrayList<>();
        for (Way way : Way.values()) {
            List<Prediction> of =
                    predictions.stream().filter(p -> p.way() == way).toList();
            ways.put(way, errors(of));
            signs.put(way, signs(of));
            of.stream().map(Prediction::sourceGroup).distinct().forEach(g -> {
                List<Prediction> mine =
                        of.stream().filter(p -> p.sourceGroup().equals(g)).toList();
                sources.add(new SourceErrors(g, way, errors(mine), rankAgreement(mine)));
            });
        }
        return new BacktestReport(
                BacktestReport.SCHEMA,
                cases.rows().size() + cases.left().size(),
                autoregressive,
                List.copyOf(predictions),
                List.copyOf(unpredicted),
                ways,
                sources,
                signs,
                whiteBox(),
                cases.left());
    }

    /** Every row with a decode speed, predicted from kernel timings where card and model have them. */
    private BacktestReport.WhiteBox whiteBox() {
        Map<String, Double> predicted = new LinkedHashMap<>();
        Map<String, Double> measured = new LinkedHashMap<>();
        Map<CaseRow, WhiteBoxCase> answers = new LinkedHashMap<>();
        Map<String, Integer> not = new TreeMap<>();
        for (CaseRow r : cases.rows()) {
            String problem = CostPerToken.problem(r);
            if (problem == null && !CostPerToken.isRate(r.metric().toLowerCase(Locale.ROOT))) {
                problem = "metric " + r.metric() + " is no speed";
            }
            WhiteBoxCase answer =
                    problem == null ? whiteBox.predict(r, CostPerToken.perRequest(r)) : WhiteBoxCase.none(problem);
            if (answer.tokS() == null) {
                not.merge(answer.reason(), 1, Integer::sum);
                continue;
            }
            answers.put(r, answer);
            if (r.autoregressive()) {
                predicted.put(load(r), answer.tokS());
                measured.put(load(r), r.value());
            }
        }
        List<BacktestReport.WhiteBoxRow> rows = new ArrayList<>();
        answers.forEach((r, a) -> {
            Double base = r.autoregressive() ? null : measured.get(load(r));
            rows.add(new BacktestReport.WhiteBoxRow(
                    r.id(),
                    r.sourceGroup(),
                    r.arm(),
                    !r.autoregressive(),
                    a.tokS(),
                    r.value(),
                    100 * (a.tokS() / r.value() - 1),
                    base == null ? null : r.value() / base,
                    base == null ? null : a.tokS() / predicted.get(load(r)),
                    a.assumptions()));
        });
        int[] counts = new int[4];
        rows.stream()
                .filter(w -> w.measuredRatio() != null)
                .forEach(w -> count(w.measuredRatio(), w.predictedRatio(), counts));
        return new BacktestReport.WhiteBox(
                List.copyOf(rows),
                summary(rows.stream().filter(w -> !w.speculative()).toList()),
                summary(rows.stream().filter(w -> w.speculative()).toList()),
                pairs(rows.stream()
                        .filter(w -> w.measuredRatio() != null)
                        .map(w -> ErrorSummary.Pair.of(w.predictedRatio(), w.measuredRatio()))
                        .toList()),
                new Signs(counts[0], counts[1], counts[2], counts[3]),
                Collections.unmodifiableMap(not));
    }

    private static String load(CaseRow r) {
        return r.family() + "|" + r.dataset() + "|" + r.concurrency();
    }

    private static ErrorSummary summary(List<BacktestReport.WhiteBoxRow> rows) {
        return pairs(rows.stream()
                .map(w -> ErrorSummary.Pair.of(w.predicted(), w.measured()))
                .toList());
    }

    private static ErrorSummary pairs(List<ErrorSummary.Pair> pairs) {
        return pairs.isEmpty() ? null : ErrorSummary.of(pairs);
    }

    private static Errors errors(List<Prediction> of) {
        return new Errors(summary(of, false), summary(of, true));
    }

    /** Errors of speeds: for times the ratio is turned round. */
    private static ErrorSummary summary(List<Prediction> of, boolean extrapolated) {
        List<ErrorSummary.Pair> pairs = of.stream()
                .filter(p -> p.extrapolated() == extrapolated)
                .map(p -> ErrorSummary.Pair.of(1 + p.errorPercent() / 100, 1))
                .toList();
        return pairs.isEmpty() ? null : ErrorSummary.of(pairs);
    }

    private static Signs signs(List<Prediction> of) {
        int[] counts = new int[4];
        of.stream()
                .filter(p -> p.measuredRatio() != null)
                .forEach(p -> count(p.measuredRatio(), p.predictedRatio(), counts));
        return new Signs(counts[0], counts[1], counts[2], counts[3]);
    }

    /** Counts wins, wins called right, losses, losses called right. */
    private static void count(double measuredRatio, double predictedRatio, int[] counts) {
        if (measuredRatio > 1 + SIGN_BAND) {
            counts[0]++;
            counts[1] += predictedRatio > 1 ? 1 : 0;
        } else if (measuredRatio < 1 - SIGN_BAND) {
            counts[2]++;
            counts[3] += predictedRatio < 1 ? 1 : 0;
        }
    }

    /** Mean tau-b over groups of rows of one dataset, load and metric with at least three arms. */
    private Double rankAgreement(List<Prediction> of) {
        Map<String, CaseRow> byId = new LinkedHashMap<>();
        cases.rows().forEach(r -> byId.put(r.id(), r));
        Map<String, List<Prediction>> groups = new LinkedHashMap<>();
        for (Prediction p : of) {
            CaseRow r = byId.get(p.caseId());
            groups.computeIfAbsent(r.family() + "|" + r.dataset() + "|" + r.concurrency(), g -> new ArrayList<>())
                    .add(p);
        }
        double sum = 0;
        int n = 0;
        for (List<Prediction> g : groups.values()) {
            if (g.size() < 3) {
                continue;
            }
            double[] predicted = g.stream().mapToDouble(Prediction::predicted).toArray();
            double[] measured = g.stream().mapToDouble(Prediction::measured).toArray();
            OptionalDouble tau = PredictionErrors.kendallTauB(predicted, measured);
            if (tau.isPresent()) {
                sum += tau.getAsDouble();
                n++;
            }
        }
        return n == 0 ? null : sum / n;
    }
}
