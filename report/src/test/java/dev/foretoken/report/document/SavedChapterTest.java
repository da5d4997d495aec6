package dev.foretoken.report.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.report.SampleResults;
import dev.foretoken.report.chart.ExploreCharts;
import dev.foretoken.report.chart.Plot;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.MarkdownTables;
import dev.foretoken.report.table.ResultBlocks;
import dev.foretoken.sim.result.Result;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a command leaves for reports reads back as what people saw. */
class SavedChapterTest {
    private static final String HOSTILE = "a </script><img src=x> \\input{x} $(rm) \u202e {\"";

    @TempDir
    Path folder;

    private final Result result = SampleResults.of(HOSTILE, List.of("code", HOSTILE), List.of(1, 4), List.of(8, 32));
    private final List<Block> blocks = ResultBlocks.of(result, 1000);

    private static String markdown(List<Block> blocks) throws Exception {
        StringBuilder out = new StringBuilder();
        MarkdownTables.write(blocks, out);
        return out.toString();
    }

    @Test
    void tablesSentencesAndChartsComeBackAsTheyWere() throws Exception {
        Map<String, Plot> charts = new LinkedHashMap<>();
        for (ExploreCharts.Named c : ExploreCharts.of(result)) {
            charts.put(String.join(" ", c.name()), c.plot().get());
        }
        assertTrue(charts.size() > 5);
        SavedChapter.of("1", "Backtest", HOSTILE, blocks, charts).write(folder);
        Path file = folder.resolve(SavedChapter.FILE);
        Report.Chapter chapter = SavedChapter.read(file).chapter(file);
        List<Block> back = new ArrayList<>();
        List<Report.Drawing> drawings = new ArrayList<>();
        for (Report.Section s : chapter.sections()) {
            for (Report.Part p : s.parts()) {
                if (p instanceof Report.Data d) {
                    back.add(d.block());
                } else if (p instanceof Report.Drawing d) {
                    drawings.add(d);
                }
            }
        }
        assertEquals(markdown(blocks), markdown(back));
        assertEquals(charts.size(), drawings.size());
        int i = 0;
        for (Plot p : charts.values()) {
            assertEquals(p.svg("x"), drawings.get(i++).plot().svg("x"));
        }
        StringWriter html = new StringWriter();
        HtmlReport.write(new Report("t", "1", List.of(chapter)), html);
        assertFalse(html.toString().contains("<img"));
    }

    @Test
    void whatMakesNoChapterIsRefusedWithItsFile() throws Exception {
        Path file = folder.resolve(SavedChapter.FILE);
        for (String bad : List.of(
                "{\"blocks\": [{\"title\": \"t\", \"columns\": [{\"name\": \"a\", \"unit\": \"\", \"header\": \"a\","
                        + " \"style\": \"text\", \"keep\": 1}], \"rows\": [[1, 2]]}]}",
                "{\"blocks\": [{\"title\": \"t\"}]}",
                "{\"charts\": [{\"name\": \"c\", \"plot\": {\"title\": \"x\"}}]}",
                "{\"charts\": [{\"name\": \"c\"}]}")) {
            Files.writeString(file, "{\"schema\": \"foretoken/chapter/1\", " + bad.substring(1));
            DocumentError e = assertThrows(
                    DocumentError.class, () -> SavedChapter.read(file).chapter(file), bad);
            assertTrue(e.getMessage().contains(SavedChapter.FILE), e.getMessage());
        }
        Files.writeString(file, "{\"schema\": \"foretoken/chapter/2\"}");
        assertThrows(DocumentError.class, () -> SavedChapter.read(file));
    }
}
