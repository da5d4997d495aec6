package dev.foretoken.report.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.report.SampleResults;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import java.io.StringReader;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVRecord;
import org.junit.jupiter.api.Test;

class ResultPrinterTest {
    private static final String HOSTILE = "=a\"|b\n<img src=x>\u001b[31m\u202e$(rm)`,;_*";

    private final Result small =
            SampleResults.of("two | workloads", List.of("code", "prose"), List.of(1), List.of(8, 32));

    private static String text(Result result, int width, boolean colour) throws Exception {
        StringBuilder out = new StringBuilder();
        ResultPrinter.text(result, new TextTables(width, colour), ResultPrinter.MOST_TEXT_ROWS, out);
        return out.toString();
    }

    private static List<CSVRecord> csv(Result result) throws Exception {
        StringBuilder out = new StringBuilder();
        ResultPrinter.csv(result, out);
        return CSVFormat.RFC4180
                .builder()
                .setHeader()
                .setSkipHeaderRecord(true)
                .get()
                .parse(new StringReader(out.toString()))
                .getRecords();
    }

    @Test
    void textKeepsWithinItsWidthAndHasEveryPart() throws Exception {
        for (int width : new int[] {80, 120, 200}) {
            String text = text(small, width, false);
            text.lines().forEach(l -> assertTrue(SafeText.width(l) <= width, l));
        }
        String text = text(small, 120, false);
        for (String part : List.of(
                "Best",
                "Switch table",
                "Crossover",
                "Goodput",
                "Grid",
                "Launch flags",
                "Rests on",
                "Notes",
                "Warnings")) {
            assertTrue(text.lines().anyMatch(l -> l.startsWith(part)), part);
        }
        assertFalse(text.contains("\u001b"));
        assertTrue(text(small, 120, true).contains("\u001b[1mBest\u001b[0m"));
    }

    @Test
    void largeGridsShowTheBestArmsAndSayHowToSeeAll() throws Exception {
        Result large = SampleResults.of(
                "large",
                List.of("code"),
                List.of(1),
                IntStream.rangeClosed(1, 60).boxed().toList());
        String text = text(large, 120, false);
        assertTrue(text.contains("best arm of each method of 854 points"), text);
        assertTrue(text.lines().count() < 100);
        assertEquals(854, csv(large).size());
    }

    @Test
    void csvGivesEveryFigureBackExactly() throws Exception {
        List<CSVRecord> rows = csv(small);
        assertEquals(small.points().size(), rows.size());
        for (int i = 0; i < rows.size(); i++) {
            Point p = small.points().get(i);
            CSVRecord row = rows.get(i);
            assertEquals(p.method(), row.get("method"));
            assertEquals(p.outputTokS(), Double.valueOf(row.get("output_tok_s")));
            assertEquals(p.tpotMs().mean(), Double.valueOf(row.get("tpot_ms_mean")));
            assertEquals(p.termsMs().get("target"), Double.valueOf(row.get("terms_ms_target")));
            assertEquals("", row.get("tpot_ms_p95"));
            assertEquals(p.budget() == null ? "" : p.budget().toString(), row.get("budget"));
        }
        Set<String> names =
                PointColumns.of(List.of()).stream().map(Column::name).collect(Collectors.toSet());
        assertTrue(names.containsAll(rows.get(0).toMap().keySet()));
    }

    @Test
    void everyComponentOfAPointHasAColumn() {
        Set<String> names =
                PointColumns.of(small.points()).stream().map(Column::name).collect(Collectors.toSet());
        Set<String> maps = Set.of("variant", "parameters");
        for (RecordComponent c : Point.class.getRecordComponents()) {
            String name = c.getName()
                    .replaceAll("([a-z])([A-Z])", "$1_$2")
                    .replaceAll("([A-Z])([A-Z])", "$1_$2")
                    .toLowerCase(Locale.ROOT);
            assertTrue(
                    maps.contains(name) || names.stream().anyMatch(n -> n.equals(name) || n.startsWith(name + "_")),
                    "no column for " + name);
        }
        assertEquals(names.size(), PointColumns.of(small.points()).size());
    }

    @Test
    void hostileNamesStayInTheirCell() throws Exception {
        Result hostile = SampleResults.of(HOSTILE, List.of(HOSTILE), List.of(1), List.of(8));
        assertFalse(text(hostile, 120, false).contains("\u001b"));
        assertFalse(text(hostile, 120, false).contains("\u202e"));
        assertEquals(HOSTILE, csv(hostile).get(0).get("workload"));
        StringBuilder md = new StringBuilder();
        ResultPrinter.markdown(hostile, md);
        assertFalse(md.toString().contains("<img"));
        List<String> rows = md.substring(md.indexOf("# Grid"))
                .lines()
                .filter(l -> l.startsWith("| "))
                .toList();
        int cells = cells(rows.get(0));
        for (int i = 1; i <= hostile.points().size(); i++) {
            assertEquals(cells, cells(rows.get(i)), rows.get(i));
        }
    }

    private static int cells(String row) {
        return Arrays.stream(row.split("(?<!\\\\)\\|")).toList().size();
    }
}
