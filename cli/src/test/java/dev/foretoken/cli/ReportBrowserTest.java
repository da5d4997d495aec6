package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.foretoken.formats.json.JsonFile;
import dev.foretoken.sim.result.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The page of {@code report} in a browser: of a run, and of the same run with a hostile workload name. */
@Tag("browser")
class ReportBrowserTest {
    private static final String HOSTILE =
            "<script>alert(1)</script>'\"&amp;]]>\u202eevil שלום 漢字 " + "verylong".repeat(60);

    @TempDir
    static Path folder;

    private static Browser browser;
    private static Result result;

    @BeforeAll
    static void start() throws Exception {
        browser = Browser.start();
        Path run = folder.resolve("run");
        Path scenario = folder.resolve("scenario.json");
        try (var in = ReportBrowserTest.class.getResourceAsStream("/reference/scenario.json")) {
            Files.copy(in, scenario);
        }
        assertEquals(
                0,
                CliRun.of("explore", scenario.toString(), "--out", run.toString(), "--no-charts", "--quiet")
                        .exit());
        result = JsonFile.read(run.resolve("result.json"), Result.class, Result.SCHEMA);
        report(run, "plain");
        String name = new ObjectMapper().writeValueAsString(HOSTILE);
        Path hostile = Files.createDirectory(folder.resolve("hostile-run"));
        Files.writeString(
                hostile.resolve("result.json"),
                Files.readString(run.resolve("result.json"))
                        .replaceAll(
                                "\"workload\" ?: ?\"w\"",
                                java.util.regex.Matcher.quoteReplacement("\"workload\": " + name)));
        report(hostile, "hostile");
    }

    private static void report(Path run, String name) {
        CliRun r = CliRun.of(
                "report", run.toString(), "--out", folder.resolve(name).toString(), "--quiet");
        assertEquals(0, r.exit(), r.err());
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
        }
    }

    private static String url(String name) {
        return folder.resolve(name).resolve("report.html").toUri().toString();
    }

    @Test
    void loadsQuietlyAndAsksForNothingElse() {
        for (String name : List.of("plain", "hostile")) {
            browser.requests();
            browser.open(url(name), 1280, false);
            assertEquals(List.of(), browser.console());
            assertTrue(browser.requests().stream().allMatch(u -> u.equals(url(name))));
        }
    }

    @Test
    void hostileNamesAreText() {
        browser.open(url("hostile"), 1280, false);
        assertEquals(1, browser.driver().findElements(By.tagName("script")).size());
        assertTrue(browser.driver().findElement(By.tagName("main")).getText().contains("<script>alert(1)</script>"));
    }

    @Test
    void isAccessibleInLightAndDark() {
        for (boolean dark : new boolean[] {false, true}) {
            browser.open(url("plain"), 1280, dark);
            assertEquals(List.of(), browser.audit());
        }
    }

    @Test
    void fitsAPhone() {
        for (String name : List.of("plain", "hostile")) {
            browser.open(url(name), 390, false);
            assertFalse(browser.scrollsSideways(), name);
        }
    }

    @Test
    void headingsSortByNumberWithTheKeyboard() {
        browser.open(url("plain"), 1280, false);
        List<WebElement> tables = browser.driver().findElements(By.tagName("table"));
        WebElement table = tables.get(tables.size() - 1);
        WebElement button = table.findElement(By.xpath(".//th/button[starts-with(., 'output')]"));
        button.sendKeys(Keys.ENTER);
        assertSorted(table, 1);
        assertEquals("ascending", button.findElement(By.xpath("..")).getDomAttribute("aria-sort"));
        button.sendKeys(Keys.ENTER);
        assertSorted(table, -1);
    }

    private static void assertSorted(WebElement table, int sign) {
        List<?> values = (List<?>) browser.driver()
                .executeScript(
                        "const t = arguments[0], i = [...t.tHead.rows[0].cells].findIndex(c => c.textContent.startsWith('output'));"
                                + "return [...t.tBodies[0].rows].map(r => r.cells[i].dataset.v)",
                        table);
        assertEquals(result.points().size(), values.size());
        for (int i = 1; i < values.size(); i++) {
            double a = Double.parseDouble((String) values.get(i - 1));
            double b = Double.parseDouble((String) values.get(i));
            assertTrue(sign * (b - a) >= 0, a + " before " + b);
        }
    }
}
