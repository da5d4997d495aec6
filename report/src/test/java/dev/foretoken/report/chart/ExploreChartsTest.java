package dev.foretoken.report.chart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.report.SampleResults;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

class ExploreChartsTest {
    private static final String HOSTILE = "<script>&\"'\u202e\u0000]]> ../../x $(touch y) " + "long".repeat(80);

    @TempDir
    Path folder;

    @Test
    void writesEachChartAsPngAndSvgAndNothingElse() throws Exception {
        Result result = SampleResults.of("two", List.of("code", "prose"), List.of(1, 4), List.of(8, 16, 32));
        List<Long> told = new ArrayList<>();
        List<Path> files = ExploreCharts.write(result, folder, told::add);
        assertEquals(2 * (2 * 2 * 4 + 1), files.size());
        assertEquals(files.size() / 2, told.get(told.size() - 1));
        try (var listed = Files.list(folder)) {
            assertEquals(files.size(), listed.count());
        }
        for (Path f : files) {
            if (f.toString().endsWith(".png")) {
                BufferedImage image = ImageIO.read(f.toFile());
                assertEquals(1440, image.getWidth());
                assertEquals(Color.WHITE.getRGB(), image.getRGB(2, 2));
            } else {
                assertNotEquals(
                        "",
                        parse(Files.readString(f))
                                .getElementsByTagName("title")
                                .item(0)
                                .getTextContent());
            }
        }
    }

    @Test
    void hostileNamesChangeNeitherFileNamesNorMarkup() throws Exception {
        Result result = SampleResults.of(HOSTILE, List.of(HOSTILE), List.of(1), List.of(8, 16));
        for (Path f : ExploreCharts.write(result, folder, n -> {})) {
            assertEquals(folder, f.getParent());
            assertTrue(f.getFileName().toString().matches("[a-z0-9.-]{1,120}"), f.toString());
            if (f.toString().endsWith(".svg")) {
                Document svg = parse(Files.readString(f));
                assertEquals(0, svg.getElementsByTagName("script").getLength());
            }
        }
    }

    @Test
    void svgIsTheSameEachTimeAndItsIdsCarryTheName() throws Exception {
        Result result = SampleResults.of("one", List.of("code"), List.of(1), List.of(8, 16));
        Plot plot = ExploreCharts.of(result).get(0).plot().get();
        assertEquals(plot.svg("a"), plot.svg("a"));
        assertTrue(plot.svg("a").contains("id=\"a-clip0\""), plot.svg("a"));
        assertFalse(plot.svg("b").contains("\"a-"));
    }

    @Test
    void frontKeepsWhatNothingBeatsInBoth() {
        List<Point> points = SampleResults.of("one", List.of("code"), List.of(1), List.of(8, 64))
                .points();
        List<Point> front = ExploreCharts.front(points);
        assertFalse(front.isEmpty());
        for (Point kept : front) {
            assertTrue(points.stream()
                    .noneMatch(p -> p.outputTokS() > kept.outputTokS()
                            && p.tpotMs().mean() < kept.tpotMs().mean()));
        }
        for (Point p : points) {
            assertTrue(front.stream()
                    .anyMatch(k -> k.outputTokS() >= p.outputTokS()
                            && k.tpotMs().mean() <= p.tpotMs().mean()));
        }
    }

    @Test
    void labelsReadOnWhite() {
        for (int i = 0; i < 7; i++) {
            for (Color c : List.of(Theme.text(Theme.kind(i)), Theme.text(Theme.ordered(i, 7)))) {
                assertTrue(c.getRed() < 200 && c.getGreen() < 200);
            }
        }
    }

    private static Document parse(String xml) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
    }
}
