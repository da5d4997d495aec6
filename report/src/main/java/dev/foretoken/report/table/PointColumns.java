package dev.foretoken.report.table;

import dev.foretoken.sim.result.Point;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** The figures of a {@link Point}: where it stands, then its figures in the order of result files. */
public final class PointColumns {
    /** Names of the parts of a round, in the order of result files; others follow as they come. */
    private static final List<String> TERMS = List.of(
            "target", "draft", "weights", "attention", "recurrent_state", "lm_head", "all_reduce", "commit", "host");

    private static final List<Column<Point>> PLACE = List.of(
            Column.of("workload", "", "workload", NumberStyle.TEXT, Column.ALWAYS, Point::workload),
            Column.people(
                    "load",
                    "",
                    "load",
                    NumberStyle.TEXT,
                    Column.ALWAYS,
                    p -> p.load().label()),
            Column.flat("load_kind", "", NumberStyle.TEXT, p -> p.load().kind()),
            Column.flat("concurrency", "", NumberStyle.COUNT, p -> p.load().concurrency()),
            Column.flat("rate_per_s", "1/s", NumberStyle.FINE, p -> p.load().ratePerS()),
            Column.flat("burstiness", "", NumberStyle.FINE, p -> p.load().burstiness()),
            Column.flat("trace_file", "", NumberStyle.TEXT, p -> p.load().file()));

    private static final List<Column<Point>> ARM = List.of(
            Column.of("tp", "", "TP", NumberStyle.COUNT, Column.ALWAYS, Point::tp),
            Column.of("method", "", "method", NumberStyle.TEXT, Column.ALWAYS, Point::method),
            Column.flat("kind", "", NumberStyle.TEXT, Point::kind),
            Column.of("budget", "", "budget", NumberStyle.COUNT, Column.ALWAYS, Point::budget),
            Column.of("top_k", "", "k", NumberStyle.COUNT, Column.ALWAYS, Point::topK),
            Column.of("draft_tokens", "", "drafts", NumberStyle.COUNT, 4, Point::draftTokens));

    private static final List<Column<Point>> FEASIBLE = List.of(
            Column.flat("feasible", "", NumberStyle.YES_NO, Point::feasible),
            Column.flat("reason", "", NumberStyle.TEXT, Point::reason));

    private static final List<Column<Point>> FIGURES = List.of(
            Column.of("output_tok_s", "tok/s", "output", NumberStyle.RATE, Column.ALWAYS, Point::outputTokS),
            Column.people(
                    "interval",
                    "tok/s",
                    "range",
                    NumberStyle.RATE,
                    9,
                    p -> p.interval() == null ? null : p.interval().outputTokS()),
            Column.of(
                    "output_tok_s_per_request",
                    "tok/s",
                    "per request",
                    NumberStyle.RATE,
                    1,
                    Point::outputTokSPerRequest),
            Column.of("output_tok_s_per_gpu", "tok/s", "per GPU", NumberStyle.RATE, 5, Point::outputTokSPerGpu),
            Column.of("requests_per_s", "1/s", "requests", NumberStyle.FINE, 1, Point::requestsPerS),
            Column.of("speedup_vs_ar", "", "vs AR", NumberStyle.RATIO, 9, Point::speedupVsAr),
            Column.of("accept_length", "tok/round", "accept", NumberStyle.FINE, 8, Point::acceptLength),
            Column.of("rounds_per_request", "", "rounds", NumberStyle.RATE, 2, Point::roundsPerRequest),
            Column.of("round_ms", "ms", "round", NumberStyle.FINE, 7, Point::roundMs),
            Column.of("rows_per_round", "", "rows", NumberStyle.RATE, 4, Point::rowsPerRound),
            Column.of("resident_requests", "", "resident", NumberStyle.RATE, 4, Point::residentRequests));

    private static final List<Column<Point>> STATE = List.of(
            Column.of("hidden_ms", "ms", "hidden", NumberStyle.FINE, 1, Point::hiddenMs),
            Column.of("prefill_share", "", "prefill", NumberStyle.PERCENT, 3, Point::prefillShare),
            Column.of("bound_by", "", "bound by", NumberStyle.TEXT, 7, PointColumns::boundBy),
            Column.of("meets_slo", "", "SLO", NumberStyle.YES_NO, 8, Point::meetsSlo),
            Column.of(
                    "cost_per_million_tokens", "per 1M tok", "cost", NumberStyle.FINE, 6, Point::costPerMillionTokens),
            Column.of(
                    "break_even_accept_length",
                    "tok/round",
                    "break-even",
                    NumberStyle.FINE,
                    5,
                    Point::breakEvenAcceptLength),
            Column.flat(
                    "interval_level",
                    "",
                    NumberStyle.TEXT,
                    p -> p.interval() == null ? null : p.interval().level()),
            Column.flat("output_tok_s_lo", "tok/s", NumberStyle.RATE, p -> end(p, 0)),
            Column.flat("output_tok_s_hi", "tok/s", NumberStyle.RATE, p -> end(p, 1)),
            Column.flat("calibrated", "", NumberStyle.TEXT, Point::calibrated),
            Column.flat("extrapolated", "", NumberStyle.YES_NO, Point::extrapolated),
            Column.people("source", "", "times from", NumberStyle.TEXT, 8, PointColumns::source),
            Column.flat("notes", "", NumberStyle.TEXT, p -> p.notes().isEmpty() ? null : p.notes()));

    private PointColumns() {}

    /** Columns of these points: the fixed ones, and one per variant axis, method parameter and further term that occurs. */
    public static List<Column<Point>> of(List<Point> points) {
        List<Column<Point>> columns = new ArrayList<>();
        for (String axis : keys(points, Point::variant, Set.of())) {
            columns.add(Column.of(
                    "variant_" + axis,
                    "",
                    axis,
                    NumberStyle.TEXT,
                    Column.ALWAYS,
                    p -> p.variant() == null ? null : p.variant().get(axis)));
        }
        columns.addAll(PLACE);
        columns.addAll(ARM);
        for (String name : keys(points, Point::parameters, Set.of("budget", "top_k"))) {
            columns.add(Column.of(
                    "parameter_" + name,
                    "",
                    name,
                    NumberStyle.TEXT,
                    9,
                    p -> p.parameters() == null ? null : p.parameters().get(name)));
        }
        columns.addAll(FEASIBLE);
        columns.addAll(FIGURES);
        columns.addAll(stat("ttft_ms", "TTFT", 5, Point::ttftMs));
        columns.addAll(stat("tpot_ms", "TPOT", 8, Point::tpotMs));
        columns.addAll(stat("round_gap_ms", "gap", 0, Point::roundGapMs));
        columns.addAll(stat("e2e_ms", "e2e", 3, Point::e2eMs));
        Set<String> terms = new LinkedHashSet<>(TERMS);
        terms.addAll(keys(points, Point::termsMs, Set.of()));
        for (String term : terms) {
            columns.add(Column.flat(
                    "terms_ms_" + term,
                    "ms",
                    NumberStyle.FINE,
                    p -> p.termsMs() == null ? null : p.termsMs().get(term)));
        }
        columns.addAll(STATE);
        return columns;
    }

    private static <V> Set<String> keys(List<Point> points, Function<Point, Map<String, V>> map, Set<String> without) {
        Set<String> keys = new LinkedHashSet<>();
        Map<String, V> seen = null;
        for (Point p : points) {
            Map<String, V> m = map.apply(p);
            if (m != null && m != seen) {
                keys.addAll(m.keySet());
                seen = m;
            }
        }
        keys.removeAll(without);
        return keys;
    }

    private static List<Column<Point>> stat(String name, String header, int keep, Function<Point, Point.Stat> stat) {
        return List.of(
                Column.of(name + "_mean", "ms", header, NumberStyle.FINE, keep, p -> figure(stat.apply(p), "mean")),
                Column.flat(name + "_p50", "ms", NumberStyle.FINE, p -> figure(stat.apply(p), "p50")),
                Column.of(
                        name + "_p95",
                        "ms",
                        header + " p95",
                        NumberStyle.FINE,
                        Math.max(0, keep - 1),
                        p -> figure(stat.apply(p), "p95")),
                Column.flat(name + "_p99", "ms", NumberStyle.FINE, p -> figure(stat.apply(p), "p99")),
                Column.flat(
                        name + "_half_width",
                        "ms",
                        NumberStyle.FINE,
                        p -> stat.apply(p) == null ? null : stat.apply(p).halfWidth()));
    }

    private static Double figure(Point.Stat stat, String name) {
        return stat == null ? null : stat.get(name);
    }

    private static Double end(Point p, int i) {
        return p.interval() == null ? null : p.interval().outputTokS().get(i);
    }

    private static String boundBy(Point p) {
        return p.feasible() ? p.boundBy() : null;
    }

    private static String source(Point p) {
        if (!p.feasible()) {
            return "not feasible";
        }
        boolean beyond = Boolean.TRUE.equals(p.extrapolated());
        if (p.calibrated() == null) {
            return beyond ? "extrapolated" : null;
        }
        String source = p.calibrated().equals(Point.CALIBRATED_NONE) ? "datasheet" : p.calibrated();
        return beyond ? source + ", extrapolated" : source;
    }
}
