package dev.foretoken.report.chart;

import dev.foretoken.report.table.BestArms;
import dev.foretoken.report.table.NumberStyle;
import dev.foretoken.sim.result.Point;
import java.awt.Color;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The parts of a round as stacked bars: each method's best arm at the lowest and the highest load. */
final class TermsChart {
    private static final int MOST_BARS = 18;

    private static final Map<String, Color> COLOURS = colours();

    private final List<Point> bars;

    TermsChart(List<Point> points) {
        Map<String, Point> chosen = new LinkedHashMap<>();
        List<Point> best = BestArms.perMethod(points);
        for (boolean highest : new boolean[] {false, true}) {
            Map<String, Point> ends = new LinkedHashMap<>();
            for (Point p : best) {
                ends.merge(p.method(), p, (a, b) -> load(b) > load(a) == highest ? b : a);
            }
            ends.forEach(
                    (method, p) -> chosen.putIfAbsent(method + "\n" + p.load().label(), p));
        }
        bars = chosen.values().stream().limit(MOST_BARS).toList();
    }

    private static double load(Point p) {
        return p.load().concurrency() != null
                ? p.load().concurrency()
                : p.load().ratePerS();
    }

    private static Map<String, Color> colours() {
        Map<String, Color> map = new LinkedHashMap<>();
        map.put("target", Theme.kind(0));
        map.put("weights", Theme.kind(0));
        map.put("attention", Theme.kind(4));
        map.put("recurrent_state", Theme.kind(2));
        map.put("lm_head", Theme.kind(3));
        map.put("all_reduce", Theme.kind(5));
        map.put("elementwise", Theme.kind(7));
        map.put("sampler", Theme.kind(6));
        map.put("draft", Theme.kind(1));
        map.put("commit", new Color(0xb0, 0xb0, 0xb0));
        map.put("elementwise", new Color(0x8c, 0x6d, 0x31));
        map.put("sampler", new Color(0xf0, 0xe4, 0x42));
        map.put("host", Theme.BASELINE);
        return map;
    }

    private static Color colour(String term) {
        return COLOURS.getOrDefault(term, Theme.ramp(0.5));
    }

    Plot plot(String subtitle) {
        List<String> names = new ArrayList<>();
        Set<String> terms = new LinkedHashSet<>(COLOURS.keySet());
        Set<String> present = new LinkedHashSet<>();
        double longest = 0;
        boolean hidden = false;
        for (int i = bars.size() - 1; i >= 0; i--) {
            Point p = bars.get(i);
            names.add(name(p));
            terms.addAll(p.termsMs().keySet());
            p.termsMs().forEach((term, ms) -> {
                if (ms > 0) {
                    present.add(term);
                }
            });
            longest = Math.max(
                    longest, p.termsMs().values().stream().mapToDouble(v -> v).sum());
            hidden |= p.hiddenMs() != null && p.hiddenMs() > 0;
        }
        terms.retainAll(present);
        Plot plot = Plot.of("Parts of a decode round", subtitle)
                .x("time (ms per round)", new Scale.Linear(0, longest * 1.12))
                .y("", new Scale.Categories(names));
        terms.forEach(t -> plot.key(t.replace('_', ' '), colour(t)));
        for (int i = 0; i < bars.size(); i++) {
            Point p = bars.get(i);
            double row = bars.size() - 1.0 - i;
            double at = 0;
            for (String term : terms) {
                double ms = p.termsMs().getOrDefault(term, 0.0);
                if (ms > 0) {
                    plot.box(at, at + ms, row - 0.34, row + 0.34, colour(term));
                }
                at += ms;
            }
            plot.beside(at, row, NumberStyle.FINE.show(p.roundMs()) + " ms");
            if (hidden && p.roundMs() != null) {
                plot.segment(p.roundMs(), row - 0.42, p.roundMs(), row + 0.42);
            }
        }
        return plot.caption(
                hidden
                        ? "Black line and figure: time of the round; what lies beyond it is hidden by overlap."
                        : "Figure: time of the round.");
    }

    private static String name(Point p) {
        String size = p.budget() != null
                ? " B=" + p.budget()
                : p.draftTokens() != null
                                && !p.method().endsWith(p.draftTokens().toString())
                        ? " " + p.draftTokens()
                        : "";
        return p.method() + size + "  " + p.load().label();
    }
}
