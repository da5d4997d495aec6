package dev.foretoken.cli;

import com.deque.html.axecore.results.Results;
import com.deque.html.axecore.results.Rule;
import com.deque.html.axecore.selenium.AxeBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A headless Chromium of the system for tests tagged {@code browser}; they are skipped where it is not installed. */
final class Browser implements AutoCloseable {
    private static final Pattern REQUEST =
            Pattern.compile("\"method\":\"Network.requestWillBeSent\".*?\"request\":\\{.*?\"url\":\"([^\"]*)\"");

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Starts it, or skips the test. */
    public static Browser start() {
        Path chromium = find("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
        Path chromedriver = find("/usr/bin/chromedriver", "/usr/lib/chromium/chromedriver");
        Assumptions.assumeTrue(
                chromium != null && chromedriver != null,
                "chromium or chromedriver is not installed: pages are not tried");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium.toString());
        options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage");
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver.toFile())
                .build();
        return new Browser(new ChromeDriver(service, options));
    }

    private static Path find(String... places) {
        return Stream.of(places)
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    /** The driver, for what a page needs. */
    public ChromeDriver driver() {
        return driver;
    }

    /** Shows a page at a width in CSS pixels, light or dark. */
    public void open(String url, int width, boolean dark) {
        driver.manage().window().setSize(new Dimension(Math.max(500, width), 900));
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", false));
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
        driver.get(url);
    }

    /** Warnings and errors of the page's console since the last call. */
    public List<String> console() {
        List<String> lines = new ArrayList<>();
        for (LogEntry e : driver.manage().logs().get(LogType.BROWSER)) {
            if (e.getLevel().intValue() >= Level.WARNING.intValue()) {
                lines.add(e.getMessage());
            }
        }
        return lines;
    }

    /** Addresses asked for since the last call. */
    public List<String> requests() {
        List<String> urls = new ArrayList<>();
        for (LogEntry e : driver.manage().logs().get(LogType.PERFORMANCE)) {
            Matcher m = REQUEST.matcher(e.getMessage());
            if (m.find()) {
                urls.add(m.group(1));
            }
        }
        return urls;
    }

    /** Serious and critical findings of an accessibility audit (axe-core, WCAG 2 A and AA among its rules). */
    public List<String> audit() {
        Results results = new AxeBuilder().analyze(driver);
        List<String> findings = new ArrayList<>();
        for (Rule r : results.getViolations()) {
            if (List.of("serious", "critical").contains(r.getImpact())) {
                findings.add(r.getId() + ": " + r.getHelp() + " at "
                        + r.getNodes().stream()
                                .limit(3)
                                .map(n -> n.getHtml() + " " + n.getTarget())
                                .toList());
            }
        }
        return findings;
    }

    /** True when the page is wider than the window. */
    public boolean scrollsSideways() {
        return (Boolean) driver.executeScript(
                "return document.documentElement.scrollWidth > document.documentElement.clientWidth + 1");
    }

    /** What the window shows, as a PNG. */
    public void screenshot(Path file) throws java.io.IOException {
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
