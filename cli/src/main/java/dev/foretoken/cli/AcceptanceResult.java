package dev.foretoken.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.calibration.acceptance.Evidence;
import dev.foretoken.calibration.acceptance.GoodnessOfFit;
import dev.foretoken.calibration.acceptance.NextRun;
import dev.foretoken.calibration.study.AcceptanceStudy;
import dev.foretoken.calibration.study.Collected;
import dev.foretoken.calibration.study.MarginalStudy;
import dev.foretoken.formats.acceptance.AcceptanceFile;
import dev.foretoken.formats.acceptance.AcceptanceWriter;
import dev.foretoken.formats.acceptance.readers.ReadReport;
import dev.foretoken.formats.acceptance.readers.SurvivalCounts;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.scenario.ValueText;
import dev.foretoken.report.chart.AcceptanceCharts;
import dev.foretoken.report.chart.AcceptanceCharts.Observed;
import dev.foretoken.report.chart.Plot;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.Column;
import dev.foretoken.report.table.NumberStyle;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.LawBand;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.acceptance.Parameter;
import dev.foretoken.sim.tree.TreeOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What {@code calibrate acceptance} says, as tables, JSON and charts.
 *
 * @param sources names of the files
 * @param read what was converted and skipped
 * @param counts what was read
 * @param groups fits
 * @param traces replays of drafter marginals
 * @param file the acceptance file; null when there is none
 * @param warnings what a user must know before the file is used, each a sentence
 * @param nextRounds size of further runs
 * @param level of intervals
 */
record AcceptanceResult(
        List<String> sources,
        ReadReport read,
        List<SurvivalCounts> counts,
        List<Group> groups,
        List<MarginalStudy> traces,
        AcceptanceFile file,
        List<String> warnings,
        double nextRounds,
        double level) {
    /** Depth from which a drafter is taken as a block drafter, whose trees are of interest. */
    private static final int BLOCK_DEPTH = 7;

    private static final List<Integer> LENGTHS = List.of(1, 2, 3, 5, 8, 12, 15, 20, 31);
    private static final List<Integer> BUDGETS = List.of(4, 8, 16, 32, 64, 128);
    private static final int MOST_NEXT = 4;
    /** A further run that leaves more than this of an interval does not narrow it to speak of. */
    private static final double LEAST_GAIN = 0.99;

    /**
     * One workload, method, engine and version.
     *
     * @param collected what was seen
     * @param study the fit; null when there is none
     */
    record Group(Collected collected, AcceptanceStudy study) {
        /** Form for the file; null when nothing can be said. */
        AcceptanceForm form() {
            return study != null ? study.form() : collected.plain();
        }

        String workload() {
            return collected.key().workload();
        }

        String method() {
            return collected.key().method();
        }
    }

    /** A parameter of a fit. */
    private record ParameterRow(
            Group group, String name, Parameter parameter, AcceptanceStudy.Known known, Double clusterRatio) {}

    /** Accept length of a design. */
    record PredictedRow(Group group, String design, double acceptLength, Double lo, Double hi, Double observed) {}

    private record FitRow(Group group, String sample, GoodnessOfFit.Row row) {}

    private record NextRow(Group group, NextRun run, double before) {}

    private record SkipRow(String reason, long records, String first) {}

    private record ReplayRow(String trace, MarginalStudy.Replayed replayed, long rounds) {}

    BlockOutput output(Common common) {
        List<PredictedRow> predicted = predictions();
        Block.Table<ParameterRow> parameters = parameterTable();
        List<Block> blocks = new ArrayList<>();
        blocks.add(new Block.Sentences("Warnings", warnings));
        blocks.add(countTable());
        blocks.add(new Block.Sentences("Converted and assumed", List.copyOf(read.conversions())));
        blocks.add(skipTable());
        blocks.add(unusedTable());
        blocks.add(replayTable());
        blocks.add(parameters);
        blocks.add(plainTable());
        blocks.add(new Block.Sentences("What the fit rests on", remarks()));
        blocks.add(predictionTable(predicted));
        blocks.add(goodnessTable());
        blocks.add(new Block.Sentences("What to measure next", nextSentences()));
        blocks.add(nextTable());
        BlockOutput output = new BlockOutput(
                common,
                "acceptance",
                String.format(
                        Locale.ROOT,
                        "acceptance from %s · %,d records read, %,d skipped",
                        String.join(", ", sources),
                        read.observations()
                                + traces.stream()
                                        .mapToLong(MarginalStudy::rounds)
                                        .sum(),
                        read.skippedTotal()
                                + traces.stream()
                                        .mapToLong(t -> t.skipped().count())
                                        .sum()),
                blocks,
                parameters,
                json(predicted));
        for (Group g : groups) {
            if (g.study() != null) {
                charts(g, output);
            }
        }
        return output;
    }

    private static <T> List<Column<T>> keyed(Function<T, Group> group, List<Column<T>> columns) {
        List<Column<T>> all = new ArrayList<>();
        all.add(Column.of(
                "workload",
                "",
                "workload",
                NumberStyle.TEXT,
                8,
                r -> group.apply(r).workload()));
        all.add(Column.of(
                "method", "", "method", NumberStyle.TEXT, 8, r -> group.apply(r).method()));
        all.addAll(columns);
        return all;
    }

    private Block.Table<SurvivalCounts> countTable() {
        List<Column<SurvivalCounts>> columns = List.of(
                Column.of(
                        "workload",
                        "",
                        "workload",
                        NumberStyle.TEXT,
                        8,
                        c -> c.key().workload()),
                Column.of(
                        "method",
                        "",
                        "method",
                        NumberStyle.TEXT,
                        8,
                        c -> c.key().method()),
                Column.of(
                        "engine",
                        "",
                        "engine",
                        NumberStyle.TEXT,
                        7,
                        c -> c.key().engine()),
                Column.of(
                        "version",
                        "",
                        "version",
                        NumberStyle.TEXT,
                        5,
                        c -> c.key().version()),
                Column.of(
                        "length",
                        "",
                        "length",
                        NumberStyle.COUNT,
                        8,
                        c -> c.design().length()),
                Column.of(
                        "budget",
                        "",
                        "budget",
                        NumberStyle.COUNT,
                        8,
                        c -> c.design().budget()),
                Column.of(
                        "top_k",
                        "",
                        "top_k",
                        NumberStyle.COUNT,
                        6,
                        c -> c.design().topK()),
                Column.of(
                        "detail",
                        "",
                        "known",
                        NumberStyle.TEXT,
                        6,
                        c -> c.detail().toString().toLowerCase(Locale.ROOT)),
                Column.of("units", "", "records", NumberStyle.COUNT, 5, SurvivalCounts::units),
                Column.of("rounds", "", "rounds", NumberStyle.COUNT, 9, SurvivalCounts::rounds),
                Column.of(
                        "accept_length",
                        "tok/round",
                        "accept length",
                        NumberStyle.FINE,
                        Column.ALWAYS,
                        SurvivalCounts::acceptLength),
                Column.of(
                        "macro_accept_length",
                        "tok/round",
                        "per record",
                        NumberStyle.FINE,
                        4,
                        SurvivalCounts::macroAcceptLength));
        return new Block.Table<>(
                "What was read",
                columns,
                counts,
                List.of(
                        "accept length: tokens per round over all rounds; per record: plain mean over records, as papers print"));
    }

    private Block.Table<SkipRow> skipTable() {
        List<SkipRow> rows = new ArrayList<>();
        read.skipped().forEach((reason, s) -> rows.add(new SkipRow(reason, s.count(), s.first())));
        for (MarginalStudy t : traces) {
            if (t.skipped().count() > 0) {
                rows.add(new SkipRow(
                        "line of a trace",
                        t.skipped().count(),
                        t.skipped().examples().get(0)));
            }
        }
        return new Block.Table<>("Skipped", skipColumns("skipped because"), rows, List.of());
    }

    private static List<Column<SkipRow>> skipColumns(String reason) {
        return List.of(
                Column.of("records", "", "records", NumberStyle.COUNT, Column.ALWAYS, SkipRow::records),
                Column.of("first", "", "first", NumberStyle.TEXT, 6, SkipRow::first),
                Column.of("reason", "", reason, NumberStyle.TEXT, Column.ALWAYS, SkipRow::reason));
    }

    private Block.Table<SkipRow> unusedTable() {
        Map<String, Long> all = new LinkedHashMap<>();
        groups.forEach(g -> g.collected().unused().forEach((reason, n) -> all.merge(reason, n, Long::sum)));
        List<SkipRow> rows = new ArrayList<>();
        all.forEach((reason, n) -> rows.add(new SkipRow(reason, n, null)));
        return new Block.Table<>("Read with a remark", skipColumns("remark"), rows, List.of());
    }

    private Block.Table<ReplayRow> replayTable() {
        List<ReplayRow> rows = new ArrayList<>();
        for (int i = 0; i < traces.size(); i++) {
            MarginalStudy t = traces.get(i);
            String name = sources.get(sources.size() - traces.size() + i);
            t.replayed().forEach(r -> rows.add(new ReplayRow(name, r, t.rounds())));
        }
        List<Column<ReplayRow>> columns = List.of(
                Column.of("trace", "", "trace", NumberStyle.TEXT, 5, ReplayRow::trace),
                Column.of(
                        "design",
                        "",
                        "design",
                        NumberStyle.TEXT,
                        Column.ALWAYS,
                        r -> Evidence.name(r.replayed().design())),
                Column.of("rounds", "", "rounds", NumberStyle.COUNT, 7, ReplayRow::rounds),
                Column.of(
                        "mean_nodes",
                        "",
                        "nodes",
                        NumberStyle.RATE,
                        6,
                        r -> r.replayed().meanNodes()),
                Column.of(
                        "accept_length",
                        "tok/round",
                        "accept length",
                        NumberStyle.FINE,
                        Column.ALWAYS,
                        r -> r.replayed().law().central().acceptLength()),
                Column.of(
                        "accept_length_band",
                        "tok/round",
                        "band",
                        NumberStyle.FINE,
                        8,
                        r -> r.replayed().law().hasBand()
                                ? List.of(
                                        r.replayed().law().lowAcceptLength(),
                                        r.replayed().law().highAcceptLength())
                                : null),
                Column.of(
                        "open_rounds",
                        "",
                        "open rounds",
                        NumberStyle.COUNT,
                        5,
                        r -> r.replayed().openRounds()));
        return new Block.Table<>(
                "Exact replay of the logged marginals",
                columns,
                rows,
                List.of(
                        "the tree that would have been built from the logged candidates, and what the target's logged tokens"
                                + " accept in it; band: where they end inside the draft, off the spine times kappa in [0, 1]"));
    }

    private Block.Table<ParameterRow> parameterTable() {
        List<ParameterRow> rows = new ArrayList<>();
        for (Group g : groups) {
            if (g.study() == null) {
                continue;
            }
            List<Parameter> p = g.study().parameters();
            for (int k = 0; k < p.size(); k++) {
                rows.add(new ParameterRow(
                        g,
                        AcceptanceStudy.NAMES.get(k),
                        p.get(k),
                        g.study().known(k),
                        g.study().dependence() == null
                                ? null
                                : g.study().intervals().clusterRatio().get(k)));
            }
        }
        return new Block.Table<>(
                "Fitted law (spine, rank, tail)",
                keyed(
                        ParameterRow::group,
                        List.of(
                                Column.of(
                                        "parameter",
                                        "",
                                        "parameter",
                                        NumberStyle.TEXT,
                                        Column.ALWAYS,
                                        ParameterRow::name),
                                Column.of(
                                        "value",
                                        "",
                                        "value",
                                        NumberStyle.FINE,
                                        Column.ALWAYS,
                                        r -> r.parameter().value()),
                                Column.of(
                                        "lo",
                                        "",
                                        "from",
                                        NumberStyle.FINE,
                                        Column.ALWAYS,
                                        r -> r.parameter().lo()),
                                Column.of(
                                        "hi",
                                        "",
                                        "to",
                                        NumberStyle.FINE,
                                        Column.ALWAYS,
                                        r -> r.parameter().hi()),
                                Column.of(
                                        "identified",
                                        "",
                                        "from the data",
                                        NumberStyle.TEXT,
                                        9,
                                        r -> r.known().name().toLowerCase(Locale.ROOT)),
                                Column.of(
                                        "cluster_variance_ratio",
                                        "",
                                        "clustering",
                                        NumberStyle.FINE,
                                        5,
                                        ParameterRow::clusterRatio))),
                rows,
                List.of(
                        String.format(
                                Locale.ROOT,
                                "from, to: %.0f %% interval by the profile of the likelihood; clustering: variance over that of"
                                        + " independent rounds",
                                100 * level),
                        "from the data: no where no source speaks of it, or what speaks leaves nearly its whole range; partly where"
                                + " the interval is wide; in both cases the file carries the interval and trees get a band"));
    }

    private record PlainRow(Group group, String form, String value) {}

    private Block.Table<PlainRow> plainTable() {
        List<PlainRow> rows = new ArrayList<>();
        for (Group g : groups) {
            if (g.study() == null && g.collected().plain() != null) {
                AcceptanceForm f = g.collected().plain();
                String words = ValueText.of(f);
                int blank = words.indexOf(' ');
                String value = f instanceof AcceptanceForm.Histogram h
                        ? ValueText.rounds(h)
                        : f instanceof AcceptanceForm.AcceptLength length
                                ? String.format(Locale.ROOT, "%.2f tokens per round", length.tokens())
                                : words.substring(blank + 1);
                rows.add(new PlainRow(g, words.substring(0, blank), value));
            }
        }
        return new Block.Table<>(
                "Kept as counted, without a fit",
                keyed(
                        PlainRow::group,
                        List.of(
                                Column.of("form", "", "form", NumberStyle.TEXT, Column.ALWAYS, PlainRow::form),
                                Column.of("value", "", "value", NumberStyle.TEXT, Column.ALWAYS, PlainRow::value))),
                rows,
                List.of());
    }

    private List<String> remarks() {
        List<String> out = new ArrayList<>();
        for (Group g : groups) {
            if (g.study() == null) {
                continue;
            }
            String who = label(g);
            if (g.study().dependence() == null) {
                out.add(
                        who
                                + "requests are not told apart: intervals take rounds as independent, which logged rounds are not"
                                + " (their variances are some two times larger); a per-request source widens them to what they are");
            } else {
                out.add(String.format(
                        Locale.ROOT,
                        "%srounds of a request depend on each other: %s%.0f %% of the variance of difficulty stays with the"
                                + " request; means of requests vary %.1f times as much as independent rounds would let them",
                        who,
                        g.collected().ordered()
                                ? String.format(
                                        Locale.ROOT,
                                        "autocorrelation of difficulty %.2f (of tokens %.2f), ",
                                        g.study().dependence().autocorrelation(),
                                        g.study().dependence().lag1())
                                : "the order of rounds is not known, ",
                        100 * g.study().dependence().requestShare(),
                        g.study().dependence().requestVarianceRatio()));
            }
        }
        return out;
    }

    private String label(Group g) {
        if (groups.size() == 1) {
            return "";
        }
        return (g.workload() == null ? "any workload" : g.workload()) + ", "
                + (g.method() == null ? "any method" : g.method()) + ": ";
    }

    /** Accept lengths of chains, and of trees for block drafters, with what was observed at the same design. */
    private List<PredictedRow> predictions() {
        List<PredictedRow> rows = new ArrayList<>();
        for (Group g : groups) {
            if (g.study() == null) {
                continue;
            }
            Map<Design, Double> observed = observed(g);
            for (Design d : designs(g)) {
                Parameter law = g.study().acceptLength(d);
                rows.add(new PredictedRow(g, Evidence.name(d), law.value(), law.lo(), law.hi(), observed.get(d)));
            }
        }
        return rows;
    }

    private static List<Design> designs(Group g) {
        int depth = g.study().form().depth();
        List<Design> designs = new ArrayList<>();
        for (int length : LENGTHS) {
            if (length < depth) {
                add(designs, new Design.Chain(length));
            }
        }
        add(designs, new Design.Chain(depth));
        if (trees(g)) {
            for (int budget : BUDGETS) {
                add(designs, tree(g, budget));
            }
        }
        observed(g).keySet().forEach(d -> add(designs, d));
        designs.sort(Comparator.comparing((Design d) -> !(d instanceof Design.Chain))
                .thenComparing(
                        d -> d instanceof Design.Chain c ? c.length() : d instanceof Design.Tree t ? t.budget() : 0));
        return designs;
    }

    private static void add(List<Design> designs, Design d) {
        if (!designs.contains(d)) {
            designs.add(d);
        }
    }

    private static boolean trees(Group g) {
        return g.study().form().depth() >= BLOCK_DEPTH
                || g.collected().evidence().stream().anyMatch(e -> AcceptanceStudy.design(e) instanceof Design.Tree);
    }

    /** A tree with the top-k and chain seed of the observed ones. */
    private static Design.Tree tree(Group g, int budget) {
        int depth = g.study().form().depth();
        return g.collected().evidence().stream()
                .map(AcceptanceStudy::design)
                .filter(Design.Tree.class::isInstance)
                .map(d -> ((Design.Tree) d).withBudget(budget))
                .findFirst()
                .orElse(new Design.Tree(depth, TreeOptions.UNLIMITED, budget, false));
    }

    private static Map<Design, Double> observed(Group g) {
        Map<Design, double[]> counts = histograms(g.collected());
        Map<Design, Double> means = new LinkedHashMap<>();
        counts.forEach((d, c) -> {
            double n = 0;
            double tokens = 0;
            for (int j = 0; j < c.length; j++) {
                n += c[j];
                tokens += (j + 1) * c[j];
            }
            means.put(d, tokens / n);
        });
        for (Evidence e : g.collected().evidence()) {
            if (e instanceof Evidence.MeanTokens m) {
                means.putIfAbsent(m.design(), m.tokens());
            }
        }
        return means;
    }

    private static Map<Design, double[]> histograms(Collected c) {
        Map<Design, double[]> counts = new LinkedHashMap<>();
        for (Evidence e : c.evidence()) {
            double[] more = e instanceof Evidence.RequestRounds r
                    ? r.counts()
                    : e instanceof Evidence.Histogram h
                            ? h.rounds().stream()
                                    .mapToDouble(Double::doubleValue)
                                    .toArray()
                            : null;
            if (more != null) {
                double[] sum = counts.getOrDefault(AcceptanceStudy.design(e), new double[0]);
                double[] all = Arrays.copyOf(sum, Math.max(sum.length, more.length));
                for (int j = 0; j < more.length; j++) {
                    all[j] += more[j];
                }
                counts.put(AcceptanceStudy.design(e), all);
            }
        }
        return counts;
    }

    private Block.Table<PredictedRow> predictionTable(List<PredictedRow> rows) {
        return new Block.Table<>(
                "Accept length by design",
                keyed(
                        PredictedRow::group,
                        List.of(
                                Column.of(
                                        "design", "", "design", NumberStyle.TEXT, Column.ALWAYS, PredictedRow::design),
                                Column.of(
                                        "accept_length",
                                        "tok/round",
                                        "law",
                                        NumberStyle.FINE,
                                        Column.ALWAYS,
                                        PredictedRow::acceptLength),
                                Column.of("lo", "tok/round", "from", NumberStyle.FINE, 9, PredictedRow::lo),
                                Column.of("hi", "tok/round", "to", NumberStyle.FINE, 9, PredictedRow::hi),
                                Column.of(
                                        "observed",
                                        "tok/round",
                                        "observed",
                                        NumberStyle.FINE,
                                        9,
                                        PredictedRow::observed))),
                rows,
                List.of(
                        "from, to: the interval of the fit; over all of rho and kappa where no source speaks of branches, over the"
                                + " pairs that fit the data where the sources leave them wide"));
    }

    private Block.Table<FitRow> goodnessTable() {
        List<FitRow> rows = new ArrayList<>();
        for (Group g : groups) {
            if (g.study() != null) {
                g.study().goodness().stream().filter(r -> r.inSample()).forEach(r -> rows.add(new FitRow(g, "in", r)));
                g.study().held().forEach(r -> rows.add(new FitRow(g, "out", r)));
            }
        }
        return new Block.Table<>(
                "Goodness of fit beside simpler laws",
                keyed(
                        FitRow::group,
                        List.of(
                                Column.of("sample", "", "sample", NumberStyle.TEXT, Column.ALWAYS, FitRow::sample),
                                Column.of(
                                        "law",
                                        "",
                                        "law",
                                        NumberStyle.TEXT,
                                        Column.ALWAYS,
                                        r -> r.row().law()),
                                Column.of(
                                        "fitted_on",
                                        "",
                                        "fitted on",
                                        NumberStyle.TEXT,
                                        6,
                                        r -> r.row().fittedOn()),
                                Column.of(
                                        "against",
                                        "",
                                        "against",
                                        NumberStyle.TEXT,
                                        9,
                                        r -> r.row().against()),
                                Column.of(
                                        "parameters",
                                        "",
                                        "free",
                                        NumberStyle.COUNT,
                                        4,
                                        r -> r.row().parameters()),
                                Column.of(
                                        "log_likelihood_per_round",
                                        "",
                                        "log-likelihood",
                                        NumberStyle.FINE,
                                        7,
                                        r -> r.row().logLikelihoodPerRound()),
                                Column.of(
                                        "deviance",
                                        "",
                                        "deviance",
                                        NumberStyle.RATE,
                                        5,
                                        r -> r.row().deviance()),
                                Column.of(
                                        "total_variation",
                                        "",
                                        "total variation",
                                        NumberStyle.FINE,
                                        9,
                                        r -> r.row().totalVariation()),
                                Column.of(
                                        "accept_length",
                                        "tok/round",
                                        "accept length",
                                        NumberStyle.FINE,
                                        8,
                                        r -> r.row().acceptLength()),
                                Column.of(
                                        "relative_error",
                                        "",
                                        "error",
                                        NumberStyle.PERCENT,
                                        Column.ALWAYS,
                                        r -> r.row().relativeError()))),
                rows,
                List.of(
                        "out of sample: fitted on every other design, and held against this one; log-likelihood per round, higher"
                                + " is better",
                        "iid, beta-mixed and per-position know no budget: what they were fitted on is carried over; srt, 9 nodes"
                                + " is the law that explore and simulate use"));
    }

    private List<String> nextSentences() {
        List<String> out = new ArrayList<>();
        for (Group g : groups) {
            if (g.study() == null) {
                continue;
            }
            NextRun today = g.study().today();
            NextRun best = g.study().next().get(0);
            String narrower = best.kappaHalfWidth() > LEAST_GAIN * today.kappaHalfWidth()
                    ? String.format(
                            Locale.ROOT,
                            "none of the further runs of %,.0f rounds would narrow kappa by 1 %%",
                            nextRounds)
                    : String.format(
                            Locale.ROOT,
                            "%s would bring kappa to +-%.3f and rho to +-%.3f",
                            best.run(),
                            best.kappaHalfWidth(),
                            best.rhoHalfWidth());
            out.add(label(g) + known(g, 5, today.kappaHalfWidth()) + " and " + known(g, 4, today.rhoHalfWidth()) + "; "
                    + narrower);
        }
        return out;
    }

    private static String known(Group g, int k, double halfWidth) {
        Parameter p = g.study().parameters().get(k);
        return String.format(
                Locale.ROOT,
                g.study().known(k) == AcceptanceStudy.Known.NO
                        ? "%s is not known from the data (+-%.3f, %.2f to %.2f)"
                        : "%s is known to +-%.3f (%.2f to %.2f)",
                AcceptanceStudy.NAMES.get(k),
                halfWidth,
                p.lo(),
                p.hi());
    }

    private Block.Table<NextRow> nextTable() {
        List<NextRow> rows = new ArrayList<>();
        for (Group g : groups) {
            if (g.study() != null) {
                double before = g.study().today().kappaHalfWidth();
                g.study().next().stream().limit(MOST_NEXT).forEach(n -> rows.add(new NextRow(g, n, before)));
            }
        }
        return new Block.Table<>(
                "Further runs, the one that narrows kappa most first",
                keyed(
                        NextRow::group,
                        List.of(
                                Column.of(
                                        "kappa_half_width",
                                        "",
                                        "kappa +-",
                                        NumberStyle.FINE,
                                        Column.ALWAYS,
                                        r -> r.run().kappaHalfWidth()),
                                Column.of(
                                        "kappa_narrowed",
                                        "",
                                        "narrower by",
                                        NumberStyle.PERCENT,
                                        8,
                                        r -> r.before() > 0 ? 1 - r.run().kappaHalfWidth() / r.before() : null),
                                Column.of(
                                        "rho_half_width",
                                        "",
                                        "rho +-",
                                        NumberStyle.FINE,
                                        8,
                                        r -> r.run().rhoHalfWidth()),
                                Column.of(
                                        "run",
                                        "",
                                        "with",
                                        NumberStyle.TEXT,
                                        Column.ALWAYS,
                                        r -> r.run().run()))),
                rows,
                List.of(String.format(
                        Locale.ROOT,
                        "half-widths of %.0f %% intervals with %,.0f further rounds: today's, which are half of the printed intervals,"
                                + " times what the run's information leaves of the standard error",
                        100 * level,
                        nextRounds)));
    }

    private void charts(Group g, BlockOutput output) {
        String who = (g.workload() == null ? "any workload" : g.workload()) + ", "
                + (g.method() == null ? "any method" : g.method());
        double widening = g.study().dependence() == null
                ? 1
                : Math.max(1, g.study().dependence().requestVarianceRatio());
        histograms(g.collected()).forEach((design, counts) -> {
            LawBand law = Laws.of(g.study().form(), design);
            output.chart(
                    "survival " + who + " " + Evidence.name(design),
                    () -> AcceptanceCharts.survival(
                            who + ", " + Evidence.name(design),
                            survival(counts, widening),
                            survivalOf(law.central().pmf())));
        });
        if (trees(g)) {
            output.chart("accept-length " + who, () -> acceptLengthChart(g, who));
        }
        for (Evidence e : g.collected().evidence()) {
            if (e instanceof Evidence.FirstMissRank f) {
                output.chart("ranks " + who, () -> rankChart(g, who, f));
            }
        }
    }

    private static Observed survival(double[] counts, double widening) {
        double n = 0;
        for (double c : counts) {
            n += c;
        }
        List<Double> at = new ArrayList<>();
        List<Double> value = new ArrayList<>();
        List<Double> low = new ArrayList<>();
        List<Double> high = new ArrayList<>();
        double left = n;
        for (int d = 1; d < counts.length; d++) {
            left -= counts[d - 1];
            double s = left / n;
            double half = 1.645 * Math.sqrt(widening * s * (1 - s) / n);
            at.add((double) d);
            value.add(s);
            low.add(Math.max(0, s - half));
            high.add(Math.min(1, s + half));
        }
        if (at.isEmpty()) {
            return new Observed(List.of(1.0), List.of(0.0), List.of(), List.of());
        }
        return new Observed(at, value, low, high);
    }

    private static List<Double> survivalOf(double[] pmf) {
        List<Double> s = new ArrayList<>();
        double left = 1;
        for (int d = 1; d < pmf.length; d++) {
            left -= pmf[d - 1];
            s.add(Math.max(0, left));
        }
        return s;
    }

    private static Plot acceptLengthChart(Group g, String who) {
        TreeMap<Integer, Parameter> laws = new TreeMap<>();
        for (int budget : BUDGETS) {
            laws.put(budget, g.study().acceptLength(tree(g, budget)));
        }
        List<Double> at = new ArrayList<>();
        List<Double> value = new ArrayList<>();
        List<Double> low = new ArrayList<>();
        List<Double> high = new ArrayList<>();
        laws.forEach((budget, law) -> {
            at.add((double) budget);
            value.add(law.value());
            low.add(law.lo());
            high.add(law.hi());
        });
        List<Double> seenAt = new ArrayList<>();
        List<Double> seen = new ArrayList<>();
        observed(g).forEach((d, tokens) -> {
            if (d instanceof Design.Tree t) {
                seenAt.add((double) t.budget());
                seen.add(tokens);
            }
        });
        return AcceptanceCharts.acceptLength(
                who, new Observed(at, value, low, high), new Observed(seenAt, seen, List.of(), List.of()));
    }

    private static Plot rankChart(Group g, String who, Evidence.FirstMissRank f) {
        double total = f.counts().stream().mapToDouble(Double::doubleValue).sum() + f.beyond();
        double rho = g.study().form().rho().value();
        List<Double> observed = new ArrayList<>(List.of(0.0));
        List<Double> fitted = new ArrayList<>(List.of(0.0));
        for (int r = 0; r < f.counts().size(); r++) {
            observed.add(f.counts().get(r) / total);
            fitted.add((1 - rho) * Math.pow(rho, r));
        }
        return AcceptanceCharts.ranks(
                String.format(Locale.ROOT, "%s, at the first position off the chain, %,.0f misses", who, total),
                observed,
                fitted);
    }

    private Map<String, Object> json(List<PredictedRow> predicted) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("sources", sources);
        root.put("records", read.observations());
        root.put("skipped_total", read.skippedTotal());
        root.put("skipped", skipTable().rows());
        root.put("conversions", read.conversions());
        root.put("warnings", warnings);
        root.put("counts", counts);
        List<Object> replays = new ArrayList<>();
        for (ReplayRow r : replayTable().rows()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("trace", r.trace());
            row.put("design", Evidence.name(r.replayed().design()));
            row.put("rounds", r.rounds());
            row.put("open_rounds", r.replayed().openRounds());
            row.put("mean_nodes", r.replayed().meanNodes());
            row.put("accept_length", r.replayed().law().central().acceptLength());
            row.put("pmf", r.replayed().law().central().pmf());
            if (r.replayed().law().hasBand()) {
                row.put(
                        "accept_length_band",
                        List.of(
                                r.replayed().law().lowAcceptLength(),
                                r.replayed().law().highAcceptLength()));
            }
            replays.add(row);
        }
        root.put("replays", replays);
        List<Object> fits = new ArrayList<>();
        for (Group g : groups) {
            fits.add(fit(g, predicted));
        }
        root.put("fits", fits);
        root.put("file", fileTree());
        return root;
    }

    private static Map<String, Object> fit(Group g, List<PredictedRow> predicted) {
        Map<String, Object> fit = new LinkedHashMap<>();
        fit.put("key", g.collected().key());
        fit.put("rounds", g.collected().rounds());
        fit.put("requests", g.collected().requests());
        fit.put("remarks", g.collected().unused());
        if (g.study() == null) {
            return fit;
        }
        Map<String, Object> parameters = new LinkedHashMap<>();
        List<Parameter> p = g.study().parameters();
        for (int k = 0; k < p.size(); k++) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("value", p.get(k).value());
            one.put("lo", p.get(k).lo());
            one.put("hi", p.get(k).hi());
            one.put("level", g.study().intervals().level());
            one.put("identified", g.study().known(k) != AcceptanceStudy.Known.NO);
            one.put(
                    "cluster_variance_ratio",
                    g.study().intervals().clusterRatio().get(k));
            parameters.put(AcceptanceStudy.NAMES.get(k), one);
        }
        fit.put("parameters", parameters);
        fit.put("dependence", g.study().dependence());
        List<Object> predictions = new ArrayList<>();
        for (PredictedRow r : predicted) {
            if (r.group() == g) {
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("design", r.design());
                row.put("accept_length", r.acceptLength());
                row.put("lo", r.lo());
                row.put("hi", r.hi());
                row.put("observed", r.observed());
                row.values().removeIf(Objects::isNull);
                predictions.add(row);
            }
        }
        fit.put("accept_lengths", predictions);
        fit.put(
                "goodness_in_sample",
                g.study().goodness().stream().filter(r -> r.inSample()).toList());
        fit.put("goodness_out_of_sample", g.study().held());
        fit.put("today", g.study().today());
        fit.put("next_runs", g.study().next());
        return fit;
    }

    private JsonNode fileTree() {
        if (file == null) {
            return null;
        }
        try {
            return Json.mapper().readTree(AcceptanceWriter.text(true, file));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the writer of acceptance files writes JSON", e);
        }
    }
}
