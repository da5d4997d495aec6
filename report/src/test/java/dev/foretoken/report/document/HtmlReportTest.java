package dev.foretoken.report.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.report.Hostile;
import dev.foretoken.report.table.NumberStyle;
import dev.foretoken.report.table.SafeText;
import dev.foretoken.sim.result.Best;
import dev.foretoken.sim.result.Point;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;

class HtmlReportTest {
    @Test
    void needsNothingFromElsewhere() throws Exception {
        Document page = Jsoup.parse(Reports.html(Reports.of(Reports.PLAIN)));
        for (Element e : page.select("[src], [href], [action], [xlink:href]")) {
            assertTrue(e.attr("href").startsWith("#"), e.outerHtml());
        }
        assertEquals(1, page.select("script").size());
        assertTrue(page.select("meta[http-equiv]").attr("content").startsWith("default-src 'none'"));
        assertFalse(page.html().replace("http://www.w3.org/2000/svg", "").contains("http://"));
        assertFalse(page.html().contains("https://"));
    }

    @Test
    void everyFigureOfThePointsIsInThePage() throws Exception {
        Document page = Jsoup.parse(Reports.html(Reports.of(Reports.PLAIN)));
        Element grid = page.select("table").last();
        List<Element> rows = grid.select("tbody tr");
        assertEquals(Reports.PLAIN.points().size(), rows.size());
        List<String> heads = grid.select("thead th button").eachText();
        int output = heads.indexOf("output tok/s");
        for (int i = 0; i < rows.size(); i++) {
            Point p = Reports.PLAIN.points().get(i);
            Element cell = rows.get(i).child(output);
            assertEquals(p.outputTokS(), Double.valueOf(cell.attr("data-v")));
            assertEquals(NumberStyle.RATE.show(p.outputTokS()), cell.text());
        }
        Best best = Reports.PLAIN.best().get(0);
        assertTrue(page.text().contains("gives " + NumberStyle.RATE.show(best.outputTokS()) + " tok/s"));
    }

    @Test
    void idsAreUniqueAndLinksFindThem() throws Exception {
        Document page = Jsoup.parse(Reports.html(Reports.of(Reports.PLAIN)));
        Set<String> ids = new HashSet<>();
        for (Element e : page.select("[id]")) {
            assertTrue(ids.add(e.id()), "twice: " + e.id());
        }
        for (Element a : page.select("a[href]")) {
            assertTrue(ids.contains(a.attr("href").substring(1)), a.outerHtml());
        }
        for (Element e : page.select("[aria-labelledby]")) {
            for (String id : e.attr("aria-labelledby").split(" ")) {
                assertTrue(ids.contains(id), id);
            }
        }
    }

    @Test
    void hostileNamesStayText() throws Exception {
        Document page = Jsoup.parse(Reports.html(Reports.of(Reports.HOSTILE)));
        assertEquals(1, page.select("script").size());
        assertEquals(SafeText.visible(Hostile.NAME), page.select("h1").first().wholeText());
        assertFalse(page.html().contains("\u202e"));
        assertFalse(page.html().contains("\u001b"));
        assertEquals(
                Reports.HOSTILE.points().size(),
                page.select("table").last().select("tbody tr").size());
    }
}
