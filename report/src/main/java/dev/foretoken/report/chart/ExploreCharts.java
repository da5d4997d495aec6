package dev.foretoken.report.chart;

import dev.foretoken.report.Evenly;
import dev.foretoken.report.OutputFiles;
import dev.foretoken.report.table.BestArms;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Charts of a grid, per variant, workload, TP and kind of load: output against budget, speed-up against load, total output
 * against time per output token, the parts of a round; for simulations also figures against load with their intervals and,
 * for up to {@value #MOST_LOADS} loads, what the runs saw: the distribution of the time to first token, running and queued
 * requests over time; and per variant a map of the best arms.
 */
public final class ExploreCharts {
    private static final int MOST_LINES = 9;
    private static final int MOST_LOADS = 3;
    private static final int MOST_RUNS = 3;
    private static final String BAND = "Band: range over what the data leave open, or confidence interval.";

    private final Result result;
    private final MethodColours colours;
    private final List<Named> charts = new ArrayList<>();

    /** A chart under the name of its file. */
    public record Named(List<String> name, Supplier<Plot> plot) {}

    private record Panel(Map<String, String> variant, String workload, int tp, String loadKind) {}

    private ExploreCharts(Result result, List<PointSeries> series) {
        this.result = result;
        colours = new MethodColours(result.points());
        Map<Panel, List<Point>> panels = result.points().stream()
                .filter(p -> p.feasible() && loadValue(p) != null)
                .collect(Collectors.groupingBy(
                        p -> new Panel(p.variant(), p.workload(), p.tp(), loadKind(p)),
                        LinkedHashMap::new,
                        Collectors.toList()));
        panels.forEach(this::panel);
        runs(series);
        panels.entrySet().stream()
                .filter(e -> closed(e.getKey()))
                .flatMap(e -> e.getValue().stream())
                .collect(Collectors.groupingBy(
                        p -> p.variant() == null ? Map.<String, String>of() : p.variant(),
                        LinkedHashMap::new,
                        Collectors.toList()))
                .forEach(this::map);
    }

    /** The charts that this result fills, drawn when asked for. */
    public static List<Named> of(Result result) {
        return of(result, List.of());
    }

    /**
     * The same with what simulations saw.
     *
     * @param series of points of the result; empty for none
     */
    public static List<Named> of(Result result, List<PointSeries> series) {
        return List.copyOf(new ExploreCharts(result, series).charts);
    }

    /** Writes every chart that needs no series. */
    public static List<Path> write(Result result, Path folder, LongConsumer progress) throws IOException {
        return write(result, List.of(), folder, progress);
    }

    /**
     * Writes every chart as PNG and SVG.
     *
     * @param series of points of the result; empty for none
     * @param progress told the number of charts written so far
     * @return the files
     */
    public static List<Path> write(Result result, List<PointSeries> series, Path folder, LongConsumer progress)
            throws IOException {
        OutputFiles files = new OutputFiles(folder);
        List<Path> written = new ArrayList<>();
        long done = 0;
        for (Named chart : of(result, series)) {
            written.addAll(
                    chart.plot().get().write(files, files.stem(chart.name().toArray(String[]::new))));
            progress.accept(++done);
        }
        return written;
    }

    private static String loadKind(Point p) {
        return p.load().burstiness() == null
                ? p.load().kind()
                : p.load().label().replaceFirst("^[^ ]+ ", "gamma ");
    }

    /** Clients of a closed loop, arrivals per second of an open one; null for traces. */
    private static Double loadValue(Point p) {
        return p.load().concurrency() != null
                ? Double.valueOf(p.load().concurrency())
                : p.load().ratePerS();
    }

    private void panel(Panel panel, List<Point> points) {
        List<String> place = place(panel);
        points.stream()
                .collect(Collectors.groupingBy(Point::method, LinkedHashMap::new, Collectors.toList()))
                .forEach((method, arms) -> {
                    if (sizes(arms).size() > 1) {
                        add("budget", place, method, () -> sizeChart(panel, method, arms));
                    }
                });
        Map<String, NavigableMap<Double, Point>> speedups = speedups(points);
        if (speedups.values().stream().anyMatch(m -> m.size() > 1)) {
            add("speedup", place, "", () -> speedupChart(panel, speedups));
        }
        List<Point> timed = points.stream()
                .filter(p -> p.tpotMs() != null && p.tpotMs().mean() != null && p.outputTokS() != null)
                .toList();
        if (timed.size() > 1) {
            add("pareto", place, "", () -> paretoChart(panel, timed));
        }
        List<Point> split = points.stream().filter(p -> p.termsMs() != null).toList();
        if (!split.isEmpty()) {
            add("terms", place, "", () -> new TermsChart(split).plot(subtitle(panel, "best arm of each method")));
        }
        if (result.engine().equals(Result.SIMULATION)) {
            against(
                    panel,
                    place,
                    "output",
                    "Output",
                    "output (tok/s per replica)",
                    points,
                    Point::outputTokS,
                    p -> null);
            against(
                    panel,
                    place,
                    "tpot",
                    "Time per output token",
                    "time per output token, mean (ms)",
                    points,
                    p -> mean(p.tpotMs()),
                    Point::tpotMs);
            against(
                    panel,
                    place,
                    "ttft",
                    "Time to first token",
                    "time to first token, mean (ms)",
                    points,
                    p -> mean(p.ttftMs()),
                    Point::ttftMs);
        }
    }

    /** A simulated point with what its run saw. */
    private record Run(Point point, PointSeries series) {}

    /** Distribution of the time to first token and the queue over time, per place and for some loads. */
    private void runs(List<PointSeries> series) {
        Map<Panel, Map<String, List<Run>>> panels = new LinkedHashMap<>();
        for (PointSeries s : series) {
            Point p = result.points().get(s.point());
            panels.computeIfAbsent(
                            new Panel(p.variant(), p.workload(), p.tp(), loadKind(p)), k -> new LinkedHashMap<>())
                    .computeIfAbsent(p.load().label(), k -> new ArrayList<>())
                    .add(new Run(p, s));
        }
        panels.forEach((panel, byLoad) -> {
            List<String> loads = new ArrayList<>(byLoad.keySet());
            loads.sort(Comparator.comparing(load -> {
                Double value = loadValue(byLoad.get(load).get(0).point());
                return value == null ? 0.0 : value;
            }));
            for (String load : Evenly.pick(loads, MOST_LOADS)) {
                List<Run> all = byLoad.get(load);
                List<String> place = new ArrayList<>(place(panel));
                place.add(load);
                if (all.stream().anyMatch(r -> !r.series().ttftMs().isEmpty())) {
                    add("ttft-distribution", place, "", () -> distribution(panel, load, all));
                }
                if (all.stream().anyMatch(r -> !r.series().running().isEmpty())) {
                    add("queue", place, "", () -> queue(panel, load, all));
                }
            }
        });
    }

    private Plot distribution(Panel panel, String load, List<Run> runs) {
        Plot plot =
                Plot.of("Distribution of the time to first token", subtitle(panel, "best arm of each method", load));
        List<Double> all = new ArrayList<>();
        for (Run r : runs) {
            List<Double> ms = r.series().ttftMs();
            if (ms.isEmpty()) {
                continue;
            }
            all.addAll(ms);
            List<Double> share = new ArrayList<>();
            for (int i = 0; i < ms.size(); i++) {
                share.add((double) i / (ms.size() - 1));
            }
            String method = r.point().method();
            plot.key(method, colours.colour(method));
            plot.curve(new Curve(
                    "",
                    ms,
                    share,
                    List.of(),
                    List.of(),
                    colours.colour(method),
                    -1,
                    true,
                    !colours.speculates(method)));
        }
        double low = all.stream().mapToDouble(v -> v).filter(v -> v > 0).min().orElse(1);
        double high = all.stream().mapToDouble(v -> v).max().orElse(1);
        boolean logarithmic = high / low > 4 && all.stream().allMatch(v -> v > 0);
        return plot.x(
                        "time to first token (ms)",
                        logarithmic ? Scale.Log.around(low, high) : Scale.Linear.fromZero(high))
                .y("share of requests at or below", new Scale.Linear(0, 1.02));
    }

    private Plot queue(Panel panel, String load, List<Run> runs) {
        List<Run> shown = runs.stream()
                .filter(r -> !r.series().running().isEmpty())
                .sorted(Comparator.comparingDouble((Run r) -> BestArms.score(r.point()))
                        .reversed())
                .limit(MOST_RUNS)
                .toList();
        double most = 1;
        double end = 0;
        for (Run r : shown) {
            for (double v : r.series().running()) {
                most = Math.max(most, v);
            }
            for (double v : r.series().queued()) {
                most = Math.max(most, v);
            }
            end = Math.max(end, r.series().running().size() * r.series().intervalS());
        }
        Plot plot = Plot.of(
                        "Running and queued requests over time",
                        subtitle(
                                panel,
                                shown.size() < runs.size() ? "the best methods" : "best arm of each method",
                                load))
                .x("time (s)", new Scale.Linear(0, end))
                .y("requests", Scale.Linear.fromZero(most))
                .caption("Solid: running; dashed: queued. Means per interval, warm-up included.");
        for (Run r : shown) {
            String method = r.point().method();
            plot.key(method, colours.colour(method));
            plot.curve(overTime(r.series().running(), r.series().intervalS(), method, false));
            plot.curve(overTime(r.series().queued(), r.series().intervalS(), method, true));
        }
        return plot;
    }

    private Curve overTime(List<Double> values, double intervalS, String method, boolean dashed) {
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            x.add(i * intervalS);
            y.add(values.get(i));
            x.add((i + 1) * intervalS);
            y.add(values.get(i));
        }
        return new Curve("", x, y, List.of(), List.of(), colours.colour(method), -1, true, dashed);
    }

    private static Double mean(Point.Stat stat) {
        return stat == null ? null : stat.mean();
    }

    /** A figure of each method's best arm against load, within its interval. */
    private void against(
            Panel panel,
            List<String> place,
            String what,
            String title,
            String axis,
            List<Point> points,
            Function<Point, Double> figure,
            Function<Point, Point.Stat> stat) {
        Map<String, NavigableMap<Double, Point>> lines = new LinkedHashMap<>();
        points.stream()
                .filter(p -> figure.apply(p) != null)
                .collect(Collectors.groupingBy(Point::method, LinkedHashMap::new, Collectors.toList()))
                .forEach((method, arms) ->
                        lines.put(method, new TreeMap<>(BestArms.by(arms, ExploreCharts::loadValue))));
        if (lines.values().stream().noneMatch(m -> m.size() > 1)) {
            return;
        }
        add(what, place, "", () -> {
            List<Double> loads =
                    lines.values().stream().flatMap(l -> l.keySet().stream()).toList();
            List<Double> all = new ArrayList<>();
            List<Curve> curves = new ArrayList<>();
            for (Map.Entry<String, NavigableMap<Double, Point>> e : lines.entrySet()) {
                Curve c = curve(
                        e.getKey(),
                        e.getValue(),
                        figure,
                        what.equals("output"),
                        colours.colour(e.getKey()),
                        colours.marker(e.getKey()));
                c = within(c, e.getValue(), stat);
                curves.add(c);
                all.addAll(c.y());
                all.addAll(c.low());
                all.addAll(c.high());
            }
            Plot plot = Plot.of(
                            title + " against " + (closed(panel) ? "concurrency" : "offered rate"),
                            subtitle(panel, "best arm of each method"))
                    .x(loadTitle(panel), Scale.Log.over(loads))
                    .y(axis, logOf(all));
            curves.forEach(plot::curve);
            return plot.caption("Band: confidence interval of the mean.");
        });
    }

    private static Curve within(Curve c, Map<Double, Point> line, Function<Point, Point.Stat> stat) {
        List<Double> half = new ArrayList<>();
        for (Point p : line.values()) {
            Point.Stat s = stat.apply(p);
            if (s == null || s.halfWidth() == null) {
                return c;
            }
            half.add(s.halfWidth());
        }
        List<Double> low = new ArrayList<>();
        List<Double> high = new ArrayList<>();
        for (int i = 0; i < half.size(); i++) {
            low.add(Math.max(0, c.y().get(i) - half.get(i)));
            high.add(c.y().get(i) + half.get(i));
        }
        return c.within(low, high);
    }

    private void map(Map<String, String> variant, List<Point> points) {
        BestMap map = new BestMap(points, colours);
        if (map.worthwhile()) {
            List<String> name = new ArrayList<>(List.of("best"));
            name.addAll(variant.values());
            List<String> parts = new ArrayList<>();
            variant.forEach((k, v) -> parts.add(k + " " + v));
            if (result.scenario() != null) {
                parts.add(result.scenario());
            }
            charts.add(new Named(name, () -> map.plot(String.join(" · ", parts))));
        }
    }

    private void add(String what, List<String> place, String method, Supplier<Plot> plot) {
        List<String> name = new ArrayList<>(List.of(what));
        name.addAll(place);
        if (!method.isEmpty()) {
            name.add(method);
        }
        charts.add(new Named(name, plot));
    }

    private static List<String> place(Panel panel) {
        List<String> place = new ArrayList<>(List.of(panel.workload(), "tp" + panel.tp()));
        if (panel.variant() != null) {
            place.addAll(panel.variant().values());
        }
        if (!panel.loadKind().equals("closed")) {
            place.add(panel.loadKind());
        }
        return place;
    }

    private String subtitle(Panel panel, String... more) {
        List<String> parts = new ArrayList<>(List.of(more));
        parts.add("workload " + panel.workload());
        parts.add("TP " + panel.tp());
        if (panel.variant() != null) {
            panel.variant().forEach((k, v) -> parts.add(k + " " + v));
        }
        if (result.scenario() != null) {
            parts.add(result.scenario());
        }
        return String.join(" · ", parts);
    }

    private static boolean closed(Panel panel) {
        return panel.loadKind().equals("closed");
    }

    private static String loadTitle(Panel panel) {
        return closed(panel) ? "concurrency (clients)" : "offered rate (requests/s)";
    }

    /** Nodes of a tree, else drafts per round; null where the method has neither. */
    private static Double size(Point p) {
        return p.budget() != null
                ? Double.valueOf(p.budget())
                : p.draftTokens() == null ? null : Double.valueOf(p.draftTokens());
    }

    private static Map<Double, List<Point>> sizes(Collection<Point> arms) {
        Map<Double, List<Point>> bySize = new TreeMap<>();
        for (Point p : arms) {
            if (size(p) != null) {
                bySize.computeIfAbsent(size(p), k -> new ArrayList<>()).add(p);
            }
        }
        return bySize;
    }

    /** What the vertical axis of the budget chart shows. */
    private static Double measure(Panel panel, Point p) {
        return closed(panel)
                ? p.outputTokS()
                : p.tpotMs() == null ? null : p.tpotMs().mean();
    }

    private Plot sizeChart(Panel panel, String method, List<Point> arms) {
        boolean budgets = arms.stream().anyMatch(p -> p.budget() != null);
        String what = closed(panel) ? "Output" : "Time per output token";
        String by = budgets ? "draft budget" : "drafts per round";
        Map<Double, List<Point>> byLoad = new TreeMap<>();
        arms.forEach(p ->
                byLoad.computeIfAbsent(loadValue(p), k -> new ArrayList<>()).add(p));
        List<Double> loads = Evenly.pick(List.copyOf(byLoad.keySet()), MOST_LINES);
        Plot plot = Plot.of(what + " against " + by, subtitle(panel, method))
                .x(
                        budgets ? "budget (draft nodes per request)" : "drafts (tokens per round)",
                        Scale.Log.over(sizes(arms).keySet()));
        List<Double> all = new ArrayList<>();
        List<Curve> curves = new ArrayList<>();
        List<Curve> bests = new ArrayList<>();
        boolean band = false;
        for (int i = 0; i < loads.size(); i++) {
            Map<Double, Point> line = new TreeMap<>(BestArms.by(
                    byLoad.get(loads.get(i)).stream()
                            .filter(p -> size(p) != null && measure(panel, p) != null)
                            .toList(),
                    ExploreCharts::size));
            if (line.isEmpty()) {
                continue;
            }
            String name = (closed(panel) ? "c=" : "") + Scale.label(loads.get(i)) + (closed(panel) ? "" : "/s");
            Curve curve = curve(name, line, p -> measure(panel, p), closed(panel), Theme.ordered(i, loads.size()), i);
            all.addAll(curve.y());
            all.addAll(curve.low());
            all.addAll(curve.high());
            band |= !curve.low().isEmpty();
            curves.add(curve);
            Map.Entry<Double, Point> top = line.entrySet().stream()
                    .max(Comparator.comparingDouble(e -> BestArms.score(e.getValue())))
                    .orElseThrow();
            bests.add(Curve.points("", List.of(top.getKey()), List.of(measure(panel, top.getValue())), Theme.INK, 0));
        }
        curves.forEach(plot::curve);
        bests.forEach(plot::curve);
        String k = arms.stream().map(Point::topK).distinct().count() > 1 ? " Each point takes its best top-k." : "";
        return plot.y(closed(panel) ? "output (tok/s per replica)" : "time per output token, mean (ms)", logOf(all))
                .caption("Black dot: the best of its line." + k + some(loads.size(), byLoad.size())
                        + (band ? " " + BAND : ""));
    }

    private static String some(int shown, int all) {
        return shown == all ? "" : " " + shown + " of " + all + " loads.";
    }

    private static Scale logOf(List<Double> values) {
        double low =
                values.stream().mapToDouble(v -> v).filter(v -> v > 0).min().orElse(1);
        double high = values.stream().mapToDouble(v -> v).max().orElse(1);
        return high / low > 4 ? Scale.Log.around(low, high) : Scale.Linear.fromZero(high);
    }

    /** A line over points by their key, within their intervals where the measure scales with output. */
    private static Curve curve(
            String name,
            Map<Double, Point> line,
            Function<Point, Double> measure,
            boolean scalesWithOutput,
            java.awt.Color colour,
            int marker) {
        List<Double> x = List.copyOf(line.keySet());
        List<Double> y = new ArrayList<>();
        List<Double> low = new ArrayList<>();
        List<Double> high = new ArrayList<>();
        boolean band = scalesWithOutput && line.values().stream().anyMatch(p -> p.interval() != null);
        for (Point p : line.values()) {
            double v = measure.apply(p);
            y.add(v);
            if (band) {
                low.add(p.interval() == null ? v : v * p.interval().outputTokS().get(0) / p.outputTokS());
                high.add(
                        p.interval() == null ? v : v * p.interval().outputTokS().get(1) / p.outputTokS());
            }
        }
        Curve curve = Curve.line(name, x, y, colour, marker);
        return band ? curve.within(low, high) : curve;
    }

    /** The best arm per method and load, for methods that speculate. */
    private static Map<String, NavigableMap<Double, Point>> speedups(List<Point> points) {
        Map<String, NavigableMap<Double, Point>> lines = new LinkedHashMap<>();
        points.stream()
                .filter(p -> p.speedupVsAr() != null && !MethodColours.plain(p))
                .collect(Collectors.groupingBy(Point::method, LinkedHashMap::new, Collectors.toList()))
                .forEach((method, arms) ->
                        lines.put(method, new TreeMap<>(BestArms.by(arms, ExploreCharts::loadValue))));
        return lines;
    }

    private Plot speedupChart(Panel panel, Map<String, NavigableMap<Double, Point>> lines) {
        TreeMap<Double, Boolean> loads = new TreeMap<>();
        lines.values().forEach(l -> l.keySet().forEach(c -> loads.put(c, true)));
        Plot plot = Plot.of("Speed-up over autoregressive decoding", subtitle(panel, "best arm of each method"))
                .x(loadTitle(panel), Scale.Log.over(loads.keySet()))
                .curve(Curve.reference(
                        "autoregressive", List.of(loads.firstKey(), loads.lastKey()), List.of(1.0, 1.0)));
        double top = 1;
        boolean band = false;
        for (Map.Entry<String, NavigableMap<Double, Point>> e : lines.entrySet()) {
            Curve curve = curve(
                    e.getKey(),
                    e.getValue(),
                    Point::speedupVsAr,
                    closed(panel),
                    colours.colour(e.getKey()),
                    colours.marker(e.getKey()));
            plot.curve(curve);
            band |= !curve.high().isEmpty();
            top = Math.max(top, curve.y().stream().mapToDouble(v -> v).max().orElse(1));
            top = Math.max(top, curve.high().stream().mapToDouble(v -> v).max().orElse(1));
        }
        String what = closed(panel)
                ? "speed-up (output / output of autoregressive)"
                : "speed-up (TPOT of autoregressive / TPOT)";
        return plot.y(what, Scale.Linear.fromZero(top)).caption(band ? BAND : "");
    }

    private Plot paretoChart(Panel panel, List<Point> points) {
        Map<String, List<Point>> fronts = new LinkedHashMap<>();
        points.stream()
                .collect(Collectors.groupingBy(Point::method, LinkedHashMap::new, Collectors.toList()))
                .forEach((method, arms) -> fronts.put(method, front(arms)));
        List<Point> shown = fronts.values().stream().flatMap(List::stream).toList();
        Plot plot = Plot.of(
                        "Total output against time per output token",
                        subtitle(panel, "arms of each method that no other arm of it beats in both"))
                .x("time per output token, mean (ms); faster answers to the left", logOfTpot(shown))
                .y(
                        "output (tok/s per replica)",
                        logOf(shown.stream().map(Point::outputTokS).toList()));
        fronts.forEach((method, front) -> plot.curve(new Curve(
                method,
                front.stream().map(p -> p.tpotMs().mean()).toList(),
                front.stream().map(Point::outputTokS).toList(),
                List.of(),
                List.of(),
                colours.colour(method),
                colours.marker(method),
                true,
                !colours.speculates(method))));
        for (Point p : front(points)) {
            plot.note(p.tpotMs().mean(), p.outputTokS(), p.load().label());
        }
        return plot.caption("Small text: the load at the points that no arm of any method beats in both.");
    }

    private static Scale logOfTpot(List<Point> points) {
        double low = points.stream().mapToDouble(p -> p.tpotMs().mean()).min().orElse(1);
        double high = points.stream().mapToDouble(p -> p.tpotMs().mean()).max().orElse(1);
        return Scale.Log.around(low, high);
    }

    /** Points that no other one beats in both output and TPOT, by TPOT. */
    static List<Point> front(List<Point> points) {
        List<Point> sorted = points.stream()
                .sorted(Comparator.comparingDouble((Point p) -> p.tpotMs().mean())
                        .thenComparing(
                                Comparator.comparingDouble(Point::outputTokS).reversed()))
                .toList();
        List<Point> front = new ArrayList<>();
        double most = 0;
        for (Point p : sorted) {
            if (p.outputTokS() > most) {
                front.add(p);
                most = p.outputTokS();
            }
        }
        return front;
    }
}
