package dev.foretoken.report.chart;

import de.erichseifert.vectorgraphics2d.Document;
import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.pdf.PDFProcessor;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import dev.foretoken.report.OutputFiles;
import dev.foretoken.report.table.SafeText;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;

/**
 * One chart: title, subtitle, two axes with units, curves and areas, labels beside the curves, a caption. Text that comes from
 * scenarios may hold anything; what cannot be shown is shown as an escape.
 */
public final class Plot {
    /** Pixels of a PNG per unit of the layout. */
    private static final double PNG_SCALE = 1.5;

    static final int LONGEST_LABEL = 34;

    final String title;
    final String subtitle;
    String xTitle = "";
    String yTitle = "";
    Scale x;
    Scale y;
    String caption = "";
    int width = Theme.WIDTH;
    int height = Theme.HEIGHT;
    final List<Area> areas = new ArrayList<>();
    final List<Curve> curves = new ArrayList<>();
    final List<Note> notes = new ArrayList<>();
    final List<double[]> segments = new ArrayList<>();
    final List<Key> keys = new ArrayList<>();

    record Area(List<Double> x, List<Double> y, Color colour) {}

    record Note(double x, double y, String text, Color colour, Anchor anchor) {}

    /** Where text lies from its point. */
    enum Anchor {
        UPPER_LEFT,
        CENTRE,
        RIGHT
    }

    record Key(String name, Color colour) {}

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

    /**
     * The same chart on another canvas; text keeps its size, so that a smaller canvas suits a smaller place.
     *
     * @param width at least 300
     * @param height at least 200
     */
    public Plot sized(int width, int height) {
        if (width < 300 || height < 200) {
            throw new IllegalArgumentException("a chart needs at least 300 x 200, not " + width + " x " + height);
        }
        this.width = width;
        this.height = height;
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

    /** Writes {@code stem.pdf}, text as outlines so that it needs no fonts. */
    public Path writePdf(OutputFiles files, String stem) throws IOException {
        VectorGraphics2D g = new VectorGraphics2D();
        new Painter(this, g, true).paint();
        Document document = new PDFProcessor(true).getDocument(g.getCommands(), page());
        return files.write(stem + ".pdf", document::writeTo);
    }

    private PageSize page() {
        return new PageSize(0, 0, width, height);
    }

    /** The chart as pixels. */
    public BufferedImage image() {
        BufferedImage image =
                new BufferedImage((int) (width * PNG_SCALE), (int) (height * PNG_SCALE), BufferedImage.TYPE_INT_RGB);
        Graphics2D g = image.createGraphics();
        g.scale(PNG_SCALE, PNG_SCALE);
        new Painter(this, g, false).paint();
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
        new Painter(this, g, false).paint();
        Document document = new SVGProcessor().getDocument(g.getCommands(), page());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        document.writeTo(bytes);
        return SvgText.named(bytes.toString(StandardCharsets.UTF_8), id, title, description(), width, height);
    }

    private static String cut(String text) {
        return SafeText.cut(SafeText.visible(text), LONGEST_LABEL);
    }
}
