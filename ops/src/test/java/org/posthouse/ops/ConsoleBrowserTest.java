package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page in a real browser: what a person sees and presses. */
@Timeout(120)
class ConsoleBrowserTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    @Test
    void aLinksRowShowsItsLanesAndStreamsWhenItIsPressed() throws Exception {
        try (OpsFixture ops = new OpsFixture(); Browser browser = Browser.start(folder)) {
            browser.open(ops.uri("/").toString(), 1280);
            awaitToggles(browser);
            assertThat(text(browser, "[...document.querySelectorAll('.toggle')].map(b => b.innerText).join('; ')"))
                    .isEqualTo("2 of 3 lanes, 2 streams; 0 lanes, 0 streams");
            assertThat(text(browser, "document.querySelectorAll('.both').length")).isEqualTo("0");
            press(browser);
            await().atMost(PATIENCE).until(() -> rows(browser, 0).equals("0 up via orsay 41 B 42 B 43 B; 1 up via rennes-b 44 B 45 B 46 B; 7 down 47 B 48 B 0 B"));
            assertThat(rows(browser, 1)).isEqualTo("2 open 51 B 52 B 53 in 54 out");
            assertThat(text(browser, "document.querySelector('.toggle').ariaExpanded")).isEqualTo("true");

            RelaySnapshot before = ops.relay.snapshot;
            LinkView first = before.links().getFirst();
            ops.relay.snapshot = Scenes.withLinks(before, List.of(before.links().getLast(), first));
            await().atMost(PATIENCE).until(() -> text(browser, "[...document.querySelectorAll('.toggle')].map(b => b.ariaExpanded).join()").equals("false,true"));
            assertThat(rows(browser, 1)).as("it stays open where it moves").isEqualTo("2 open 51 B 52 B 53 in 54 out");
            browser.run("document.querySelectorAll('.toggle')[1].click()");
            await().atMost(PATIENCE).until(() -> text(browser, "document.querySelectorAll('.both').length").equals("0"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1280, 400})
    void lanesAndStreamsFitTheWidth(int width) throws Exception {
        try (OpsFixture ops = new OpsFixture(); Browser browser = Browser.start(folder)) {
            browser.open(ops.uri("/").toString(), width);
            awaitToggles(browser);
            press(browser);
            await().atMost(PATIENCE).until(() -> !rows(browser, 1).isEmpty());
            assertThat(text(browser, "[document.documentElement, ...document.querySelectorAll('.both .scroll')].map(e => e.scrollWidth - e.clientWidth).join()"))
                    .as("pixels that are to be scrolled to").isEqualTo("0,0,0");
        }
    }

    private static void awaitToggles(Browser browser) {
        await().atMost(PATIENCE).until(() -> text(browser, "document.querySelectorAll('.toggle').length").equals("2"));
    }

    private static void press(Browser browser) throws IOException {
        browser.run("document.querySelector('.toggle').click()");
    }

    /** The rows of one of the tables that were opened, without rates, which come and go. */
    private static String rows(Browser browser, int table) throws IOException {
        return text(browser, "[...(document.querySelectorAll('.both table')[" + table + "]?.tBodies[0].rows ?? [])]"
                + ".map(row => row.innerText.replace(/[0-9.]+ [KMG]?i?B\\/s/g, '').replace(/\\s+/g, ' ').trim()).join('; ')");
    }

    private static String text(Browser browser, String script) throws IOException {
        return browser.run(script).asText();
    }
}
