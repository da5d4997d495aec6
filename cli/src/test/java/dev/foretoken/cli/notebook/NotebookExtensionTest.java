package dev.foretoken.cli.notebook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.cli.Notebook;
import dev.foretoken.report.chart.AcceptanceCharts;
import dev.foretoken.report.chart.Plot;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.Column;
import dev.foretoken.report.table.NumberStyle;
import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.util.Base64;
import java.util.List;
import java.util.ServiceLoader;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.dflib.jjava.jupyter.Extension;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import org.dflib.jjava.jupyter.kernel.display.Renderer;
import org.dflib.jjava.jupyter.kernel.display.mime.MIMEType;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

/** What a cell shows for the objects of the library. */
class NotebookExtensionTest {
    private static final String HOSTILE = "<script>alert(1)</script> & \"q\" \u202egnp \\textbf{x} $(rm)";

    private static DisplayData shown(Object value) {
        Renderer renderer = new Renderer();
        new NotebookExtension().register(renderer);
        return renderer.render(value);
    }

    private static Document xml(String fragment) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader("<div>" + fragment + "</div>")));
    }

    @Test
    void theJarNamesTheExtension() {
        assertTrue(ServiceLoader.load(Extension.class).stream().anyMatch(p -> p.type() == NotebookExtension.class));
    }

    @Test
    void aChartIsShownAsPngAndSvg() throws Exception {
        Plot plot = AcceptanceCharts.ranks("ranks", List.of(0.6, 0.2), List.of(0.5, 0.3));
        DisplayData data = shown(plot);
        byte[] png = Base64.getDecoder().decode((String) data.getData(MIMEType.IMAGE_PNG));
        assertTrue(ImageIO.read(new ByteArrayInputStream(png)).getWidth() > 600);
        assertTrue(((String) data.getData(MIMEType.IMAGE_SVG)).startsWith("<svg style=\"max-width"));
        assertEquals(plot.description(), data.getData(MIMEType.TEXT_PLAIN));
    }

    @Test
    void textOfATableIsNeverMarkup() throws Exception {
        Block.Table<String> table = new Block.Table<>(
                HOSTILE,
                List.of(
                        Column.of("name", "", HOSTILE, NumberStyle.TEXT, 10, s -> s),
                        Column.of("n", "tok/s", "n", NumberStyle.RATE, 10, s -> 1.25)),
                List.of(HOSTILE, "plain"),
                List.of(HOSTILE));
        DisplayData data = shown(table);
        String html = (String) data.getData(MIMEType.TEXT_HTML);
        Document document = xml(html);
        assertEquals(0, document.getElementsByTagName("script").getLength());
        assertEquals(4, document.getElementsByTagName("td").getLength());
        assertEquals("n (tok/s)", document.getElementsByTagName("th").item(1).getTextContent());
        assertEquals("1.3", document.getElementsByTagName("td").item(1).getTextContent());
        assertFalse(html.contains("\u202e"), "text that turns its direction is made visible");
        assertNotNull(data.getData(MIMEType.TEXT_PLAIN));
    }

    @Test
    void sentencesAndResultsAndTablesOfTablesawAreShown() throws Exception {
        DisplayData sentences = shown(new Block.Sentences("Why", List.of(HOSTILE, "b")));
        assertEquals(
                2,
                xml((String) sentences.getData(MIMEType.TEXT_HTML))
                        .getElementsByTagName("li")
                        .getLength());
        Table table = Table.create(
                "frame", StringColumn.create("method", "a", "b"), DoubleColumn.create("x", new Double[] {1.5, null}));
        Document frame = xml((String) shown(table).getData(MIMEType.TEXT_HTML));
        assertEquals(4, frame.getElementsByTagName("td").getLength());
        assertEquals("", frame.getElementsByTagName("td").item(3).getTextContent(), "a missing value is not a number");
        var result = Notebook.explore(Notebook.scenarioText(SCENARIO));
        Document best = xml((String) shown(result).getData(MIMEType.TEXT_HTML));
        assertTrue(best.getElementsByTagName("table").getLength() >= 2);
        assertNotNull(shown(Notebook.chart(result, "speedup")).getData(MIMEType.IMAGE_SVG));
    }

    private static final String SCENARIO = """
            schema: foretoken/scenario/1
            engine: {name: sglang}
            methods: [{id: ar, kind: autoregressive}, {id: m, kind: mtp, steps: 2}]
            workloads: [{id: w, isl: 8, osl: 64, acceptance: {per_position: [0.8, 0.5]}}]
            load: [{kind: closed, concurrency: [1, 2]}]
            calibration: {round_times: [{rows: 1, ms: 20}, {rows: 8, ms: 22}]}
            """;
}
