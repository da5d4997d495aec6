package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.foretoken.report.page.PageServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.support.ui.Select;
import org.openqa.selenium.support.ui.WebDriverWait;

/** The what-if page in a browser. */
@Tag("browser")
class ServeBrowserTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static Path folder;

    private static Browser browser;
    private static PageServer server;

    @BeforeAll
    static void start() throws Exception {
        browser = Browser.start();
        server = PageServer.start("127.0.0.1", 0, PageModel.beside(folder.resolve("scenario.yaml")));
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private static void open(int width, boolean dark) {
        browser.open("about:blank", width, dark);
        browser.open(server.url(), width, dark);
        settled();
    }

    /** Waits until the newest settings are answered. */
    private static void settled() {
        new WebDriverWait(browser.driver(), Duration.ofSeconds(60)).until(d -> {
            Object answered = browser.driver()
                    .executeScript(
                            "return document.body.dataset.answered && new Promise(done => setTimeout(() => done(document.body.dataset.answered), 150))");
            return answered != null
                    && answered.equals(browser.driver().executeScript("return document.body.dataset.answered"));
        });
    }

    private static void set(String id, Object value) {
        long before = answered();
        browser.driver()
                .executeScript(
                        "const e = document.getElementById(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('input', {bubbles: true}));",
                        id,
                        String.valueOf(value));
        new WebDriverWait(browser.driver(), Duration.ofSeconds(60)).until(d -> answered() > before);
    }

    private static void choose(String id, String value) {
        long before = answered();
        new Select(browser.driver().findElement(By.id(id))).selectByValue(value);
        new WebDriverWait(browser.driver(), Duration.ofSeconds(60)).until(d -> answered() > before);
        settled();
    }

    private static long answered() {
        Object n = browser.driver().executeScript("return document.body.dataset.answered");
        return n == null ? 0 : Long.parseLong((String) n);
    }

    /** Exact figures that the page shows, by name. */
    private static Map<String, String> figures() {
        Map<String, String> figures = new TreeMap<>();
        for (WebElement e : browser.driver().findElements(By.cssSelector("#figures dd"))) {
            figures.put(e.getDomAttribute("data-figure"), e.getDomAttribute("data-exact"));
        }
        return figures;
    }

    private static void noError() {
        assertFalse(
                browser.driver().findElement(By.id("error")).isDisplayed(),
                () -> browser.driver().findElement(By.id("error")).getText());
    }

    @Test
    void loadsQuietlyAndAsksOnlyItsOwnServer() {
        browser.requests();
        open(1280, false);
        assertEquals(List.of(), browser.console());
        List<String> foreign = browser.requests().stream()
                .filter(u -> !u.startsWith(server.url()) && !u.equals("about:blank"))
                .toList();
        assertEquals(List.of(), foreign);
        noError();
    }

    @Test
    void controlsChangeTheFiguresAndTheFiguresAreTheCommandLines() throws Exception {
        open(1280, false);
        Map<String, String> start = figures();
        for (Object[] change :
                new Object[][] {{"budget", 64}, {"top_k", 4}, {"concurrency", 7}, {"isl", 8}, {"kappa", 0.9}}) {
            Map<String, String> before = figures();
            set((String) change[0], change[1]);
            assertNotEquals(before, figures(), change[0] + " changes nothing");
            noError();
        }
        assertNotEquals(start, figures());
        assertCommandLineAgrees();
        choose("kind", "mtp");
        noError();
        Map<String, String> mtp = figures();
        set("accept-length", 2.4);
        assertNotEquals(mtp, figures());
        assertCommandLineAgrees();
    }

    /** Explores the exported scenario and compares the chosen arm at the chosen concurrency. */
    private static void assertCommandLineAgrees() throws Exception {
        Path scenario = folder.resolve("exported.yaml");
        Files.writeString(scenario, browser.driver().findElement(By.id("yaml")).getText());
        CliRun run = CliRun.of("explore", scenario.toString(), "--json", "--quiet");
        assertEquals(0, run.exit(), run.err());
        Map<String, String> figures = figures();
        boolean found = false;
        for (JsonNode p : JSON.readTree(run.out()).get("points")) {
            found |= p.get("feasible").asBoolean()
                    && !p.get("method").asText().equals("ar")
                    && List.of("output_tok_s", "speedup_vs_ar", "accept_length", "round_ms", "rows_per_round").stream()
                            .allMatch(name -> p.get(name).asDouble() == Double.parseDouble(figures.get(name)))
                    && p.get("tpot_ms").get("mean").asDouble() == Double.parseDouble(figures.get("tpot_ms"))
                    && p.get("ttft_ms").get("mean").asDouble() == Double.parseDouble(figures.get("ttft_ms"));
        }
        assertTrue(found, "no point of the command line has the page's figures: " + figures);
    }

    @Test
    void everyMethodAnswersOrSaysWhyNot() {
        open(1280, false);
        List<String> kinds = new Select(browser.driver().findElement(By.id("kind")))
                .getOptions().stream().map(o -> o.getDomAttribute("value")).toList();
        assertEquals(9, kinds.size());
        for (String kind : kinds) {
            choose("kind", kind);
            boolean failed = browser.driver().findElement(By.id("error")).isDisplayed();
            String said = browser.driver().findElement(By.id("error")).getText();
            assertTrue(!failed || !said.isBlank() && !said.contains("Exception"), kind + ": " + said);
            if (!failed) {
                assertFalse(
                        browser.driver()
                                .findElements(By.cssSelector("#tree circle"))
                                .isEmpty(),
                        kind);
            }
        }
        browser.console();
    }

    @Test
    void badRoundTimesAreExplainedAndGoodOnesUsed() {
        open(1280, false);
        browser.driver().executeScript("document.getElementById('measured').open = true");
        set("knots", "1 20\n64 forty");
        assertTrue(browser.driver().findElement(By.id("error")).getText().contains("64 forty"));
        set("knots", "1 20\n64 40\n4096 700");
        noError();
        assertTrue(browser.driver().findElement(By.id("notes")).getText().contains("black-box"));
    }

    @Test
    void comparesWithAResultFileThatStaysText() throws Exception {
        open(1280, false);
        Path scenario = folder.resolve("mine.yaml");
        Files.writeString(scenario, browser.driver().findElement(By.id("yaml")).getText());
        CliRun run = CliRun.of("explore", scenario.toString(), "--json", "--quiet");
        Path file = folder.resolve("mine.json");
        Files.writeString(file, run.out().replace("\"ar\"", "\"<img src=x onerror=alert(1)>\""));
        browser.driver()
                .findElement(By.id("file"))
                .sendKeys(file.toAbsolutePath().toString());
        new WebDriverWait(browser.driver(), Duration.ofSeconds(20))
                .until(d -> !browser.driver()
                        .findElements(By.cssSelector("#comparison table"))
                        .isEmpty());
        assertEquals(
                0,
                browser.driver().findElements(By.cssSelector("#comparison img")).size());
        Select arm = new Select(browser.driver().findElement(By.id("arm")));
        arm.selectByVisibleText("ddtree, budget 32, top-k 8, TP 1, page");
        List<String> ratios = browser.driver().findElements(By.cssSelector("#comparison tbody td:last-child")).stream()
                .map(WebElement::getText)
                .toList();
        assertEquals(7, ratios.size());
        assertTrue(ratios.stream().allMatch("1.000"::equals), ratios.toString());
        Files.writeString(folder.resolve("no.json"), "[]");
        browser.driver()
                .findElement(By.id("file"))
                .sendKeys(folder.resolve("no.json").toAbsolutePath().toString());
        new WebDriverWait(browser.driver(), Duration.ofSeconds(20))
                .until(d -> browser.driver()
                        .findElement(By.id("comparison"))
                        .getText()
                        .contains("not a result"));
    }

    @Test
    void isAccessibleAndFits() throws Exception {
        for (boolean dark : new boolean[] {false, true}) {
            open(1280, dark);
            assertEquals(List.of(), browser.audit());
        }
        open(390, false);
        assertFalse(browser.scrollsSideways());
        assertEquals(List.of(), browser.audit());
    }

    @Test
    void settingsLiveInTheAddress() {
        open(1280, false);
        set("budget", 48);
        String address = browser.driver().getCurrentUrl();
        Map<String, String> figures = figures();
        browser.open("about:blank", 1280, false);
        browser.driver().get(address);
        settled();
        assertEquals(figures, figures());
    }
}
