package dev.foretoken.report.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.report.Browser;
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

@Tag("browser")
class HtmlReportBrowserTest {
    @TempDir
    static Path folder;

    private static Browser browser;

    @BeforeAll
    static void start() throws Exception {
        browser = Browser.start();
        Files.writeString(folder.resolve("plain.html"), Reports.html(Reports.of(Reports.PLAIN)));
        Files.writeString(folder.resolve("hostile.html"), Reports.html(Reports.of(Reports.HOSTILE)));
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
        }
    }

    private static String url(String name) {
        return folder.resolve(name).toUri().toString();
    }

    @Test
    void loadsQuietlyAndAsksForNothingElse() {
        for (String name : List.of("plain.html", "hostile.html")) {
            browser.requests();
            browser.open(url(name), 1280, false);
            assertEquals(List.of(), browser.console());
            assertTrue(browser.requests().stream().allMatch(u -> u.equals(url(name))));
        }
    }

    @Test
    void isAccessibleInLightAndDark() {
        for (boolean dark : new boolean[] {false, true}) {
            browser.open(url("plain.html"), 1280, dark);
            assertEquals(List.of(), browser.audit());
        }
    }

    @Test
    void fitsAPhone() {
        for (String name : List.of("plain.html", "hostile.html")) {
            browser.open(url(name), 390, false);
            assertFalse(browser.scrollsSideways(), name);
        }
    }

    @Test
    void headingsSortByNumberWithTheKeyboard() {
        browser.open(url("plain.html"), 1280, false);
        WebElement table = browser.driver()
                .findElements(By.tagName("table"))
                .get(browser.driver().findElements(By.tagName("table")).size() - 1);
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
        assertEquals(Reports.PLAIN.points().size(), values.size());
        for (int i = 1; i < values.size(); i++) {
            double a = Double.parseDouble((String) values.get(i - 1));
            double b = Double.parseDouble((String) values.get(i));
            assertTrue(sign * (b - a) >= 0, a + " before " + b);
        }
    }
}
