package dev.foretoken.report.chart;

import de.erichseifert.vectorgraphics2d.Document;
import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import dev.foretoken.report.OutputFiles;
import dev.foretoken.report.table.SafeText;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.font.FontRenderContext;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import javax.imageio.ImageIO;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * One chart: title, subtitle, two axes with units, curves and areas, labels beside the curves, a caption. Text that comes from
 * scenarios may hold anything; what cannot be shown is shown as an escape.
 */
public final class Plot {
    /** Pixels of a PNG per unit of the layout. */
    private static final double PNG_SCALE = 1.5;

    private static final int MARGIN = 18;
    private static final int LABEL_GAP = 8;
    private static final int LONGEST_LABEL = 34;
    private static final FontRenderContext METRICS = new FontRenderContext(null, true, true);

    private final String title;
    private final String subtitle;
    private String xTitle = "";
    private String yTitle = "";
    private Scale x;
    private Scale y;
    private String caption = "";
    private final List<Area> areas = new ArrayList<>();
    private final List<Curve> curves = new ArrayList<>();
    private final List<Note> notes = new ArrayList<>();
    private final List<double[]> segments = new ArrayList<>();
    private final List<Key> keys = new ArrayList<>();
    private final List<Rectangle2D> noted = new ArrayList<>();

    private record Area(List<Double> x, List<Double> y, Color colour) {}

    private record Note(double x, double y, String text, Color colour, Anchor anchor) {}

    /** Where text lies from its point. */
    private enum Anchor {
        UPPER_LEFT,
        CENTRE,
        RIGHT
    }

    private record Key(String name, Color colour) {}

    private Plot(String title, String subtitle) {
        this.title = SafeText.cut(SafeText.visible(title), 110);
        this.subtitle = SafeText.cut(SafeText.visible(subtitle), 140);
    }

    /** A chart that says {@code title}, under {@code subtitle}'s conditions. */
    public static Plot of(String title, String subtitle) {
        return new Plot(title, subtitle);
    }

    /** The horizontal axis; the title carries the unit. */
    public Plot x(String title, Scale scale) {
        xTitle = title;
        x = scale;
        return this;
    }

    /** The vertical axis; the title carries the unit. */
    public Plot y(String title, Scale scale) {
        yTitle = title;
        y = scale;
        return this;
    }

    /** A curve, drawn over those before it. */
    public Plot curve(Curve curve) {
        curves.add(curve);
        return this;
    }

    /** A filled polygon below all curves. */
    public Plot area(List<Double> x, List<Double> y, Color colour) {
        areas.add(new Area(List.copyOf(x), List.copyOf(y), colour));
        return this;
    }

    /** A filled rectangle. */
    public Plot box(double x0, double x1, double y0, double y1, Color colour) {
        return area(List.of(x0, x1, x1, x0), List.of(y0, y0, y1, y1), colour);
    }

    /** Small text to the upper left of a point; left out where it would cover an earlier one. */
    public Plot note(double x, double y, String text) {
        notes.add(new Note(x, y, cut(text), Theme.MUTED, Anchor.UPPER_LEFT));
        return this;
    }

    /** Text to the right of a point. */
    public Plot beside(double x, double y, String text) {
        notes.add(new Note(x, y, cut(text), Theme.INK, Anchor.RIGHT));
        return this;
    }

    /** Text centred on a point. */
    public Plot centred(double x, double y, String text) {
        notes.add(new Note(x, y, cut(text), Theme.INK, Anchor.CENTRE));
        return this;
    }

    /** A thin line between two points, above areas and below curves' labels. */
    public Plot segment(double x0, double y0, double x1, double y1) {
        segments.add(new double[] {x0, y0, x1, y1});
        return this;
    }

    /** An entry of the legend, for what has no curve to label. */
    public Plot key(String name, Color colour) {
        keys.add(new Key(SafeText.cut(SafeText.visible(name), LONGEST_LABEL), colour));
        return this;
    }

    /** What a reader must know to read the chart. */
    public Plot caption(String text) {
        caption = SafeText.cut(SafeText.visible(text), 150);
        return this;
    }

    /** Title and subtitle as one line, for people who cannot see the chart. */
    public String description() {
        return subtitle.isEmpty() ? title : title + ": " + subtitle;
    }

    /** Writes {@code stem.png} and {@code stem.svg}. */
    public List<Path> write(OutputFiles files, String stem) throws IOException {
        Path png = writePng(files, stem);
        String svg = svg(stem);
        Path vector = files.write(stem + ".svg", out -> out.write(svg.getBytes(StandardCharsets.UTF_8)));
        return List.of(png, vector);
    }

    /** Writes {@code stem.png}. */
    public Path writePng(OutputFiles files, String stem) throws IOException {
        BufferedImage image = image();
        return files.write(stem + ".png", out -> ImageIO.write(image, "png", out));
    }

    /** The chart as pixels. */
    public BufferedImage image() {
        BufferedImage image = new BufferedImage(
                (int) (Theme.WIDTH * PNG_SCALE), (int) (Theme.HEIGHT * PNG_SCALE), BufferedImage.TYPE_INT_RGB);
        Graphics2D g = image.createGraphics();
        g.scale(PNG_SCALE, PNG_SCALE);
        paint(g);
        g.dispose();
        return image;
    }

    /**
     * The chart as an SVG document that names itself to screen readers.
     *
     * @param id start of the ids in the document, unique on a page that holds several
     */
    public String svg(String id) throws IOException {
        VectorGraphics2D g = new VectorGraphics2D();
        paint(g);
        Document document =
                new SVGProcessor().getDocument(g.getCommands(), new PageSize(0, 0, Theme.WIDTH, Theme.HEIGHT));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        document.writeTo(bytes);
        return SvgText.named(
                bytes.toString(StandardCharsets.UTF_8), id, title, description(), Theme.WIDTH, Theme.HEIGHT);
    }

    private void paint(Graphics2D g) {
        if (x == null || y == null) {
            throw new IllegalStateException("chart '" + title + "' needs two axes");
        }
        noted.clear();
        g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        g.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        g.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
        g.setColor(Theme.PAPER);
        g.fill(new Rectangle2D.Double(0, 0, Theme.WIDTH, Theme.HEIGHT));
        double top = MARGIN + 14;
        top = line(g, title, Theme.TITLE, Theme.INK, top) + 4;
        if (!subtitle.isEmpty()) {
            top = line(g, subtitle, Theme.SUBTITLE, Theme.MUTED, top);
        }
        if (!keys.isEmpty()) {
            top = legend(g, top + 4);
        }
        top += 6;
        if (!yTitle.isEmpty()) {
            text(g, yTitle, Theme.AXIS_TITLE, Theme.INK, MARGIN, top + 6);
            top += 18;
        }
        double bottom = Theme.HEIGHT - MARGIN - (caption.isEmpty() ? 0 : 18) - 44;
        List<Scale.Tick> yTicks = y.ticks((int) Math.max(2, (bottom - top) / 44));
        double left = MARGIN
                + 8
                + yTicks.stream()
                        .mapToDouble(t -> width(cut(t.label()), Theme.TICK))
                        .max()
                        .orElse(0);
        double right = Theme.WIDTH - MARGIN - labelRoom();
        Frame f = new Frame(left, right, top, bottom, x, y);
        grid(g, f, yTicks);
        series(g, f);
        segments(g, f);
        for (Note n : notes) {
            note(g, f, n);
        }
        labels(g, f);
        if (!caption.isEmpty()) {
            text(g, caption, Theme.SMALL, Theme.MUTED, MARGIN, Theme.HEIGHT - MARGIN + 2);
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

    private double line(Graphics2D g, String text, Font font, Color colour, double y) {
        text(g, text, font, colour, MARGIN, y);
        return y + font.getSize() + 4;
    }

    private double legend(Graphics2D g, double y) {
        double at = MARGIN;
        double row = y;
        for (Key k : keys) {
            double w = 18 + width(k.name, Theme.TICK) + 16;
            if (at + w > Theme.WIDTH - MARGIN) {
                at = MARGIN;
                row += 18;
            }
            g.setColor(k.colour);
            g.fill(new Rectangle2D.Double(at, row - 10, 12, 12));
            text(g, k.name, Theme.TICK, Theme.INK, at + 17, row);
            at += w;
        }
        return row + 16;
    }

    /** Room right of the plot for labels of curves that end near its right edge. */
    private double labelRoom() {
        double last = curves.stream()
                .flatMap(c -> c.x().stream())
                .mapToDouble(x::unit)
                .max()
                .orElse(1);
        double widest = 0;
        for (Curve c : curves) {
            if (!c.name().isEmpty()) {
                double end = x.unit(c.x().get(c.x().size() - 1));
                double w = width(cut(c.name()), Theme.LABEL) + LABEL_GAP;
                widest = Math.max(widest, w - (1 - end) * 760);
            }
        }
        return last > 0 ? Math.max(6, widest) : 6;
    }

    private void grid(Graphics2D g, Frame f, List<Scale.Tick> yTicks) {
        g.setStroke(Theme.HAIR);
        for (Scale.Tick t : yTicks) {
            double py = f.py(t.value());
            g.setColor(Theme.GRID);
            g.draw(new Line2D.Double(f.left, py, f.right, py));
            String label = cut(t.label());
            text(g, label, Theme.TICK, Theme.MUTED, f.left - 8 - width(label, Theme.TICK), py + 4);
        }
        List<Scale.Tick> xTicks = x.ticks((int) ((f.right - f.left) / 64));
        double free = Double.NEGATIVE_INFINITY;
        for (Scale.Tick t : xTicks) {
            double px = f.px(t.value());
            g.setColor(Theme.GRID);
            g.draw(new Line2D.Double(px, f.top, px, f.bottom));
            String label = cut(t.label());
            double w = width(label, Theme.TICK);
            if (px - w / 2 > free) {
                text(g, label, Theme.TICK, Theme.MUTED, px - w / 2, f.bottom + 18);
                free = px + w / 2 + 6;
            }
        }
        g.setColor(Theme.AXIS);
        g.draw(new Line2D.Double(f.left, f.bottom, f.right, f.bottom));
        text(
                g,
                xTitle,
                Theme.AXIS_TITLE,
                Theme.INK,
                (f.left + f.right) / 2 - width(xTitle, Theme.AXIS_TITLE) / 2,
                f.bottom + 40);
    }

    /** Areas, bands, lines and markers, by XChart on the unit square. */
    private void series(Graphics2D g, Frame f) {
        if (areas.isEmpty() && curves.isEmpty()) {
            return;
        }
        int w = (int) Math.round(f.right - f.left);
        int h = (int) Math.round(f.bottom - f.top);
        XYChart chart = new XYChartBuilder().width(w).height(h).build();
        Theme.bare(chart.getStyler());
        int n = 0;
        for (Area a : areas) {
            polygon(chart, "area" + n++, units(a.x, x), units(a.y, y), a.colour);
        }
        for (Curve c : curves) {
            if (!c.low().isEmpty() && c.x().size() > 1) {
                List<Double> px = new ArrayList<>(c.x());
                List<Double> py = new ArrayList<>(c.low());
                for (int i = c.x().size() - 1; i >= 0; i--) {
                    px.add(c.x().get(i));
                    py.add(c.high().get(i));
                }
                polygon(chart, "band" + n++, units(px, x), units(py, y), Theme.band(c.colour()));
            }
        }
        for (Curve c : curves) {
            XYSeries s = chart.addSeries("curve" + n++, units(c.x(), x), units(c.y(), y));
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

    private void segments(Graphics2D g, Frame f) {
        g.setColor(Theme.INK);
        g.setStroke(Theme.LINE);
        for (double[] s : segments) {
            g.draw(new Line2D.Double(f.px(s[0]), f.py(s[1]), f.px(s[2]), f.py(s[3])));
        }
    }

    private void note(Graphics2D g, Frame f, Note n) {
        Font font = n.anchor == Anchor.UPPER_LEFT ? Theme.SMALL : Theme.TICK;
        double w = width(n.text, font);
        double px = f.px(n.x);
        double py = f.py(n.y);
        switch (n.anchor) {
            case CENTRE -> text(g, n.text, font, n.colour, px - w / 2, py + 4);
            case RIGHT -> text(g, n.text, font, n.colour, px + 7, py + 4);
            case UPPER_LEFT -> {
                Rectangle2D place = new Rectangle2D.Double(px - w - 6, py - 16, w + 4, 13);
                if (noted.stream().noneMatch(place::intersects)) {
                    noted.add(place);
                    halo(g, n.text, font, n.colour, px - w - 4, py - 5);
                }
            }
        }
    }

    /** A label beside the end of each named curve, moved apart where they would touch. */
    private void labels(Graphics2D g, Frame f) {
        List<Label> placed = new ArrayList<>();
        for (Curve c : curves) {
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
            halo(g, l.text, Theme.LABEL, l.colour, l.x + LABEL_GAP + 2, l.y + 4);
        }
    }

    /** A label on its way to a free place. */
    private static final class Label {
        private static final double HEIGHT = 16;

        private final String text;
        private final Color colour;
        private final double x;
        private final double anchorY;
        private final double width;
        private double y;

        Label(String text, Color colour, double x, double anchorY, double width) {
            this.text = text;
            this.colour = colour;
            this.x = x;
            this.anchorY = anchorY;
            this.width = width;
            this.y = anchorY;
        }

        /** Moves labels that touch apart, half each way, until none does or the room is used up. */
        static void spread(List<Label> labels, double top, double bottom) {
            for (int round = 0; round < 200; round++) {
                boolean moved = false;
                for (int i = 0; i < labels.size(); i++) {
                    for (int j = i + 1; j < labels.size(); j++) {
                        Label a = labels.get(i);
                        Label b = labels.get(j);
                        boolean beside = a.x < b.x + b.width + 8 && b.x < a.x + a.width + 8;
                        double overlap = HEIGHT - (b.y - a.y);
                        if (beside && overlap > 0.5) {
                            a.y -= overlap / 2;
                            b.y += overlap / 2;
                            moved = true;
                        }
                    }
                }
                for (Label l : labels) {
                    l.y = Math.min(bottom, Math.max(top, l.y));
                }
                if (!moved) {
                    return;
                }
            }
        }
    }

    private static String cut(String text) {
        return SafeText.cut(SafeText.visible(text), LONGEST_LABEL);
    }

    private static double width(String text, Font font) {
        return Theme.fitting(font, text).getStringBounds(text, METRICS).getWidth();
    }

    private static void text(Graphics2D g, String text, Font font, Color colour, double x, double y) {
        g.setFont(Theme.fitting(font, text));
        g.setColor(colour);
        g.drawString(text, (float) x, (float) y);
    }

    /** Text that stays readable over lines: on a little white paper of its own. */
    private static void halo(Graphics2D g, String text, Font font, Color colour, double x, double y) {
        g.setColor(new Color(255, 255, 255, 190));
        g.fill(new Rectangle2D.Double(x - 1, y - font.getSize() + 1, width(text, font) + 2, font.getSize() + 2));
        text(g, text, font, colour, x, y);
    }
}
