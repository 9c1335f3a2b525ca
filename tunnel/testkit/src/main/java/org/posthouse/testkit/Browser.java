package org.posthouse.testkit;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.SessionNotCreatedException;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.chromium.ChromiumDriverLogLevel;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.os.ExecutableFinder;
import org.openqa.selenium.support.ui.WebDriverWait;

/**
 * A Chromium without a window, with one page: registered as an extension in a static field, it is there for all tests of the
 * class, each of which begins with a screen of {@value #WIDTH} pixels. On a machine without one the class is skipped.
 */
public final class Browser implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int WIDTH = 1280;
    private static final int HEIGHT = 900;

    /** For all that browser and driver write. */
    private Path folder;

    private ChromeDriver driver;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        ExecutableFinder path = new ExecutableFinder();
        String chromium = Stream.of("chromium", "chromium-browser", "google-chrome").map(path::find).filter(Objects::nonNull).findFirst().orElse(null);
        assumeTrue(chromium != null, "no Chromium on the PATH");
        String chromedriver = path.find("chromedriver");
        assumeTrue(chromedriver != null, "no chromedriver on the PATH");

        folder = Files.createTempDirectory("browser");
        ChromeOptions options = new ChromeOptions()
                .setBinary(chromium)
                .addArguments("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir=" + folder.resolve("profile"))
                // It would ask its maker for news: no name but this machine's leads anywhere.
                .addArguments("--disable-component-update", "--dns-prefetch-disable",
                        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1");
        if (System.getProperty("user.name").equals("root")) {
            options.addArguments("--no-sandbox");
        }
        driver = start(new File(chromedriver), options);
    }

    /** A browser that ends while it starts says why in its driver's log only: the log is shown, and it is tried once more. */
    private ChromeDriver start(File chromedriver, ChromeOptions options) throws IOException {
        Path log = folder.resolve("driver.log");
        try {
            return new ChromeDriver(service(chromedriver, log), options);
        } catch (SessionNotCreatedException e) {
            System.err.println("The browser did not start: " + e.getMessage() + "\n" + Files.readString(log));
            return new ChromeDriver(service(chromedriver, log), options);
        }
    }

    private ChromeDriverService service(File chromedriver, Path log) {
        String home = folder.toString();
        // Chromium makes a socket in it, whose path may have 107 characters: a checkout is named by this process's folder.
        Path here = Path.of("").toAbsolutePath();
        String tmp = Path.of("/proc", Long.toString(ProcessHandle.current().pid()), "cwd").resolve(here.relativize(folder.toAbsolutePath())).toString();
        return new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver)
                .withLogFile(log.toFile())
                .withLogLevel(ChromiumDriverLogLevel.INFO)
                .withEnvironment(Map.of("HOME", home, "TMPDIR", tmp, "XDG_CONFIG_HOME", home, "XDG_CACHE_HOME", home))
                .build();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        resize(WIDTH);
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        if (driver != null) {
            driver.quit();
        }
        if (folder != null) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /** The screen: a window may not be narrower than 500. */
    public void resize(int width) {
        driver.executeCdpCommand("Emulation.setDeviceMetricsOverride", Map.of("width", width, "height", HEIGHT, "deviceScaleFactor", 1, "mobile", false));
    }

    /** @param preferred light or dark */
    public void scheme(String preferred) {
        driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", preferred))));
    }

    /** Writes what is seen of the page, as PNG. */
    public void picture(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    }

    public void open(String url) {
        driver.get(url);
    }

    /** Opens a page that runs a script before its own, once. */
    public void open(String url, String before) {
        Object script = driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", before)).get("identifier");
        driver.get(url);
        driver.executeCdpCommand("Page.removeScriptToEvaluateOnNewDocument", Map.of("identifier", script));
    }

    /** Moves the pointer to a place in an element, from its top left corner, and turns the wheel there. */
    public void wheel(String selector, int x, int y, int by) {
        Map<?, ?> box = (Map<?, ?>) run("const box = document.querySelector('" + selector + "').getBoundingClientRect(); return {x: box.x, y: box.y}");
        driver.executeCdpCommand("Input.dispatchMouseEvent", Map.of("type", "mouseMoved", "x", number(box, "x") + x, "y", number(box, "y") + y));
        if (by != 0) {
            driver.executeCdpCommand("Input.dispatchMouseEvent",
                    Map.of("type", "mouseWheel", "x", number(box, "x") + x, "y", number(box, "y") + y, "deltaX", 0, "deltaY", by));
        }
    }

    private static double number(Map<?, ?> box, String name) {
        return ((Number) box.get(name)).doubleValue();
    }

    public List<WebElement> all(String selector) {
        return driver.findElements(By.cssSelector(selector));
    }

    /** The text of all that are selected, each on one line; {@code "; "} between them. */
    public String text(String selector) {
        return all(selector).stream().map(found -> found.getText().replaceAll("\\s+", " ").strip()).collect(joining("; "));
    }

    /** What a function's body returns. */
    public Object run(String script) {
        return driver.executeScript(script);
    }

    /** Keys to the element that has the focus, one after the other. */
    public void press(CharSequence... keys) {
        for (CharSequence key : keys) {
            driver.switchTo().activeElement().sendKeys(key);
        }
    }

    public String tab() {
        return driver.getWindowHandle();
    }

    /** Opens a page in another tab, and turns to it. */
    public void openTab(String url) {
        driver.switchTo().newWindow(WindowType.TAB);
        driver.get(url);
    }

    public void closeOtherTabs(String kept) {
        for (String tab : driver.getWindowHandles()) {
            if (!tab.equals(kept)) {
                driver.switchTo().window(tab).close();
            }
        }
        driver.switchTo().window(kept);
    }

    /** What the browser has written to its console since this was asked last. */
    public List<String> log() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream().map(LogEntry::getMessage).toList();
    }

    /** Until a changing page shows what is wanted. */
    public <T> void await(String what, Supplier<T> seen, T wanted) {
        new WebDriverWait(driver, PATIENCE)
                .ignoring(StaleElementReferenceException.class)
                .withMessage(() -> what + ": wanted " + wanted + ", last seen " + seen.get())
                .until(page -> seen.get().equals(wanted));
    }
}
