package dev.foretoken.report.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * The one look of all charts: white, thin grid, sans-serif, colours that people with colour-vision deficiencies tell apart
 * (Okabe and Ito's set for kinds with a violet and an olive after it, a part of viridis for ordered values), a marker per curve besides its colour.
 */
final class Theme {
    static final int WIDTH = 960;
    static final int HEIGHT = 560;

    static final Color INK = new Color(0x22, 0x22, 0x22);
    static final Color MUTED = new Color(0x59, 0x59, 0x59);
    static final Color GRID = new Color(0xe3, 0xe3, 0xe3);
    static final Color AXIS = new Color(0x8c, 0x8c, 0x8c);
    static final Color PAPER = Color.WHITE;

    /** Plain decoding and other baselines. */
    static final Color BASELINE = new Color(0x4d, 0x4d, 0x4d);

    private static final List<Color> KINDS = List.of(
            new Color(0x00, 0x72, 0xb2),
            new Color(0xd5, 0x5e, 0x00),
            new Color(0x00, 0x9e, 0x73),
            new Color(0xcc, 0x79, 0xa7),
            new Color(0xe6, 0x9f, 0x00),
            new Color(0x56, 0xb4, 0xe9),
            new Color(0x6a, 0x3d, 0x9a),
            new Color(0x6b, 0x7a, 0x1f));

    private static final List<Marker> MARKERS = List.of(
            SeriesMarkers.CIRCLE,
            SeriesMarkers.SQUARE,
            SeriesMarkers.TRIANGLE_UP,
            SeriesMarkers.DIAMOND,
            SeriesMarkers.TRIANGLE_DOWN,
            SeriesMarkers.CROSS,
            SeriesMarkers.OVAL);

    /** Index of the cross among the markers. */
    static final int CROSS = 5;

    /** Five colours of viridis from its dark end to its green, equally far apart. */
    private static final int[][] ORDERED = {{68, 1, 84}, {64, 67, 135}, {41, 120, 142}, {34, 167, 132}, {122, 209, 81}};

    /**
     * The first installed family of these; a family by name, since the drawing library searches every installed font for what
     * a logical one stands for.
     */
    private static final String FAMILY = Stream.of(
                    "DejaVu Sans", "Liberation Sans", "Noto Sans", "Arial", "Helvetica", "Verdana")
            .filter(name ->
                    new Font(name, Font.PLAIN, 12).getFamily(Locale.ROOT).equals(name))
            .findFirst()
            .orElse(Font.SANS_SERIF);

    static final Font TITLE = new Font(FAMILY, Font.BOLD, 17);
    static final Font SUBTITLE = new Font(FAMILY, Font.PLAIN, 13);
    static final Font AXIS_TITLE = new Font(FAMILY, Font.PLAIN, 13);
    static final Font TICK = new Font(FAMILY, Font.PLAIN, 12);
    static final Font LABEL = new Font(FAMILY, Font.BOLD, 12);
    static final Font SMALL = new Font(FAMILY, Font.PLAIN, 11);

    /** The font, or the platform's composite one where the text has characters that it lacks. */
    static Font fitting(Font font, String text) {
        return font.canDisplayUpTo(text) < 0 ? font : new Font(Font.SANS_SERIF, font.getStyle(), font.getSize());
    }

    static final BasicStroke HAIR = new BasicStroke(1f);
    static final BasicStroke LINE = new BasicStroke(2f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);
    static final BasicStroke DASHED =
            new BasicStroke(1.6f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 10f, new float[] {7f, 5f}, 0f);

    private static final int BAND_ALPHA = 46;

    private Theme() {}

    /** Colour of the i-th kind; the last is followed by the first. */
    static Color kind(int i) {
        return KINDS.get(i % KINDS.size());
    }

    /** Marker of the i-th kind; it has another period than the colours, so pairs repeat late. */
    static Marker marker(int i) {
        return MARKERS.get(i % MARKERS.size());
    }

    /** Colour of the i-th of n ordered values. */
    static Color ordered(int i, int n) {
        double at = n < 2 ? 0.3 : (double) i / (n - 1);
        return ramp(at);
    }

    /** Colour at 0..1 of the ordered ramp. */
    static Color ramp(double at) {
        double pos = Math.min(1, Math.max(0, at)) * (ORDERED.length - 1);
        int k = Math.min(ORDERED.length - 2, (int) pos);
        double f = pos - k;
        int[] rgb = new int[3];
        for (int c = 0; c < 3; c++) {
            rgb[c] = (int) Math.round(ORDERED[k][c] * (1 - f) + ORDERED[k + 1][c] * f);
        }
        return new Color(rgb[0], rgb[1], rgb[2]);
    }

    /** The colour, darkened until text in it has a contrast of 4.5 to white (WCAG 2 AA). */
    static Color text(Color c) {
        Color dark = c;
        while (1.05 / (luminance(dark) + 0.05) < 4.5) {
            dark = new Color(dark.getRed() * 94 / 100, dark.getGreen() * 94 / 100, dark.getBlue() * 94 / 100);
        }
        return dark;
    }

    private static double luminance(Color c) {
        return 0.2126 * linear(c.getRed()) + 0.7152 * linear(c.getGreen()) + 0.0722 * linear(c.getBlue());
    }

    private static double linear(int channel) {
        double v = channel / 255.0;
        return v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4);
    }

    /** The colour of an interval's band. */
    static Color band(Color c) {
        return new Color(c.getRed(), c.getGreen(), c.getBlue(), BAND_ALPHA);
    }

    /** XChart reduced to what it draws inside the axes: the plot fills the whole canvas and the canvas is transparent. */
    static void bare(XYStyler styler) {
        Color none = new Color(255, 255, 255, 0);
        styler.setChartBackgroundColor(none);
        styler.setPlotBackgroundColor(none);
        styler.setPlotBorderVisible(false);
        styler.setPlotGridLinesVisible(false);
        styler.setChartTitleVisible(false);
        styler.setLegendVisible(false);
        styler.setAxisTicksVisible(false);
        styler.setAxisTitlesVisible(false);
        styler.setPlotMargin(0);
        styler.setChartPadding(0);
        styler.setPlotContentSize(1);
        styler.setXAxisMin(0.0);
        styler.setXAxisMax(1.0);
        styler.setYAxisMin(0.0);
        styler.setYAxisMax(1.0);
        styler.setMarkerSize(7);
        styler.setBaseFont(TICK);
        styler.setChartTitleFont(TITLE);
        styler.setLegendFont(TICK);
        styler.setAxisTitleFont(AXIS_TITLE);
        styler.setAxisTickLabelsFont(TICK);
        styler.setLegendPosition(Styler.LegendPosition.InsideN);
    }
}
