package org.posthouse.ops;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.posthouse.status.JobStatus;
import org.posthouse.status.LinkStatus;
import org.posthouse.status.RankStatus;
import org.posthouse.status.RelayStatus;
import org.posthouse.testkit.Browser;

/** The page in a real browser: what a person sees and presses. The browser is the class's, each test's page comes from an address of its own. */
@Timeout(120)
class ConsoleBrowserTest {
    @RegisterExtension
    private static final Browser browser = new Browser();

    @Test
    void aLinksRowShowsItsLanesAndStreamsWhenItIsPressed() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            List<WebElement> toggles = open(ops);
            assertThat(toggles).extracting(WebElement::getText).containsExactly("2 of 3 lanes, 2 streams", "0 lanes, 0 streams");
            assertThat(browser.all(".both")).isEmpty();
            toggles.getFirst().click();
            browser.await("the lanes", () -> rows(0), "0 up via orsay 41 B 42 B 43 B; 1 up via rennes-b 44 B 45 B 46 B; 7 down 47 B 48 B 0 B");
            assertThat(rows(1)).isEqualTo("2 open 51 B 52 B 53 in 54 out");
            assertThat(expanded()).isEqualTo("true, false");

            RelayStatus before = ops.relay.snapshot;
            LinkStatus first = before.links().getFirst();
            ops.relay.snapshot = Scenes.withLinks(before, List.of(before.links().getLast(), first));
            browser.await("the links' new order", () -> expanded(), "false, true");
            assertThat(rows(1)).as("it stays open where it moves").isEqualTo("2 open 51 B 52 B 53 in 54 out");
            browser.all(".toggle").getLast().click();
            browser.await("all closed", () -> browser.all(".both").size(), 0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1280, 400})
    void lanesAndStreamsFitTheWidth(int width) throws Exception {
        browser.resize(width);
        try (OpsFixture ops = new OpsFixture()) {
            open(ops).getFirst().click();
            browser.await("both tables", () -> browser.all(".both .scroll").size(), 2);
            assertThat(browser.run("return innerWidth")).isEqualTo((long) width);
            assertThat(browser
                    .run("return [document.documentElement, ...document.querySelectorAll('.both .scroll')].map(e => e.scrollWidth - e.clientWidth).join()"))
                    .as("pixels that are to be scrolled to").isEqualTo("0,0,0");
        }
    }

    @Test
    void aNodeIsDrainedAfterAQuestion() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/nodes").toString());
            String button = "section[aria-labelledby=nodes-title] tbody button";
            for (String[] step : new String[][] {{"Undrain…", "open", "Drain…"}, {"Drain…", "draining", "Undrain…"}}) {
                browser.await("the node", () -> browser.text(button), step[0]);
                browser.run("document.querySelector('" + button + "').click()");
                browser.await("the question", () -> browser.all("dialog.node[open]").size(), 1);
                browser.run("document.querySelector('dialog.node .primary').click()");
                browser.await("its new state", () -> browser.text("section[aria-labelledby=nodes-title] tbody .badge"), step[1]);
                browser.await("the question put away", () -> browser.all("dialog.node").size(), 0);
                assertThat(browser.text(button)).isEqualTo(step[2]);
            }
            browser.run("document.querySelector('" + button + "').click()");
            browser.await("the question", () -> browser.all("dialog.node[open]").size(), 1);
            RelayStatus before = ops.relay.snapshot;
            ops.relay.snapshot = Scenes.withNodes(before, List.of());
            browser.run("document.querySelector('dialog.node .primary').click()");
            browser.await("a refusal", () -> browser.text("dialog.node .notice"), "No relay here has a node n1 any more.");
        }
    }

    /** A relay knows of a rank at another one that it is there, not what it does. */
    @Test
    void showsDashesForCountersOfOtherRelays() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            String here = ops.relay.snapshot.relay();
            List<RankStatus> ranks = List.of(
                    Scenes.rank(0, here, RankStatus.State.CONNECTED, 1, 5), Scenes.rank(1, "elsewhere", RankStatus.State.CONNECTED, 2, 0));
            ops.relay.snapshot = Scenes.relay("rennes", here, 10, List.of(Scenes.job(Scenes.JOB, ranks)));
            browser.open(ops.uri("/jobs/" + Scenes.JOB).toString());
            browser.await("both ranks", () -> browser.text(".scroll tbody tr"), "0 " + here + " rennes connected 1 5 40 B 5 40 B 0 1 posted – –; "
                    + "1 elsewhere rennes connected 2 – – – – –");
            assertThat(browser.text("#ranks-title")).isEqualTo("Ranks 5 messages sent, 5 delivered at the relays that are known");
        }
    }

    /** Its own beat and the server's stand in no order: what comes in one beat after quiet ones is no burst in their difference. */
    @Test
    void aRateIsOfABeatAndTheHistoryOfAQuarterOfAnHour() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/").toString());
            Object seen = browser.run("""
                    return (async () => {
                      const { Model } = await import('/console/model.js');
                      const model = new Model();
                      let messages = 0;
                      let peak = 0;
                      const tell = (at, startedAt = 1) => {
                        const counters = { messagesIn: messages, messagesOut: 0, bytesIn: 0, bytesOut: 0, linkMessagesIn: 0, linkBytesIn: 0 };
                        model.accept({ at, relays: [{ site: 'a', relay: 'a', startedAt, links: [], directory: [], counters }], jobs: [] }, at);
                        peak = Math.max(peak, model.perSecond('messages') ?? 0);
                      };
                      tell(0);
                      for (let second = 1; second <= 1200; second += 1) {
                        model.beQuiet(second * 1000 - 10);
                        if (second % 4 === 0) {
                          messages += 1000;
                          tell(second * 1000);
                        }
                      }
                      const history = model.history('relay a/a messagesIn');
                      const whole = history.at(-1)[0] - history[0][0];
                      tell(1_201_000, 2);
                      return [peak, whole, model.history('relay a/a messagesIn').length].join();
                    })()""");
            assertThat(seen).as("most a second, milliseconds of history, and its samples after a restart").isEqualTo("1000,900000,0");
        }
    }

    /** It has counted before somebody looked; and what it has counted is missing when it goes. */
    @Test
    void relayThatComesOrGoesIsNoTraffic() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/").toString());
            Object seen = browser.run("""
                    return (async () => {
                      const { Model } = await import('/console/model.js');
                      const model = new Model();
                      const relay = (name, messagesIn) => ({ site: name, relay: name, startedAt: 1, links: [], directory: [],
                        counters: { messagesIn, messagesOut: 0, bytesIn: 2 * messagesIn, bytesOut: 0, linkMessagesIn: 0, linkBytesIn: 0 } });
                      const told = [];
                      const tell = (second, ...relays) => {
                        const ranks = relays.map((one) => ({ relay: one.relay, state: 'CONNECTED', messagesSent: 3 * one.counters.messagesIn }));
                        model.accept({ at: second * 1000, relays, jobs: [{ id: '7', state: 'RUNNING', ranks }] }, second * 1000);
                        told.push(['messages', 'bytes', 'job 7'].map((key) => model.perSecond(key)).join(' '));
                      };
                      tell(1, relay('a', 100));
                      tell(2, relay('a', 110));
                      tell(3, relay('a', 115), relay('b', 1_000_000));
                      tell(4, relay('a', 120), relay('b', 1_000_020));
                      tell(5, relay('a', 130));
                      tell(6, relay('a', 145));
                      return told.join(', ');
                    })()""");
            assertThat(seen).as("speeds of messages, bytes and a job").isEqualTo("  , 10 20 30, 10 20 30, 25 50 75, 25 50 75, 15 30 45");
        }
    }

    /** They were connected when their job failed, and are nothing to act on. */
    @Test
    void jobsThatHaveEndedStandBelowAndNobodyIsConnectedToThem() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            String here = ops.relay.snapshot.relay();
            List<RankStatus> left = List.of(Scenes.rank(0, here, RankStatus.State.CONNECTED, 1, 5), Scenes.rank(1, here, RankStatus.State.LOST, 1, 5),
                    Scenes.rank(2, here, RankStatus.State.AWAY, 1, 5), Scenes.rank(3, here, RankStatus.State.FINALIZED, 1, 5));
            List<JobStatus> jobs = new ArrayList<>(IntStream.range(0, 7)
                    .mapToObj(i -> new JobStatus("e" + i, "ended" + i, 4, "none", "abort", "FAILED", 9_000 - i, left, 0, "", 0, 0, "", 0, 0)).toList());
            jobs.add(Scenes.job(Scenes.JOB, Scenes.ranks(1, here)));
            ops.relay.snapshot = Scenes.relay("rennes", here, 10, jobs);
            browser.open(ops.uri("/").toString());
            browser.await("those shown at first", () -> browser.text(".job h3"),
                    "demo.Ring running; ended0 failed; ended1 failed; ended2 failed; ended3 failed; ended4 failed");
            assertThat(browser.text(".tile:nth-child(3)")).isEqualTo("Ranks connected 1 of 1 none lost");
            assertThat(browser.run("return document.title")).isEqualTo("Posthouse");
            assertThat(browser.text(".map .site")).contains("1 relay · 1 rank");
            assertThat(browser.text(".job:nth-of-type(2) .legend")).isEqualTo("1 lost 1 finalized 2 ended");
            browser.all(".more").getFirst().click();
            browser.await("all", () -> browser.all(".job").size(), 8);
            browser.all(".job:nth-of-type(2) h3 a").getFirst().click();
            browser.await("its rows", () -> browser.text("tbody .badge"), "ended; lost; ended; finalized");
        }
    }

    /** In the grid, as a square, and in the table, as the mark beside its word. */
    @Test
    void aRanksStateHasOneColour() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            String here = ops.relay.snapshot.relay();
            List<RankStatus> ranks = Arrays.stream(RankStatus.State.values()).map(state -> Scenes.rank(state.ordinal(), here, state, 1, 0)).toList();
            ops.relay.snapshot = Scenes.relay("rennes", here, 10, List.of(Scenes.job(Scenes.JOB, ranks)));
            browser.open(ops.uri("/jobs/" + Scenes.JOB).toString());
            browser.await("all ranks", () -> browser.all("main .grid .cell").size(), ranks.size());
            String colours = "return [...document.querySelectorAll('%s')].map(e => getComputedStyle(e).color).join('; ')";
            assertThat(browser.run(colours.formatted("main .grid .cell"))).isEqualTo(browser.run(colours.formatted("tbody .badge .mark")));
            String looks = "return new Set([...document.querySelectorAll('main .grid .cell')]"
                    + ".map(e => getComputedStyle(e)).map(s => s.color + s.background + s.border)).size";
            assertThat(browser.run(looks)).as("looks of as many states").isEqualTo((long) ranks.size());
        }
    }

    /** A page that has not heard of its relay yet does not look as one that has. */
    @Test
    void theDotTellsTheStateOfTheLiveStream() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/").toString());
            browser.await("the live stream", () -> browser.text(".top").endsWith("Live"), true);
            Object colours = browser.run("""
                    const page = document.querySelector('posthouse-console');
                    return (async () => {
                      const seen = new Set();
                      for (const state of ['live', 'connecting', 'lost']) {
                        page.streamState = state;
                        page.requestUpdate();
                        await page.updateComplete;
                        seen.add(getComputedStyle(document.querySelector('.dot')).backgroundColor);
                      }
                      return seen.size;
                    })()""");
            assertThat(colours).isEqualTo(3L);
        }
    }

    /** Also where nobody scrolls the table to its last column; but what says why the relay takes no work says it once. */
    @Test
    void heldLogIsReportedAboveTheRelayTable() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            RelayStatus open = ops.relay.snapshot;
            ops.relay.snapshot = Scenes.withLog(open, "held", "rank 3 pins it: raise --log-limit");
            browser.open(ops.uri("/").toString());
            String notices = "[aria-labelledby=relays-title] .notice.bad";
            browser.await("the notice", () -> browser.text(notices), "The log of rennes-a is held: rank 3 pins it: raise --log-limit");
            ops.relay.readiness = Readiness.notReady("takes nothing: the disk is full");
            ops.relay.snapshot = Scenes.withLog(open, "full", "the disk is full");
            browser.await("one notice", () -> browser.text(notices), "rennes-a takes no work: takes nothing: the disk is full");
        }
    }

    /** Also where the link is up, and nobody is told of anything that waits for it. */
    @Test
    void heldLinkIsReportedAboveTheTableAndInItsRow() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            open(ops);
            assertThat(browser.text("[aria-labelledby=links-title] .notice.bad")).isEqualTo("rennes-a → orsay/2 is held: job 7 holds it");
            assertThat(browser.text("[aria-labelledby=links-title] tbody .bad-text")).isEqualTo("held");
            String colours = "return new Set([...document.querySelectorAll('.bad-text')].map(e => getComputedStyle(e).color)).size";
            assertThat(browser.run(colours)).as("colours of what is wrong, a link that is not up and one that is held").isEqualTo(1L);
            RelayStatus before = ops.relay.snapshot;
            ops.relay.snapshot = Scenes.withLinks(before, List.of(before.links().getLast()));
            browser.await("the other link alone", () -> browser.text("[aria-labelledby=links-title] .bad-text, [aria-labelledby=links-title] .notice.bad"), "");
        }
    }

    /** A relay that does not answer in time may well do what it was told. */
    @Test
    void onlyARefusalSaysThatTheModeWasNotChanged() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            open(ops);
            browser.run("document.querySelector('.title [aria-haspopup=dialog]').click()");
            browser.await("the dialog", () -> browser.all("dialog.mode[open]").size(), 1);
            browser.run("document.querySelector('dialog input').click()");
            browser.run("document.querySelector('dialog .primary').click()");
            browser.await("a refusal", () -> browser.text("dialog .notice"), "Not changed: mode \"multiplexed\", expected pooled");
            browser.run("window.fetch = () => Promise.reject(new DOMException('signal timed out', 'TimeoutError'))");
            browser.run("document.querySelector('dialog .primary').click()");
            browser.await("no answer", () -> browser.text("dialog .notice"), "No answer; it may have been changed: see Mode in the table");
        }
    }

    /** As over a proxy, or from another user's browser. */
    @Test
    void unknownBrowserIsAskedForSecretOnce() throws Exception {
        String secret = "00112233445566778899aabbccddeeff";
        OpsConfig strangers = OpsConfig.loopback(0)
                .access(new OpsConfig.Access(PeerTrust.NOBODY, Optional.of(secret), false, ConsoleAudit.NONE));
        try (OpsFixture ops = new OpsFixture(strangers)) {
            open(ops);
            browser.run("document.querySelector('.title [aria-haspopup=dialog]').click()");
            browser.await("the dialog", () -> browser.all("dialog.mode[open]").size(), 1);
            browser.run("[...document.querySelectorAll('dialog input[type=radio]')].find(e => e.id === 'mode-pooled').click()");
            browser.run("document.querySelector('dialog .primary').click()");
            browser.await("the question", () -> browser.all("dialog input[type=password]").size(), 1);
            assertThat(browser.text("dialog .notice")).startsWith("Not changed: this browser is not one of the relay");
            browser.run("document.querySelector('dialog input[type=password]').value = 'wrong'");
            browser.run("document.querySelector('dialog .primary').click()");
            browser.await("a wrong one", () -> browser.text("dialog .notice"), "Not changed: this is not the relay’s secret.");
            browser.run("document.querySelector('dialog input[type=password]').value = '" + secret + "'");
            browser.run("document.querySelector('dialog .primary').click()");
            browser.await("the change", () -> browser.text(".notice.told").contains("rennes-a: multiplexed → pooled"), true);
            assertThat(browser.run("return sessionStorage.getItem('posthouse.ops-token')")).isEqualTo(secret);
        }
    }

    /** The relay may answer others, and have forgotten this page's connection. */
    @Test
    void aStreamThatIsSilentIsLostSinceItWasHeard() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/").toString());
            browser.await("the live stream", () -> browser.text(".top").endsWith("Live"), true);
            Object told = browser.run("""
                    const page = document.querySelector('posthouse-console');
                    return (async () => {
                      const { LiveStream } = await import('/console/stream.js');
                      const states = [];
                      const stream = new LiveStream(() => stream.heard?.(), (state) => states.push(state));
                      await new Promise((heard) => { stream.heard = heard; stream.open(); });
                      stream.heardAt = Date.now() - 13_000;
                      stream.beat();
                      await new Promise((heard) => { stream.heard = heard; });
                      stream.close();
                      page.feed.ownHeardAt = Date.now() - 13_000;
                      page.state('lost');
                      await page.updateComplete;
                      const banner = document.querySelector('.banner')?.textContent;
                      page.feed.open();
                      return states.join() + banner?.includes('has not answered for 13 s');
                    })()""");
            assertThat(told).isEqualTo("connecting,live,lost,livetrue");
            browser.await("it is back", () -> browser.text(".top").endsWith("Live"), true);
        }
    }

    /** What is cut off, broken in the middle of a word, or under something else cannot be read. */
    @Test
    void manySitesAndANarrowWindowLeaveWordsWhole() throws Exception {
        browser.resize(400);
        try (OpsFixture ops = new OpsFixture()) {
            RelayStatus relay = ops.relay.snapshot;
            LinkStatus link = relay.links().getLast();
            List<LinkStatus> links = IntStream.range(0, 7).mapToObj(i -> Scenes.to("area-number-1" + i, link)).toList();
            JobStatus job = new JobStatus("1f", "org.example.climate.LongRunningSimulationMainClass", 1, "none", "abort", "RUNNING", 0,
                    List.of(new RankStatus(0, "area-number-11", "far", RankStatus.State.CONNECTED, 1, 0, 0, 0, 0, 0, 0, "", 0, "", 0, 0)), 0, "", 0, 0, "", 0,
                    0);
            ops.relay.snapshot = Scenes.withLinks(Scenes.relay("rennes", relay.relay(), 1, List.of(job)), links);
            browser.open(ops.uri("/").toString());
            browser.await("the map", () -> browser.text(".map figcaption"), "2 more sites are in the table");
            assertThat(browser.text(".map .name")).as("the site of the relay here is among them").contains("rennes");
            assertThat(browser.run("return [...document.querySelectorAll('.map .site text')].filter(text => "
                    + "text.getBBox().width > text.parentNode.querySelector('rect').getBBox().width).length")).as("words out of their box").isEqualTo(0L);
            assertThat(browser.run("""
                    const boxes = [...document.querySelectorAll('.map .site rect')].map(r => r.getBoundingClientRect());
                    return boxes.filter((a, i) => boxes.some((b, k) => k > i && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length
                    """)).as("boxes on boxes").isEqualTo(0L);
            assertThat(browser.run("return document.querySelector('.job h3 .badge').getBoundingClientRect().height < 30")).as("a badge of one line")
                    .isEqualTo(true);
            assertThat(browser.run("const right = e => document.querySelector(e).getBoundingClientRect().right;"
                    + "return Math.max(right('.job .badge'), right('.job .speed .spark')) < right('.job')")).as("badge and chart inside").isEqualTo(true);
            assertThat(browser.run("""
                    return (async () => {
                      const { clock } = await import('/console/format.js');
                      const at = new Date(2026, 0, 2, 8, 23, 41).getTime();
                      return [clock(at, at), clock(at, at + 86_400_000)].map((text) => text.includes('2026')).join();
                    })()""")).as("whether there is a date: today, tomorrow").isEqualTo("false,true");
        }
    }

    /** Else the whole page is wider than its window. */
    @Test
    void aNoticeBreaksALongName() throws Exception {
        browser.resize(400);
        try (OpsFixture ops = new OpsFixture()) {
            RelayStatus relay = ops.relay.snapshot;
            String longest = "m".repeat(63);
            ops.relay.snapshot = Scenes.withLinks(relay, relay.links().stream().map(link -> Scenes.to(longest, link)).toList());
            browser.open(ops.uri("/").toString());
            browser.await("a notice of each link", () -> browser.all(".notice strong").stream().filter(name -> name.getText().contains(longest)).count(), 2L);
            assertThat(browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                    .as("pixels that are to be scrolled to")
                    .isEqualTo(0L);
        }
    }

    /** A link that is down dials again and again, and is down meanwhile. */
    @Test
    void screenReaderAnnouncesLinkOutageOnce() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/").toString());
            Object told = browser.run("""
                    return (async () => {
                      const { changes } = await import('/console/model.js');
                      const seen = (state, parked, rank) => ({
                        relays: [{ site: 'a', links: [{ peerSite: 'b', state, parked, roundTripMicros: 0 }] }],
                        jobs: [{ id: 1, name: 'ring', state: 'RUNNING', ranks: [{ state: rank }] }],
                      });
                      const all = [seen('UP', null, 'CONNECTED'), seen('DOWN', {}, 'CONNECTED'), seen('CONNECTING', {}, 'CONNECTED'),
                        seen('DOWN', {}, 'CONNECTED'), seen('UP', null, 'LOST')];
                      return all.slice(1).flatMap((next, i) => changes(all[i], next)).join(' ');
                    })()""");
            assertThat(told).isEqualTo("Link a to b is down. Link a to b is up. Job ring has 1 lost rank.");
        }
    }

    private static List<WebElement> open(OpsFixture ops) {
        browser.open(ops.uri("/").toString());
        browser.await("a button for each link", () -> browser.all(".toggle").size(), 2);
        return browser.all(".toggle");
    }

    private static String expanded() {
        return browser.all(".toggle").stream().map(toggle -> toggle.getDomAttribute("aria-expanded")).collect(joining(", "));
    }

    /** The rows of one of the tables that were opened, without rates, which come and go. */
    private static String rows(int table) {
        return browser.all(".both table").stream().skip(table).limit(1)
                .flatMap(found -> found.findElements(By.xpath("tbody/tr")).stream())
                .map(row -> row.getText().replaceAll("[0-9.]+ [KMG]?i?B/s", "").replaceAll("\\s+", " ").strip())
                .collect(joining("; "));
    }
}
