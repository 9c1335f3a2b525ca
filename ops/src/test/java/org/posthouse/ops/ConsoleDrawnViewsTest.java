package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RelayEvent;
import org.posthouse.testkit.Browser;

/** Matrix, timeline, waits and events, given known answers of the API: {@code console-stub.js}. In a real browser, that is the class's. */
@Timeout(120)
class ConsoleDrawnViewsTest {
    private static final String JOB = "/jobs/" + Scenes.JOB;

    @RegisterExtension
    private static final Browser browser = new Browser();

    private static String stub;

    @BeforeAll
    static void start() throws IOException {
        try (InputStream in = ConsoleDrawnViewsTest.class.getResourceAsStream("console-stub.js")) {
            stub = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void theMatrixTellsACellByPointerAndKeyboard() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri(JOB + "/matrix").toString(), "window.stubSize = 4;" + stub);
            browser.await("the sums", () -> browser.text(".facts-grid dd"), "21,000 0 % between sites; 16.0 MiB 0 % between sites; 12 of 16");
            double side = ((Number) browser.run("return document.querySelector('rank-matrix').side")).doubleValue();
            browser.wheel("rank-matrix", (int) (38 + side / 8), (int) (22 + side * 3 / 8), 0);
            browser.await("row 1, column 0", () -> browser.text(".readout"), "rank 1 (rennes) to rank 0 (rennes): 2,000 messages, 1.53 MiB");
            browser.run("document.querySelector('rank-matrix').focus()");
            browser.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_RIGHT);
            browser.await("row 3, column 1", () -> browser.text(".readout"), "rank 3 (rennes) to rank 1 (rennes): nothing");
            assertThat(browser.text(".split tbody tr")).startsWith("3 0 4,000 3.05 MiB; 3 2 4,000 3.05 MiB; 2 3 3,000");
            assertThat(browser.run("""
                    const canvas = document.querySelector('rank-matrix canvas');
                    const each = document.querySelector('rank-matrix').side / 4;
                    const colour = (row, column) => canvas.getContext('2d').getImageData(38 + (column + 0.5) * each, 22 + (row + 0.5) * each, 1, 1).data.join();
                    return colour(1, 0) !== colour(0, 2) && colour(0, 2) === colour(1, 3)"""))
                    .as("a cell with traffic is painted, and those without are alike").isEqualTo(true);
        }
    }

    @Test
    void theMatrixSaysWhoDidNotAnswer() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri(JOB + "/matrix").toString(), "window.stubMissing = ['orsay-a'];" + stub);
            browser.await("the notice", () -> browser.text("main section .notice"), "Not all is shown: orsay-a did not answer.");
        }
    }

    /** From the text of an overview and of fifty events to the place of everything on the page, at best: others use the machine too. */
    @Test
    @Tag("long")
    void fiveHundredRanksAreDrawnInTime() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            ops.relay.snapshot = Scenes.relay("rennes", "rennes-a", 1, List.of(new JobStatus(Scenes.JOB, "demo.Ring", 512, "process", "restart", "RUNNING", 1,
                    Scenes.busyRanks(0, 512, "rennes", "rennes-a", new Random(7)), 0, "", 0, 0, "", 0, 0)));
            for (String view : List.of("/", "/events", JOB, JOB + "/matrix", JOB + "/timeline", JOB + "/waits")) {
                browser.open(ops.uri(view).toString(), "window.stubSize = 512;" + stub);
                browser.await(view, () -> browser.all(".job, .filters, tr:nth-child(64), rank-matrix canvas, rank-timeline canvas, .waits").isEmpty(), false);
                double took = ((Number) browser.run("""
                        const page = document.querySelector('posthouse-console');
                        const painted = document.querySelector('rank-matrix, rank-timeline');
                        const events = (at) => Array.from({ length: 50 }, (_, i) => ({
                          id: at + i, at, relay: 'rennes-a', kind: 'RANK_RESTARTED', job: '1f4c9ae02b77d310', rank: i, text: `rank ${i} was started again` }));
                        return (async () => {
                          const heard = await (await fetch('/api/v1/grid')).json();
                          const times = [];
                          for (let i = 1; i <= 9; i += 1) {
                            for (const rank of heard.jobs[0].ranks) rank.messagesSent += i * rank.rank;
                            const at = heard.at + i * 1000;
                            const texts = [{ ...heard, at }, events(at)].map((value) => JSON.stringify(value));
                            page.poller.value &&= { ...page.poller.value };
                            const begin = performance.now();
                            page.overview(JSON.parse(texts[0]));
                            page.log(JSON.parse(texts[1]));
                            await page.updateComplete;
                            painted?.paintNow();
                            document.body.getBoundingClientRect();
                            times.push(performance.now() - begin);
                          }
                          return Math.min(...times);
                        })()""")).doubleValue();
                System.out.println("512 ranks, 50 events a second: " + view + " takes " + took + " ms");
                assertThat(took).as("ms for %s, at best", view).isLessThan(50);
            }
        }
    }

    @Test
    void theTimelineZoomsByWheelAndKeyboard() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri(JOB + "/timeline").toString(), "window.stubSize = 8;" + stub);
            browser.await("the lanes", () -> browser.all("rank-timeline canvas").size(), 1);
            browser.await("the marks", () -> browser.text("caption"), "Marks; Waits");
            browser.wheel("rank-timeline", 600, 80, 0);
            browser.await("the readout", () -> browser.text(".readout").matches("rank 1, .*: [0-9,]+ sent, [0-9,]+ delivered"), true);
            assertThat(browser.run("""
                    const canvas = document.querySelector('rank-timeline canvas');
                    const lane = document.querySelector('rank-timeline').lane;
                    const colour = (y) => canvas.getContext('2d').getImageData(100, 24 + y, 1, 1).data.join();
                    return new Set([colour(lane / 2 - 2), colour(lane / 2 + 2), colour(1)]).size"""))
                    .as("colours of what was sent, what was delivered, and the ground").isEqualTo(3L);
            browser.wheel("rank-timeline", 600, 80, -240);
            browser.await("a part", () -> span() < 299_000, true);
            long part = span();
            browser.run("document.querySelector('rank-timeline').focus()");
            browser.press("+");
            browser.await("a smaller part", () -> span() < part, true);
            browser.press(Keys.ARROW_DOWN);
            browser.await("the next rank", () -> browser.text(".readout").startsWith("rank 2, "), true);
            browser.press("0");
            browser.await("all", () -> span(), 300_000L);
        }
    }

    @Test
    void cyclesAreToldAndMarked() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri(JOB + "/waits").toString(), stub);
            browser.await("the cycles", () -> browser.text("main section .notice"),
                    "A cycle: rank 0 → rank 1 → rank 0. Each waits for the next, so none can go on.; "
                            + "A cycle: rank 4 → rank 6 → rank 9 → rank 4. Each waits for the next, so none can go on.");
            assertThat(browser.all(".waits .wait.cycle")).hasSize(5);
            assertThat(browser.all(".waits .wait.plain")).hasSize(4);
            assertThat(browser.text(".waits .stuck text")).isEqualTo("0; 1; 4; 6; 9");
            assertThat(browser.text("tbody tr:nth-child(6) td:last-child")).isEqualTo("any of ranks 0, 1");
        }
    }

    @Test
    void outputIsFilteredAndTheFilterIsInTheAddress() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri(JOB + "/output?rank=3").toString(), "window.stubSize = 4;" + stub);
            browser.await("those of the address", () -> browser.text("#output-title"), "Output 15 lines");
            assertThat(browser.run("return outputAsked")).isEqualTo("/api/v1/jobs/" + Scenes.JOB + "/output?lines=500&rank=3");
            browser.run("const text = document.querySelector('[name=search]'); text.value = 'WARN'; text.dispatchEvent(new Event('input'))");
            browser.await("those with the text", () -> browser.text(".printed .text mark"), "WARN; WARN");
            assertThat(browser.run("return location.search")).isEqualTo("?rank=3&search=WARN");
            assertThat(browser.text(".printed .rank")).isEqualTo("3 err; 3 err");
            browser.run("const text = document.querySelector('[name=search]'); text.value = 'absent'; text.dispatchEvent(new Event('input'))");
            browser.await("none", () -> browser.text(".empty"), "No line matches Another rank or text may.");
        }
    }

    @Test
    void outputFollowsItsEndUntilSomebodyReadsWhatIsAbove() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri(JOB + "/output").toString(), stub);
            browser.await("the lines", () -> browser.all(".printed").size(), 60);
            String fromEnd = "const lines = document.querySelector('.output'); return lines.scrollHeight - lines.scrollTop - lines.clientHeight < 2";
            browser.await("the end", () -> browser.run(fromEnd), true);
            browser.run("document.querySelector('.output').scrollTop = 0");
            browser.await("no longer followed", () -> browser.run("return document.querySelector('[name=follow]').checked"), false);
            browser.run("document.querySelector('posthouse-console').requestUpdate()");
            assertThat(browser.run("return document.querySelector('.output').scrollTop")).isEqualTo(0L);
            browser.all("[name=follow]").getFirst().click();
            browser.await("the end again", () -> browser.run(fromEnd), true);
        }
    }

    @Test
    void outputIsShownWhenTheSecretIs() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri(JOB + "/output").toString(), "window.stubSecret = 'abc';" + stub);
            browser.await("the refusal", () -> browser.text("main section .notice"), "user 65534 shows no secret");
            assertThat(browser.all(".printed")).isEmpty();
            browser.all(".proof [name=secret]").getFirst().sendKeys("abc" + Keys.ENTER);
            browser.await("the lines", () -> browser.all(".printed").size(), 60);
            browser.run("sessionStorage.clear()");
        }
    }

    @Test
    void eventsAreFilteredAndTheFilterIsInTheAddress() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/events?kind=RANK_LOST").toString(), stub);
            browser.await("those of the address", () -> browser.text("#events-title"), "Events 2 of 11 events");
            browser.run("const text = document.querySelector('[name=text]'); text.value = '137'; text.dispatchEvent(new Event('input'))");
            browser.await("those with the text", () -> browser.text("tbody td.text"), "rank 5 has lost its connection: process ended with status 137");
            assertThat(browser.run("return location.search")).isEqualTo("?kind=RANK_LOST&text=137");
            browser.run("const kind = document.querySelector('[name=kind]'); kind.value = 'LINK_UP'; kind.dispatchEvent(new Event('change'))");
            browser.await("none", () -> browser.text(".empty"), "No event matches Another kind, job or text may.");
        }
    }

    /** As after a reconnection. */
    @Test
    void anEventThatIsToldTwiceIsShownOnceAndTheNewestFirst() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/").toString());
            assertThat(browser.run("""
                    return (async () => {
                      const { EventLog } = await import('/console/eventlog.js');
                      const log = new EventLog();
                      const event = (id, at) => ({ id, at, relay: 'a', kind: 'LINK_UP', job: '', rank: -1, text: `${id}` });
                      log.accept([event(1, 10), event(2, 20)]);
                      log.accept([event(2, 20), event(3, 30)]);
                      log.accept([event(1, 40)]);
                      return log.all.map((one) => one.at).join();
                    })()""")).as("times; the last is of a relay that was started again").isEqualTo("40,30,20,10");
        }
    }

    /** Of the second console the page hears what it missed, and of another relay what it has had from the first one, under other numbers. */
    @Test
    void noEventIsLostOrShownTwiceWhenTheRelayStartsAgain() throws Exception {
        int port;
        List<RelayEvent> events = new ArrayList<>();
        try (OpsFixture ops = new OpsFixture()) {
            port = ops.server.port();
            add(events, ops, 3);
            browser.open(ops.uri("/events").toString());
            browser.await("three events", () -> browser.text("tbody td.text"), "event 3; event 2; event 1");
            add(events, ops, 2);
            browser.await("five events", () -> browser.text("tbody td.text"), "event 5; event 4; event 3; event 2; event 1");
        }
        browser.await("the banner", () -> browser.text(".banner strong"), "Reconnecting.");
        try (OpsFixture ops = new OpsFixture(OpsFixture.trusting(port))) {
            ops.relay.events.addAll(events);
            add(events, ops, 2);
            browser.await("all once", () -> browser.text("tbody td.text"), "event 7; event 6; event 5; event 4; event 3; event 2; event 1");
        }
    }

    @Test
    void theNamesPageShowsWhoLeadsWhatIsBoundAndWhatHasChanged() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/names").toString());
            browser.await("the leader", () -> browser.text("dl.facts-grid dd:first-of-type a[href='/relays/orsay%2F2']"), "orsay/2");
            browser.await("one name", () -> browser.text("tbody th.code"), "config/solver");
            assertThat(browser.text("section:last-of-type tbody tr")).contains("unbound mpi/old 2 – port=<b>p</b>");
            browser.all("p.more button").getFirst().click();
            browser.await("the next name", () -> browser.text("tbody th.code"), "vm/leader");
            browser.open(ops.uri("/names?prefix=config").toString());
            browser.await("of the prefix in the address", () -> browser.text("tbody th.code"), "config/solver");
            assertThat(browser.all("p.more button")).isEmpty();
            ops.relay.namesFailure = "the directory server is down";
            browser.await("why there are none", () -> browser.text(".notice.bad"), "No names. the directory server is down. Jobs and their messages go on.");
            browser.open(ops.uri("/names?prefix=a+b").toString());
            browser.await("what is wrong", () -> browser.text(".notice.bad"), "\"a b\" is no name");
        }
    }

    private static void add(List<RelayEvent> events, OpsFixture ops, int n) {
        for (int i = 0; i < n; i++) {
            int id = events.size() + 1;
            events.add(new RelayEvent(id, 1_700_000_000_000L + id, "rennes-a", "LINK_UP", "", -1, "event " + id));
            ops.relay.events.add(events.getLast());
        }
    }

    @Test
    void anotherConnectionGoesOnBehindTheLastEvent() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/").toString());
            assertThat(browser.run("""
                    return (async () => {
                      const { LiveStream } = await import('/console/stream.js');
                      const [asked, heard] = [[], {}];
                      const real = globalThis.EventSource;
                      globalThis.EventSource = class {
                        constructor(url) { asked.push(url); }
                        addEventListener(kind, listener) { heard[kind] = listener; }
                        close() {}
                      };
                      const stream = new LiveStream(() => {}, () => {});
                      stream.open();
                      heard.log({ data: '{}', lastEventId: '41' });
                      heard.overview({ data: '{}', lastEventId: '41' });
                      stream.open();
                      stream.close();
                      globalThis.EventSource = real;
                      return asked.join();
                    })()""")).isEqualTo("/api/v1/events,/api/v1/events?after=41");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/matrix", "/timeline", "/waits", "/output", "/events"})
    void nothingIsCutAtTheSide(String view) throws Exception {
        assertNotCut(view, 400);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"/matrix", "/timeline", "/waits", "/output", "/events"})
    void norIsItInAWideWindow(String view) throws Exception {
        assertNotCut(view, 1280);
    }

    private static void assertNotCut(String view, int width) throws Exception {
        browser.resize(width);
        browser.log();
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri(view.equals("/events") ? view : JOB + view).toString(), stub);
            browser.await("its table", () -> browser.all("main tbody tr, .printed").isEmpty(), false);
            assertThat(browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")).isEqualTo(0L);
            assertThat(browser.log()).isEmpty();
        }
    }

    @Test
    void jobIsEndedAfterAQuestion() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri(JOB).toString());
            browser.await("the button", () -> browser.text(".headline .danger"), "End job…");
            browser.all(".headline .danger").getFirst().click();
            browser.await("the question", () -> browser.text("dialog[open] h2"), "End job demo.Ring?");
            browser.all("dialog .primary").getFirst().click();
            browser.await("the order was given", () -> browser.all("dialog").size(), 0);
        }
    }

    private static long span() {
        return ((Number) browser.run("const [from, to] = document.querySelector('rank-timeline').span; return Math.round(to - from)")).longValue();
    }
}
