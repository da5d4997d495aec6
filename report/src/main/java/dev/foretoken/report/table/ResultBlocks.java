package dev.foretoken.report.table;

import dev.foretoken.sim.result.Best;
import dev.foretoken.sim.result.Crossover;
import dev.foretoken.sim.result.Goodput;
import dev.foretoken.sim.result.Layout;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.result.Switch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** A result as parts to show: the grid, the best arms, the switch table, crossovers, goodput, notes and warnings. */
public final class ResultBlocks {
    /** Notes shown; the rest is in the JSON. */
    private static final int MOST_NOTES = 20;

    private ResultBlocks() {}

    /**
     * All parts that have something to show.
     *
     * @param result of explore or simulate
     * @param mostRows largest grid shown whole; of a larger one only the best arms
     */
    public static List<Block> of(Result result, int mostRows) {
        List<Block> blocks = new ArrayList<>();
        addTable(blocks, best(result.best()));
        doubts(result.best()).ifFilled(blocks);
        addTable(blocks, switchTable(result.switchTable()));
        addTable(blocks, layouts(result.layouts()));
        addTable(blocks, crossovers(result.crossovers()));
        addTable(blocks, goodput(result.goodput()));
        blocks.add(grid(result.points(), mostRows));
        launch(result.best()).ifFilled(blocks);
        blocks.addAll(remarks(result));
        return blocks;
    }

    /** The best arms, the switch table and launch flags, as far as there are any. */
    public static List<Block> choices(Result result) {
        List<Block> blocks = new ArrayList<>();
        addTable(blocks, best(result.best()));
        doubts(result.best()).ifFilled(blocks);
        addTable(blocks, switchTable(result.switchTable()));
        addTable(blocks, layouts(result.layouts()));
        launch(result.best()).ifFilled(blocks);
        return blocks;
    }

    /** What the figures rest on, notes of points and warnings, as far as there are any. */
    public static List<Block> remarks(Result result) {
        List<Block> blocks = new ArrayList<>();
        new Filled("Rests on", result.basis()).ifFilled(blocks);
        new Filled("Notes", notes(result.points())).ifFilled(blocks);
        new Filled("Warnings", result.warnings()).ifFilled(blocks);
        return blocks;
    }

    private record Filled(String title, List<String> items) {
        void ifFilled(List<Block> blocks) {
            if (!items.isEmpty()) {
                blocks.add(new Block.Sentences(title, items));
            }
        }
    }

    private static void addTable(List<Block> blocks, Block.Table<?> table) {
        if (!table.rows().isEmpty()) {
            blocks.add(table);
        }
    }

    /** The grid in the order computed, or its best arms where it has too many rows. */
    public static Block.Table<Point> grid(List<Point> points, int mostRows) {
        if (points.size() <= mostRows) {
            return new Block.Table<>("Grid", PointColumns.of(points), points, List.of());
        }
        List<Point> shown = BestArms.perMethod(points);
        String which = "the best arm of each method";
        if (shown.size() > mostRows) {
            shown = BestArms.perLoad(points);
            which = "the best arm per workload and load";
        }
        int more = Math.max(0, shown.size() - mostRows);
        String cut = more == 0 ? "" : ", the first " + mostRows + " of them";
        return new Block.Table<>(
                "Grid: " + which,
                PointColumns.of(points),
                shown.subList(0, Math.min(mostRows, shown.size())),
                List.of(String.format(
                        java.util.Locale.ROOT,
                        "%s of %,d points%s; -v, --format csv, md or json gives more",
                        which,
                        points.size(),
                        cut)));
    }

    private static <T> List<Column<T>> variants(List<T> rows, Function<T, Map<String, String>> variant) {
        Set<String> axes = new LinkedHashSet<>();
        rows.forEach(r -> {
            if (variant.apply(r) != null) {
                axes.addAll(variant.apply(r).keySet());
            }
        });
        List<Column<T>> columns = new ArrayList<>();
        for (String axis : axes) {
            columns.add(Column.of(
                    "variant_" + axis,
                    "",
                    axis,
                    NumberStyle.TEXT,
                    Column.ALWAYS,
                    (T r) -> variant.apply(r) == null ? null : variant.apply(r).get(axis)));
        }
        return columns;
    }

    /** The best arm per workload and load. */
    public static Block.Table<Best> best(List<Best> rows) {
        List<Column<Best>> columns = variants(rows, Best::variant);
        columns.addAll(List.of(
                Column.of("workload", "", "workload", NumberStyle.TEXT, Column.ALWAYS, Best::workload),
                Column.of(
                        "load",
                        "",
                        "load",
                        NumberStyle.TEXT,
                        Column.ALWAYS,
                        b -> b.load().label()),
                Column.of("tp", "", "TP", NumberStyle.COUNT, Column.ALWAYS, Best::tp),
                Column.of("method", "", "method", NumberStyle.TEXT, Column.ALWAYS, Best::method),
                Column.of("budget", "", "budget", NumberStyle.COUNT, Column.ALWAYS, Best::budget),
                Column.of("top_k", "", "k", NumberStyle.COUNT, Column.ALWAYS, Best::topK),
                Column.of("draft_tokens", "", "drafts", NumberStyle.COUNT, Column.ALWAYS, Best::draftTokens),
                Column.of("output_tok_s", "tok/s", "output", NumberStyle.RATE, Column.ALWAYS, Best::outputTokS),
                Column.of("output_tok_s_per_gpu", "tok/s", "per GPU", NumberStyle.RATE, 5, Best::outputTokSPerGpu),
                Column.of("speedup_vs_ar", "", "vs AR", NumberStyle.RATIO, 9, Best::speedupVsAr),
                Column.of("margin", "", "margin", NumberStyle.PERCENT, 9, Best::margin),
                Column.of("runner_up", "", "over", NumberStyle.TEXT, 9, Best::runnerUp),
                Column.of("sure", "", "sure", NumberStyle.YES_NO, 8, Best::sure),
                Column.of(
                        "extrapolated",
                        "",
                        "extrap",
                        NumberStyle.YES_NO,
                        8,
                        b -> Boolean.TRUE.equals(b.extrapolated()) ? true : null),
                Column.of("flat_budgets", "", "budgets within 2 %", NumberStyle.COUNT, 7, Best::flatBudgets),
                Column.of("regret", "", "regret", NumberStyle.PERCENT, 6, Best::regret)));
        return new Block.Table<>(
                "Best",
                columns,
                rows,
                List.of(
                        "ranked by output per GPU, open loops by mean TPOT; margin: over the best other method; sure: no if"
                                + " anything speaks against the choice, said below"
                                + (rows.stream().anyMatch(b -> b.regret() != null)
                                        ? "; regret: largest loss if another arm is best within the bands"
                                        : "")));
    }

    /** What speaks against the choices, each once with where. */
    private static Filled doubts(List<Best> rows) {
        return byPlace("Why not sure", rows, b -> b.doubts() == null ? List.of() : b.doubts());
    }

    /** Texts of best arms, each once behind the places it holds for. */
    private static Filled byPlace(String title, List<Best> rows, Function<Best, List<String>> texts) {
        Map<String, List<String>> where = new LinkedHashMap<>();
        for (Best b : rows) {
            texts.apply(b)
                    .forEach(text -> where.computeIfAbsent(text, k -> new ArrayList<>())
                            .add(b.workload() + " " + b.load().label()));
        }
        List<String> lines = new ArrayList<>();
        where.forEach((text, places) -> lines.add((places.size() > 3
                        ? places.get(0) + " and " + (places.size() - 1) + " more"
                        : String.join(", ", places))
                + ": " + text));
        return new Filled(title, lines);
    }

    /** All cards as equal replicas. */
    public static Block.Table<Layout> layouts(List<Layout> rows) {
        List<Column<Layout>> columns = variants(rows, Layout::variant);
        columns.addAll(List.of(
                Column.of("workload", "", "workload", NumberStyle.TEXT, Column.ALWAYS, Layout::workload),
                Column.of("clients", "", "clients in all", NumberStyle.COUNT, Column.ALWAYS, Layout::clients),
                Column.of("tp", "", "TP", NumberStyle.COUNT, Column.ALWAYS, Layout::tp),
                Column.of("replicas", "", "replicas", NumberStyle.COUNT, Column.ALWAYS, Layout::replicas),
                Column.of("concurrency", "", "clients each", NumberStyle.COUNT, Column.ALWAYS, Layout::concurrency),
                Column.of("method", "", "use", NumberStyle.TEXT, Column.ALWAYS, Layout::method),
                Column.of("budget", "", "budget", NumberStyle.COUNT, Column.ALWAYS, Layout::budget),
                Column.of("top_k", "", "k", NumberStyle.COUNT, Column.ALWAYS, Layout::topK),
                Column.of("draft_tokens", "", "drafts", NumberStyle.COUNT, Column.ALWAYS, Layout::draftTokens),
                Column.of(
                        "output_tok_s", "tok/s", "output in all", NumberStyle.RATE, Column.ALWAYS, Layout::outputTokS),
                Column.of("best", "", "best", NumberStyle.YES_NO, Column.ALWAYS, l -> l.best() ? true : null)));
        return new Block.Table<>(
                "All cards as equal replicas, for the same clients in all",
                columns,
                rows,
                List.of("where the grid has the clients per replica of at least two TP sizes; best arm of each"));
    }

    /** Launch flags of the best arms, each once with where it is meant for. */
    private static Filled launch(List<Best> rows) {
        return byPlace("Launch flags", rows, b -> b.launch() == null ? List.of() : List.of(b.launch()));
    }

    /** What to use per concurrency. */
    public static Block.Table<Switch> switchTable(List<Switch> rows) {
        List<Column<Switch>> columns = variants(rows, Switch::variant);
        columns.addAll(List.of(
                Column.of("workload", "", "workload", NumberStyle.TEXT, Column.ALWAYS, Switch::workload),
                Column.of("tp", "", "TP", NumberStyle.COUNT, Column.ALWAYS, Switch::tp),
                Column.of("concurrency", "", "concurrency", NumberStyle.COUNT, Column.ALWAYS, Switch::concurrency),
                Column.of("method", "", "use", NumberStyle.TEXT, Column.ALWAYS, Switch::method),
                Column.of("budget", "", "budget", NumberStyle.COUNT, Column.ALWAYS, Switch::budget),
                Column.of("top_k", "", "k", NumberStyle.COUNT, Column.ALWAYS, Switch::topK),
                Column.of("draft_tokens", "", "drafts", NumberStyle.COUNT, Column.ALWAYS, Switch::draftTokens)));
        List<Switch> sorted = rows.stream()
                .sorted(Comparator.comparing((Switch s) ->
                                s.variant() == null ? "" : s.variant().toString())
                        .thenComparing(Switch::workload)
                        .thenComparingInt(Switch::tp)
                        .thenComparingInt(Switch::concurrency))
                .toList();
        return new Block.Table<>("Switch table", columns, sorted, List.of());
    }

    /** Where each method stops paying. */
    public static Block.Table<Crossover> crossovers(List<Crossover> rows) {
        List<Column<Crossover>> columns = variants(rows, Crossover::variant);
        columns.addAll(List.of(
                Column.of("workload", "", "workload", NumberStyle.TEXT, Column.ALWAYS, Crossover::workload),
                Column.of("tp", "", "TP", NumberStyle.COUNT, Column.ALWAYS, Crossover::tp),
                Column.of("method", "", "method", NumberStyle.TEXT, Column.ALWAYS, Crossover::method),
                Column.of("concurrency", "", "concurrency", NumberStyle.RATE, Column.ALWAYS, Crossover::concurrency),
                Column.of(
                        "verdict", "", "against autoregressive", NumberStyle.TEXT, Column.ALWAYS, Crossover::verdict)));
        return new Block.Table<>("Crossover", columns, rows, List.of());
    }

    /** Largest load per method that meets the limits. */
    public static Block.Table<Goodput> goodput(List<Goodput> rows) {
        List<Column<Goodput>> columns = variants(rows, Goodput::variant);
        columns.addAll(List.of(
                Column.of("workload", "", "workload", NumberStyle.TEXT, Column.ALWAYS, Goodput::workload),
                Column.of("tp", "", "TP", NumberStyle.COUNT, Column.ALWAYS, Goodput::tp),
                Column.of("method", "", "method", NumberStyle.TEXT, Column.ALWAYS, Goodput::method),
                Column.of(
                        "load",
                        "",
                        "largest load",
                        NumberStyle.TEXT,
                        Column.ALWAYS,
                        g -> g.load() != null
                                ? g.load().label()
                                : "none of the grid" + (g.loadKind() == null ? "" : " (" + g.loadKind() + ")")),
                Column.of("budget", "", "budget", NumberStyle.COUNT, Column.ALWAYS, Goodput::budget),
                Column.of("output_tok_s", "tok/s", "output", NumberStyle.RATE, Column.ALWAYS, Goodput::outputTokS)));
        return new Block.Table<>("Goodput: largest load that meets the limits", columns, rows, List.of());
    }

    /** Reasons and notes of points, each once with the number of points it holds for, the most common first. */
    private static List<String> notes(List<Point> points) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (Point p : points) {
            if (!p.feasible() && p.reason() != null) {
                counts.merge("not feasible: " + p.reason(), 1, Integer::sum);
            }
            p.notes().forEach(n -> counts.merge(n, 1, Integer::sum));
        }
        List<String> sentences = new ArrayList<>(counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .limit(MOST_NOTES)
                .map(e -> e.getKey() + (e.getValue() == points.size() ? "" : " (" + points(e.getValue()) + ")"))
                .toList());
        if (counts.size() > MOST_NOTES) {
            sentences.add((counts.size() - MOST_NOTES) + " further notes: --format json gives them per point");
        }
        return sentences;
    }

    private static String points(int n) {
        return n == 1 ? "1 point" : n + " points";
    }
}
