package dev.foretoken.report.chart;

import dev.foretoken.report.table.SafeText;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.font.FontRenderContext;
import java.awt.font.TextLayout;
import java.awt.geom.AffineTransform;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws one plot: lays out title, axes, grid, labels and caption; XChart draws what lies inside the axes. */
final class Painter {
    private static final int MARGIN = 18;
    private static final int LABEL_GAP = 8;
    private static final FontRenderContext METRICS = new FontRenderContext(null, true, true);

    private final Plot p;
    private final Graphics2D g;
    private final boolean outlines;
    private final List<Rectangle2D> noted = new ArrayList<>();

    /** @param outlines text as shapes, for formats that carry no fonts */
    Painter(Plot plot, Graphics2D graphics, boolean outlines) {
        this.p = plot;
        this.g = graphics;
        this.outlines = outlines;
    }

    void paint() {
        if (p.x == null || p.y == null) {
            throw new IllegalStateException("chart '" + p.title + "' needs two axes");
        }
        g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        g.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        g.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
        g.setFont(Theme.TICK);
        g.setColor(Theme.PAPER);
        g.fill(new Rectangle2D.Double(0, 0, p.width, p.height));
        double top = MARGIN + 14;
        top = line(p.title, Theme.TITLE, Theme.INK, top) + 4;
        if (!p.subtitle.isEmpty()) {
            top = line(p.subtitle, Theme.SUBTITLE, Theme.MUTED, top);
        }
        if (!p.keys.isEmpty()) {
            top = legend(top + 4);
        }
        top += 6;
        if (!p.yTitle.isEmpty()) {
            text(p.yTitle, Theme.AXIS_TITLE, Theme.INK, MARGIN, top + 6);
            top += 18;
        }
        double bottom = p.height - MARGIN - (p.caption.isEmpty() ? 0 : 18) - 44;
        List<Scale.Tick> yTicks = p.y.ticks((int) Math.max(2, (bottom - top) / 44));
        double left = MARGIN
                + 8
                + yTicks.stream()
                        .mapToDouble(t -> width(cut(t.label()), Theme.TICK))
                        .max()
                        .orElse(0);
        double right = p.width - MARGIN - labelRoom();
        Frame f = new Frame(left, right, top, bottom, p.x, p.y);
        grid(f, yTicks);
        series(f);
        segments(f);
        for (Plot.Note n : p.notes) {
            note(f, n);
        }
        labels(f);
        if (!p.caption.isEmpty()) {
            text(within(p.caption, Theme.SMALL), Theme.SMALL, Theme.MUTED, MARGIN, p.height - MARGIN + 2);
        }
    }

    /** Where the plot lies on the canvas. */
    private record Frame(double left, double right, double top, double bottom, Scale xs, Scale ys) {
        double px(double value) {
            return left + xs.unit(value) * (right - left);
        }

        double py(double value) {
            return bottom - ys.unit(value) * (bottom - top);
        }
    }

    private double line(String text, Font font, Color colour, double y) {
        text(within(text, font), font, colour, MARGIN, y);
        return y + font.getSize() + 4;
    }

    private double legend(double y) {
        double at = MARGIN;
        double row = y;
        for (Plot.Key k : p.keys) {
            double w = 18 + width(k.name(), Theme.TICK) + 16;
            if (at + w > p.width - MARGIN) {
                at = MARGIN;
                row += 18;
            }
            g.setColor(k.colour());
            g.fill(new Rectangle2D.Double(at, row - 10, 12, 12));
            text(k.name(), Theme.TICK, Theme.INK, at + 17, row);
            at += w;
        }
        return row + 16;
    }

    /** Room right of the plot for labels of curves that end near its right edge. */
    private double labelRoom() {
        double last = p.curves.stream()
                .flatMap(c -> c.x().stream())
                .mapToDouble(p.x::unit)
                .max()
                .orElse(1);
        double widest = 0;
        for (Curve c : p.curves) {
            if (!c.name().isEmpty()) {
                double end = p.x.unit(c.x().get(c.x().size() - 1));
                double w = width(cut(c.name()), Theme.LABEL) + LABEL_GAP;
                widest = Math.max(widest, w - (1 - end) * 0.8 * p.width);
            }
        }
        return last > 0 ? Math.max(6, widest) : 6;
    }

    private void grid(Frame f, List<Scale.Tick> yTicks) {
        g.setStroke(Theme.HAIR);
        for (Scale.Tick t : yTicks) {
            double py = f.py(t.value());
            g.setColor(Theme.GRID);
            g.draw(new Line2D.Double(f.left, py, f.right, py));
            String label = cut(t.label());
            text(label, Theme.TICK, Theme.MUTED, f.left - 8 - width(label, Theme.TICK), py + 4);
        }
        List<Scale.Tick> xTicks = p.x.ticks((int) ((f.right - f.left) / 64));
        double free = Double.NEGATIVE_INFINITY;
        for (Scale.Tick t : xTicks) {
            double px = f.px(t.value());
            g.setColor(Theme.GRID);
            g.draw(new Line2D.Double(px, f.top, px, f.bottom));
            String label = cut(t.label());
            double w = width(label, Theme.TICK);
            if (px - w / 2 > free) {
                text(label, Theme.TICK, Theme.MUTED, px - w / 2, f.bottom + 18);
                free = px + w / 2 + 6;
            }
        }
        g.setColor(Theme.AXIS);
        g.draw(new Line2D.Double(f.left, f.bottom, f.right, f.bottom));
        text(
                p.xTitle,
                Theme.AXIS_TITLE,
                Theme.INK,
                (f.left + f.right) / 2 - width(p.xTitle, Theme.AXIS_TITLE) / 2,
                f.bottom + 40);
    }

    /** Areas, bands, lines and markers, by XChart on the unit square. */
    private void series(Frame f) {
        if (p.areas.isEmpty() && p.curves.isEmpty()) {
            return;
        }
        int w = (int) Math.round(f.right - f.left);
        int h = (int) Math.round(f.bottom - f.top);
        XYChart chart = new XYChartBuilder().width(w).height(h).build();
        Theme.bare(chart.getStyler());
        int n = 0;
        for (Plot.Area a : p.areas) {
            polygon(chart, "area" + n++, units(a.x(), p.x), units(a.y(), p.y), a.colour());
        }
        for (Curve c : p.curves) {
            if (!c.low().isEmpty() && c.x().size() > 1) {
                List<Double> px = new ArrayList<>(c.x());
                List<Double> py = new ArrayList<>(c.low());
                for (int i = c.x().size() - 1; i >= 0; i--) {
                    px.add(c.x().get(i));
                    py.add(c.high().get(i));
                }
                polygon(chart, "band" + n++, units(px, p.x), units(py, p.y), Theme.band(c.colour()));
            }
        }
        for (Curve c : p.curves) {
            XYSeries s = chart.addSeries("curve" + n++, units(c.x(), p.x), units(c.y(), p.y));
            s.setXYSeriesRenderStyle(
                    c.line() ? XYSeries.XYSeriesRenderStyle.Line : XYSeries.XYSeriesRenderStyle.Scatter);
            s.setLineColor(c.colour());
            s.setMarkerColor(c.colour());
            s.setMarker(c.marker() < 0 ? SeriesMarkers.NONE : Theme.marker(c.marker()));
            s.setLineStyle(c.dashed() ? Theme.DASHED : Theme.LINE);
        }
        Graphics2D inside = (Graphics2D) g.create();
        inside.translate(f.left, f.top);
        chart.paint(inside, w, h);
        inside.dispose();
    }

    private static void polygon(XYChart chart, String name, double[] x, double[] y, Color colour) {
        XYSeries s = chart.addSeries(name, x, y);
        s.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.PolygonArea);
        s.setFillColor(colour);
        s.setLineColor(new Color(255, 255, 255, 0));
        s.setLineStyle(new BasicStroke(0f));
        s.setMarker(SeriesMarkers.NONE);
    }

    private static double[] units(List<Double> values, Scale scale) {
        return values.stream()
                .mapToDouble(scale::unit)
                .map(u -> Math.min(1, Math.max(0, u)))
                .toArray();
    }

    private void segments(Frame f) {
        g.setColor(Theme.INK);
        g.setStroke(Theme.LINE);
        for (double[] s : p.segments) {
            g.draw(new Line2D.Double(f.px(s[0]), f.py(s[1]), f.px(s[2]), f.py(s[3])));
        }
    }

    private void note(Frame f, Plot.Note n) {
        Font font = n.anchor() == Plot.Anchor.UPPER_LEFT ? Theme.SMALL : Theme.TICK;
        double w = width(n.text(), font);
        double px = f.px(n.x());
        double py = f.py(n.y());
        switch (n.anchor()) {
            case CENTRE -> text(n.text(), font, n.colour(), px - w / 2, py + 4);
            case RIGHT -> text(n.text(), font, n.colour(), px + 7, py + 4);
            case UPPER_LEFT -> {
                Rectangle2D place = new Rectangle2D.Double(px - w - 6, py - 16, w + 4, 13);
                if (noted.stream().noneMatch(place::intersects)) {
                    noted.add(place);
                    halo(n.text(), font, n.colour(), px - w - 4, py - 5);
                }
            }
        }
    }

    /** A label beside the end of each named curve, moved apart where they would touch. */
    private void labels(Frame f) {
        List<Label> placed = new ArrayList<>();
        for (Curve c : p.curves) {
            if (!c.name().isEmpty()) {
                int last = c.x().size() - 1;
                double px = f.px(c.x().get(last));
                double py = Math.min(f.bottom, Math.max(f.top, f.py(c.y().get(last))));
                String name = cut(c.name());
                placed.add(new Label(name, Theme.text(c.colour()), px, py, width(name, Theme.LABEL)));
            }
        }
        placed.sort(Comparator.comparingDouble(l -> l.anchorY));
        Label.spread(placed, f.top + 4, f.bottom - 2);
        for (Label l : placed) {
            if (Math.abs(l.y - l.anchorY) > 5) {
                g.setColor(Theme.AXIS);
                g.setStroke(Theme.HAIR);
                Path2D lead = new Path2D.Double();
                lead.moveTo(l.x + 5, l.anchorY);
                lead.lineTo(l.x + LABEL_GAP + 1, l.y);
                g.draw(lead);
            }
            halo(l.text, Theme.LABEL, l.colour, l.x + LABEL_GAP + 2, l.y + 4);
        }
    }

    private static String cut(String text) {
        return SafeText.cut(SafeText.visible(text), Plot.LONGEST_LABEL);
    }

    /** The text, cut until it fits the canvas. */
    private String within(String text, Font font) {
        String cut = text;
        while (width(cut, font) > p.width - 2 * MARGIN) {
            cut = SafeText.cut(cut, SafeText.width(cut) - 1);
        }
        return cut;
    }

    private static double width(String text, Font font) {
        return Theme.fitting(font, text).getStringBounds(text, METRICS).getWidth();
    }

    private void text(String text, Font font, Color colour, double x, double y) {
        Font fitting = Theme.fitting(font, text);
        g.setColor(colour);
        if (outlines && !text.isEmpty()) {
            g.fill(new TextLayout(text, fitting, METRICS).getOutline(AffineTransform.getTranslateInstance(x, y)));
        } else {
            g.setFont(fitting);
            g.drawString(text, (float) x, (float) y);
        }
    }

    /** Text that stays readable over lines: on a little white paper of its own. */
    private void halo(String text, Font font, Color colour, double x, double y) {
        g.setColor(new Color(255, 255, 255, 190));
        g.fill(new Rectangle2D.Double(x - 1, y - font.getSize() + 1, width(text, font) + 2, font.getSize() + 2));
        text(text, font, colour, x, y);
    }
}
