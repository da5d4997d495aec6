package dev.foretoken.report.chart;

import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A chart as plain values, to be kept in a file and drawn again.
 *
 * @param title of the chart
 * @param subtitle conditions
 * @param xTitle horizontal axis with its unit
 * @param yTitle vertical axis with its unit
 * @param x horizontal scale
 * @param y vertical scale
 * @param caption what a reader must know
 * @param width of the layout
 * @param height of the layout
 * @param areas polygons
 * @param curves lines and points
 * @param notes texts
 * @param segments thin lines: x0, y0, x1, y1
 * @param keys legend
 */
public record PlotData(
        String title,
        String subtitle,
        String xTitle,
        String yTitle,
        ScaleData x,
        ScaleData y,
        String caption,
        int width,
        int height,
        List<AreaData> areas,
        List<CurveData> curves,
        List<NoteData> notes,
        List<List<Double>> segments,
        List<KeyData> keys) {
    private static final String LINEAR = "linear";
    private static final String LOG = "log";
    private static final String CATEGORIES = "categories";

    /** A scale: linear (min, max), log (min, max, zero, at) or categories (names). */
    public record ScaleData(String kind, Double min, Double max, Boolean zero, List<Double> at, List<String> names) {
        static ScaleData of(Scale s) {
            if (s instanceof Scale.Linear l) {
                return new ScaleData(LINEAR, l.min(), l.max(), null, null, null);
            }
            if (s instanceof Scale.Log l) {
                return new ScaleData(LOG, l.min(), l.max(), l.zero(), l.at(), null);
            }
            if (s instanceof Scale.Categories c) {
                return new ScaleData(CATEGORIES, null, null, null, null, c.names());
            }
            throw new IllegalArgumentException("a chart with a scale of its own cannot be kept: " + s.getClass());
        }

        Scale scale() {
            return switch (kind == null ? "" : kind) {
                case LINEAR -> new Scale.Linear(min, max);
                case LOG -> new Scale.Log(min, max, Boolean.TRUE.equals(zero), at);
                case CATEGORIES -> new Scale.Categories(names);
                default ->
                    throw new IllegalArgumentException(
                            "a scale is " + LINEAR + ", " + LOG + " or " + CATEGORIES + ", not " + kind);
            };
        }
    }

    /** A filled polygon. */
    public record AreaData(List<Double> x, List<Double> y, String colour) {}

    /** A curve; low and high are empty without a band. */
    public record CurveData(
            String name,
            List<Double> x,
            List<Double> y,
            List<Double> low,
            List<Double> high,
            String colour,
            int marker,
            boolean line,
            boolean dashed) {}

    /** A text; anchor is upper_left, centre or right. */
    public record NoteData(double x, double y, String text, String colour, String anchor) {}

    /** An entry of the legend. */
    public record KeyData(String name, String colour) {}

    /** The values of a chart. */
    public static PlotData of(Plot p) {
        return new PlotData(
                p.title,
                p.subtitle,
                p.xTitle,
                p.yTitle,
                ScaleData.of(p.x),
                ScaleData.of(p.y),
                p.caption,
                p.width,
                p.height,
                p.areas.stream()
                        .map(a -> new AreaData(a.x(), a.y(), text(a.colour())))
                        .toList(),
                p.curves.stream()
                        .map(c -> new CurveData(
                                c.name(),
                                c.x(),
                                c.y(),
                                c.low(),
                                c.high(),
                                text(c.colour()),
                                c.marker(),
                                c.line(),
                                c.dashed()))
                        .toList(),
                p.notes.stream()
                        .map(n -> new NoteData(
                                n.x(),
                                n.y(),
                                n.text(),
                                text(n.colour()),
                                n.anchor().name().toLowerCase(Locale.ROOT)))
                        .toList(),
                p.segments.stream().map(s -> List.of(s[0], s[1], s[2], s[3])).toList(),
                p.keys.stream()
                        .map(k -> new KeyData(k.name(), text(k.colour())))
                        .toList());
    }

    /**
     * The chart again.
     *
     * @throws IllegalArgumentException when the values make no chart
     */
    public Plot plot() {
        if (title == null || x == null || y == null) {
            throw new IllegalArgumentException("a chart needs title, x and y");
        }
        Plot p = Plot.of(title, subtitle == null ? "" : subtitle)
                .x(xTitle, x.scale())
                .y(yTitle, y.scale())
                .caption(caption == null ? "" : caption)
                .sized(width, height);
        orEmpty(areas).forEach(a -> p.area(a.x(), a.y(), colour(a.colour())));
        orEmpty(curves)
                .forEach(c -> p.curve(new Curve(
                        c.name(),
                        c.x(),
                        c.y(),
                        orEmpty(c.low()),
                        orEmpty(c.high()),
                        colour(c.colour()),
                        c.marker(),
                        c.line(),
                        c.dashed())));
        orEmpty(notes)
                .forEach(n -> p.notes.add(new Plot.Note(
                        n.x(),
                        n.y(),
                        n.text(),
                        colour(n.colour()),
                        Plot.Anchor.valueOf(n.anchor().toUpperCase(Locale.ROOT)))));
        orEmpty(segments).forEach(s -> p.segment(s.get(0), s.get(1), s.get(2), s.get(3)));
        orEmpty(keys).forEach(k -> p.key(k.name(), colour(k.colour())));
        return p;
    }

    private static <T> List<T> orEmpty(List<T> list) {
        return list == null ? List.of() : new ArrayList<>(list);
    }

    /** #rrggbb, or #rrggbbaa where it is not opaque. */
    private static String text(Color c) {
        String rgb = String.format(Locale.ROOT, "#%02x%02x%02x", c.getRed(), c.getGreen(), c.getBlue());
        return c.getAlpha() == 255 ? rgb : rgb + String.format(Locale.ROOT, "%02x", c.getAlpha());
    }

    private static Color colour(String text) {
        if (text == null || !text.matches("#[0-9a-f]{6}([0-9a-f]{2})?")) {
            throw new IllegalArgumentException("a colour is #rrggbb or #rrggbbaa, not " + text);
        }
        int rgb = Integer.parseInt(text.substring(1, 7), 16);
        int alpha = text.length() == 9 ? Integer.parseInt(text.substring(7), 16) : 255;
        return new Color(rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255, alpha);
    }
}
