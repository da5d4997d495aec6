package dev.foretoken.report.document;

import dev.foretoken.formats.scenario.Effective;
import dev.foretoken.report.chart.ExploreCharts;
import dev.foretoken.report.document.Report.Chapter;
import dev.foretoken.report.document.Report.Data;
import dev.foretoken.report.document.Report.Drawing;
import dev.foretoken.report.document.Report.Part;
import dev.foretoken.report.document.Report.Section;
import dev.foretoken.report.frame.LoadPivot;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.Column;
import dev.foretoken.report.table.NumberStyle;
import dev.foretoken.report.table.ResultBlocks;
import dev.foretoken.report.table.ResultPrinter;
import dev.foretoken.sim.result.Best;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A result of explore or simulate as a chapter, in the order of an evaluation section. */
public final class ResultChapter {
    /** Points shown one by one; of more only the best arms. */
    private static final int MOST_ROWS = 2000;

    private static final int MOST_SENTENCES = 12;

    private final Result result;
    private final List<Effective> setup;
    private final List<ExploreCharts.Named> charts;
    private final List<Section> sections = new ArrayList<>();

    private ResultChapter(RunFolder run) {
        this.result = run.result();
        this.setup = run.effective();
        this.charts = ExploreCharts.of(result, run.series());
    }

    /**
     * @param run the result and what is known of it
     * @param more sections of other runs on the same scenario, such as validation errors, to stand before the setup
     */
    public static Chapter of(RunFolder run, List<Section> more) {
        Result result = run.result();
        ResultChapter c = new ResultChapter(run);
        c.summary();
        c.add("What to use", List.of(), c.choices(), c.drawings("best"));
        c.add("Output by method, TP and load", List.of(), c.pivots(), List.of());
        c.add("Draft budgets", List.of(), List.of(), c.drawings("budget"));
        c.add(
                "Speed-up and crossover",
                List.of(),
                data(ResultBlocks.crossovers(result.crossovers())),
                c.drawings("speedup"));
        c.add("Output against latency", List.of(), data(ResultBlocks.goodput(result.goodput())), c.drawings("pareto"));
        c.add(
                "Figures against load",
                List.of(),
                List.of(),
                c.drawings("output", "tpot", "ttft", "ttft-distribution", "queue"));
        c.add("Parts of a round", List.of(), List.of(), c.drawings("terms"));
        c.sections.addAll(more);
        c.add("Setup", c.origin(), c.setupTable(), List.of());
        c.add("Threats to validity", List.of(), List.of(new Data(new Block.Sentences("", c.threats()))), List.of());
        c.add("Notes", List.of(), c.notes(), List.of());
        c.add("Points", List.of(), data(ResultBlocks.grid(result.points(), MOST_ROWS)), List.of());
        String title =
                result.scenario() == null || result.scenario().isBlank() ? "Unnamed scenario" : result.scenario();
        return new Chapter(result.engine().equals(Result.SIMULATION) ? title + " (simulation)" : title, c.sections);
    }

    private void add(String title, List<String> lead, List<Part> first, List<Part> then) {
        List<Part> parts = new ArrayList<>(first);
        parts.addAll(then);
        if (!parts.isEmpty() || !lead.isEmpty()) {
            sections.add(new Section(title, lead, parts));
        }
    }

    private static List<Part> data(Block.Table<?> table) {
        return table.rows().isEmpty() ? List.of() : List.of(new Data(table));
    }

    private List<Part> drawings(String... kinds) {
        List<Part> parts = new ArrayList<>();
        for (ExploreCharts.Named chart : charts) {
            if (List.of(kinds).contains(chart.name().get(0))) {
                parts.add(new Drawing(chart.name(), chart.plot().get()));
            }
        }
        return parts;
    }

    // ---- sentences ----

    private void summary() {
        List<String> sentences = new ArrayList<>();
        Map<String, List<Best>> byWorkload = result.best().stream()
                .collect(Collectors.groupingBy(
                        b -> b.workload() + variant(b.variant()), LinkedHashMap::new, Collectors.toList()));
        byWorkload.forEach((place, bests) -> {
            sentences.add(sentence(place, bests.get(0)));
            if (bests.size() > 1) {
                sentences.add(sentence(place, bests.get(bests.size() - 1)));
            }
        });
        List<String> shown = new ArrayList<>(sentences.subList(0, Math.min(MOST_SENTENCES, sentences.size())));
        if (sentences.size() > MOST_SENTENCES) {
            shown.add((sentences.size() - MOST_SENTENCES)
                    + " further statements of this kind follow from the table of best arms.");
        }
        sections.add(new Section(
                "In short",
                List.of(ResultPrinter.headline(result) + "."),
                List.of(new Data(new Block.Sentences("", shown)))));
    }

    private static String variant(Map<String, String> variant) {
        return variant == null
                ? ""
                : variant.entrySet().stream()
                        .map(e -> e.getKey() + " " + e.getValue())
                        .collect(Collectors.joining(", ", " (", ")"));
    }

    private static String sentence(String place, Best b) {
        StringBuilder s = new StringBuilder();
        s.append("Workload ")
                .append(place)
                .append(" at ")
                .append(b.load().label())
                .append(": ")
                .append(b.method());
        if (b.budget() != null) {
            s.append(" with budget ").append(b.budget());
        } else if (b.draftTokens() != null) {
            s.append(" with ").append(b.draftTokens()).append(" drafts");
        }
        if (b.topK() != null) {
            s.append(", top-k ").append(b.topK());
        }
        s.append(" on TP ").append(b.tp());
        s.append(" gives ").append(NumberStyle.RATE.show(b.outputTokS())).append(" tok/s");
        if (b.speedupVsAr() != null) {
            s.append(", ").append(NumberStyle.RATIO.show(b.speedupVsAr())).append(" autoregressive decoding");
        }
        if (b.margin() != null && b.runnerUp() != null) {
            s.append("; ")
                    .append(NumberStyle.PERCENT.show(b.margin()))
                    .append(" over ")
                    .append(b.runnerUp());
            if (Boolean.FALSE.equals(b.sure())) {
                s.append(", which is not sure: their ranges overlap");
            }
        }
        if (b.flatBudgets() != null
                && !b.flatBudgets().get(0).equals(b.flatBudgets().get(1))) {
            s.append("; budgets ")
                    .append(NumberStyle.COUNT.show(b.flatBudgets()))
                    .append(" are within 2 %");
        }
        return s.append('.').toString();
    }

    private List<Part> choices() {
        List<Part> parts = new ArrayList<>();
        for (Block b : ResultBlocks.choices(result)) {
            parts.add(new Data(b));
        }
        return parts;
    }

    private List<Part> pivots() {
        List<Part> parts = new ArrayList<>();
        Map<String, List<Point>> places = result.points().stream()
                .collect(Collectors.groupingBy(
                        p -> p.workload() + variant(p.variant()), LinkedHashMap::new, Collectors.toList()));
        places.forEach((place, points) -> {
            parts.addAll(data(LoadPivot.of(
                    "Output of each method's best arm (tok/s per replica), workload " + place,
                    points,
                    "output_tok_s",
                    "",
                    NumberStyle.RATE)));
            parts.addAll(data(LoadPivot.of(
                    "Speed-up of each method's best arm over autoregressive decoding, workload " + place,
                    points,
                    "speedup_vs_ar",
                    "",
                    NumberStyle.RATIO)));
        });
        return parts;
    }

    private List<String> origin() {
        List<String> lead = new ArrayList<>();
        lead.add("Program version " + result.version() + ", seed " + result.seed()
                + (result.scenarioHash() == null ? "" : ", SHA-256 of the effective scenario " + result.scenarioHash())
                + ".");
        if (setup.isEmpty()) {
            lead.add("The run left no list of its effective values.");
        }
        return lead;
    }

    private List<Part> setupTable() {
        List<Column<Effective>> columns = List.of(
                new Column<>("key", "", "key", NumberStyle.TEXT, Column.Use.BOTH, Column.ALWAYS, Effective::key),
                new Column<>("value", "", "value", NumberStyle.TEXT, Column.Use.BOTH, Column.ALWAYS, Effective::value),
                new Column<>(
                        "origin", "", "from", NumberStyle.TEXT, Column.Use.BOTH, Column.ALWAYS, Effective::origin));
        return data(new Block.Table<>("Every effective value and where it came from", columns, setup, List.of()));
    }

    private List<Part> notes() {
        List<Part> parts = new ArrayList<>();
        for (Block b : ResultBlocks.remarks(result)) {
            parts.add(new Data(b));
        }
        return parts;
    }

    /** What stands between these figures and a server, as far as the result itself can tell. */
    private List<String> threats() {
        List<Point> feasible = result.points().stream().filter(Point::feasible).toList();
        int n = feasible.size();
        List<String> out = new ArrayList<>();
        out.add(
                result.engine().equals(Result.SIMULATION)
                        ? "These are simulated figures: confidence intervals cover the randomness of lengths, arrivals and"
                                + " acceptance, not errors of the round times or of the acceptance law."
                        : "These are figures of an analytical model, not measurements; validate compares them with a server.");
        Map<String, Long> sources = feasible.stream()
                .filter(p -> p.calibrated() != null)
                .collect(Collectors.groupingBy(Point::calibrated, LinkedHashMap::new, Collectors.counting()));
        sources.forEach((source, count) -> out.add(share(count, n) + " rest on " + weakest(source) + "."));
        count(
                out,
                feasible.stream()
                        .filter(p -> Boolean.TRUE.equals(p.extrapolated()))
                        .count(),
                n,
                "use a curve outside its knots");
        count(
                out,
                feasible.stream()
                        .filter(p -> p.interval() != null
                                && "band".equals(p.interval().level()))
                        .count(),
                n,
                "have a band: what the acceptance data leave open, not a confidence interval");
        count(
                out,
                feasible.stream()
                        .filter(p -> p.notes().stream().anyMatch(t -> t.contains("assum")))
                        .count(),
                n,
                "carry an assumption in their notes");
        int left = result.points().size() - n;
        if (left > 0) {
            out.add(share(left, result.points().size()) + " are not feasible and have no figures.");
        }
        long unsure = result.best().stream()
                .filter(b -> Boolean.FALSE.equals(b.sure()))
                .count();
        if (unsure > 0) {
            out.add(unsure + " of " + result.best().size()
                    + " best arms are not sure: their range overlaps that of the best other method.");
        }
        out.add(
                "Acceptance is taken to be the same at every concurrency, TP and card, and independent of who else is in the"
                        + " batch.");
        return out;
    }

    private static void count(List<String> out, long count, int of, String what) {
        if (count > 0) {
            out.add(share(count, of) + " " + what + ".");
        }
    }

    private static String share(long count, int of) {
        return count == of
                ? String.format(Locale.ROOT, "All %,d points", of)
                : String.format(Locale.ROOT, "%,d of %,d points", count, of);
    }

    private static String weakest(String calibrated) {
        return switch (calibrated) {
            case Point.CALIBRATED_NONE -> "data-sheet figures of the card, without measured kernels";
            case Point.CALIBRATED_PUBLISHED -> "published kernel timings, not on this machine";
            case Point.CALIBRATED_MEASURED -> "kernel timings of this card";
            case Point.CALIBRATED_BLACK_BOX -> "round times of a server's own autoregressive sweep";
            default -> calibrated;
        };
    }
}
