package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import org.posthouse.status.FollowerStatus;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RankStatus;
import org.posthouse.status.RelayStatus;
import org.posthouse.testkit.Browser;

/** The views of the page: their addresses, and what they say of relays that are not heard. In a real browser, that is the class's. */
@Timeout(120)
class ConsoleViewsTest {
    @RegisterExtension
    private static final Browser browser = new Browser();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /relays/orsay%2F2        | Relay orsay/2 · Posthouse            | No relay orsay/2 is known here
            /jobs/1f4c9ae02b77d310   | demo.Ring · Posthouse                | demo.Ring
            /jobs/77                 | Job 77 · Posthouse                   | No relay here knows job 77
            /nothing/here            | No such page · Posthouse             | No such page
            """)
    void deepLinkAndReloadShowTheView(String path, String title, String headline) throws Exception {
        assertShown(path, title, headline);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /                        | Posthouse                            | Jobs
            /nodes                   | Nodes · Posthouse                    | Nodes
            /relays/rennes-a         | Relay rennes-a · Posthouse           | Relay rennes-a
            """)
    void soTheyDoThoseThatLinksLeadTo(String path, String title, String headline) throws Exception {
        assertShown(path, title, headline);
    }

    private static void assertShown(String path, String title, String headline) throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri(path).toString());
            for (String way : List.of("link", "reload")) {
                browser.await("the headline by " + way, () -> browser.text("main h2").contains(headline), true);
                assertThat(browser.run("return document.title")).isEqualTo(title);
                browser.run("location.reload()");
            }
        }
    }

    @Test
    void aRelaysPageSaysWhatItsChecksOfSilentNodesCameTo() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/relays/rennes-a").toString());
            browser.await("the checks", () -> browser.text("main .facts-grid").contains("4 checks, 1 dead"), true);
            assertThat(browser.text("main .facts-grid")).contains("3 answered; 0 came back after the verdict");
        }
    }

    @Test
    void aRankShowsWhoFollowsItAndHowFarBehind() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            List<RankStatus> ranks = new ArrayList<>(Scenes.ranks(2, "rennes-a"));
            ranks.set(1, ranks.get(1).followedBy(List.of(new FollowerStatus(3, "n2", 1_200, 4_096), new FollowerStatus(5, "", 0, 0))));
            ops.relay.snapshot = Scenes.relay("rennes", "rennes-a", 1, List.of(Scenes.job(Scenes.JOB, ranks)));
            browser.open(ops.uri("/jobs/" + Scenes.JOB).toString());
            String state = ".scroll tbody tr td:nth-child(4) .sub";
            browser.await("the followers", () -> browser.text(state), "follower 3 on n2, 1,200 behind; follower 5");
            assertThat(browser.text("main .facts-grid")).contains("2 processes beside the leaders");
        }
    }

    @Test
    void linksAndTheBackButtonMoveBetweenViewsOfOneDocument() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/").toString());
            browser.await("the job", () -> browser.all(".job h3 a").size(), 1);
            browser.run("window.sameDocument = true");
            browser.all(".job h3 a").getFirst().click();
            browser.await("the job's view", () -> browser.text(".scroll tbody th"), "0; 1; 2; 3");
            assertThat(browser.run("return location.pathname")).isEqualTo("/jobs/" + Scenes.JOB);
            browser.all("main tbody a[href^='/relays/']").getFirst().click();
            browser.await("the relay's view", () -> browser.text(".headline h2"), "Relay rennes-a ready");
            browser.run("history.back()");
            browser.await("the job's view again", () -> browser.text(".scroll tbody th"), "0; 1; 2; 3");
            browser.run("history.back()");
            browser.await("the grid again", () -> browser.text(".pages [aria-current=page]"), "Grid");
            assertThat(browser.run("return window.sameDocument")).isEqualTo(true);
        }
    }

    @Test
    void theKeyboardReachesTheViewsAndTheFocusIsAtTheTopOfTheNext() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/").toString());
            browser.await("the grid", () -> browser.all(".job").size(), 1);
            browser.press(Keys.TAB, Keys.TAB, Keys.TAB, Keys.ENTER);
            browser.await("the nodes", () -> browser.text(".pages [aria-current=page]"), "Nodes 1");
            browser.await("the focus", () -> browser.run("return document.activeElement.id"), "main");
        }
    }

    /** Of a relay that is not heard nothing is known, and nothing of it is green. */
    @Test
    void ranksOfASilentRelayAreCountedAsNotHeard() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            RelayStatus before = ops.relay.snapshot;
            List<RankStatus> ranks = new ArrayList<>(Scenes.ranks(3, before.relay()));
            ranks.add(Scenes.rank(3, "far", RankStatus.State.CONNECTED, 1, 0));
            long since = System.currentTimeMillis() - 24_000;
            ops.relay.snapshot = Scenes.withDirectory(Scenes.relay("rennes", before.relay(), 1, List.of(Scenes.job(Scenes.JOB, ranks))),
                    List.of(new RelayStatus.KnownRelay("lille", "far", "127.0.0.1:7412", 1, false, since, 1, 0, 0, 0)));
            browser.open(ops.uri("/").toString());
            browser.await("the count", () -> browser.text(".tile:nth-child(3)").replaceAll("2[4-9] s", "24 s"),
                    "Ranks connected 3 of 4 1 not heard for 24 s");
            assertThat(browser.text(".job h3")).isEqualTo("demo.Ring running, 1 not heard");
            assertThat(browser.text(".job .legend")).isEqualTo("3 connected 1 not heard");
            assertThat(browser.run("return document.title")).isEqualTo("1 not heard · Posthouse");
            browser.all(".job h3 a").getFirst().click();
            browser.await("the row", () -> browser.text("tr.dim .badge"), "not heard");
        }
    }

    /** A relay of another process that has not told its state for ten seconds; the page's own clock counts while the stream is quiet. */
    @Test
    void relayThatFallsSilentTakesItsRanksAndLinksAlong() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/").toString());
            Object seen = browser.run("""
                    return (async () => {
                      const { Model, siteLinks } = await import('/console/model.js');
                      const counters = { messagesIn: 0, messagesOut: 0, bytesIn: 0, bytesOut: 0, linkMessagesIn: 0, linkBytesIn: 0 };
                      const link = { peerSite: 'a', peerRelay: 'a', state: 'UP', perLane: [], streams: {}, roundTripMicros: 1 };
                      const far = { site: 'b', relay: 'b', here: false, asOf: 1000, startedAt: 1, links: [link], directory: [], counters };
                      const ranks = ['CONNECTED', 'FINALIZED', 'LOST'].map((state, rank) => ({ rank, relay: 'b', state, messagesSent: 0 }));
                      const model = new Model();
                      model.accept({ at: 2000, relays: [far], jobs: [{ id: '1', state: 'RUNNING', ranks }] }, 2000);
                      const told = () => model.overview.jobs[0].ranks.map((rank) => rank.state).join() + ' ' + siteLinks(model.overview)[0].state;
                      const before = told();
                      model.beQuiet(11_500);
                      return before + '; ' + told();
                    })()""");
            assertThat(seen).isEqualTo("CONNECTED,FINALIZED,LOST UP; NOT_HEARD,FINALIZED,LOST NOT_HEARD");
        }
    }

    /** The group notices only half a minute later that a relay was killed; its link is down at once. */
    @Test
    void relayBehindACutLinkIsNotHeard() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/").toString());
            Object seen = browser.run("""
                    return (async () => {
                      const { silentRelays } = await import('/console/silence.js');
                      const link = (peerRelay, state, since) => ({ peerRelay, state, parked: since ? { since } : null });
                      const relay = (name, links) => ({ relay: name, site: name, directory: [], links });
                      const relays = [relay('a', [link('cut', 'CONNECTING', 5_000), link('other way', 'DOWN', 5_000), link('b', 'DOWN', 5_000)]),
                        relay('b', [link('cut', 'DOWN', 6_000), link('other way', 'UP', 0)])];
                      const told = (now) => JSON.stringify([...silentRelays({ relays }, now)]);
                      return told(15_900) + told(16_100);
                    })()""");
            assertThat(seen).isEqualTo("[][[\"cut\",6000]]");
        }
    }

    @Test
    void jobThatStandsStillIsNotShownAsRunning() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            ops.relay.snapshot = Scenes.relay("rennes", "rennes-a", 1,
                    List.of(Scenes.standingStill(Scenes.job(Scenes.JOB, Scenes.ranks(4, "rennes-a")), System.currentTimeMillis() - 61_000)));
            browser.open(ops.uri("/").toString());
            browser.await("its badge", () -> browser.text(".job h3"), "demo.Ring stands still");
            assertThat(browser.all(".job h3 .badge.bad")).hasSize(1);
            assertThat(browser.text(".tile:nth-child(3) .foot")).isEqualTo("1 job stands still");
        }
    }

    /** It does not know yet whether a job has run, nor how much is in its log. */
    @Test
    void jobThatGoesOnWithoutItsDeadSaysSo() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            RankStatus dead = new RankStatus(0, "rennes", "rennes-a", RankStatus.State.LOST, 1, 0, 0, 0, 0, 0, 0, "", 0, "", 0, 0);
            JobStatus job = new JobStatus(Scenes.JOB, "demo.Ring", 2, "none", "shrink", "RUNNING", 0, List.of(dead), 0, "", 0, 0, "", 0, 0);
            ops.relay.snapshot = Scenes.relay("rennes", "rennes-a", 1, List.of(job));
            browser.open(ops.uri("/jobs/" + Scenes.JOB).toString());
            browser.await("the mode", () -> browser.text("main").contains("the program goes on without 1 rank"), true);
        }
    }

    @Test
    void relayThatReadsItsLogSaysSo() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            ops.relay.readiness = Readiness.notReady("relay rennes-a is starting: it reads its log: 5 of 9 bytes");
            ops.relay.snapshot = Scenes.withoutLog(Scenes.relay("rennes", "rennes-a", 0, List.of()));
            browser.open(ops.uri("/").toString());
            browser.await("the reason in place of jobs", () -> browser.text("[aria-labelledby=jobs-title] .empty"),
                    "Jobs are not known yet relay rennes-a is starting: it reads its log: 5 of 9 bytes");
            assertThat(browser.text("[aria-labelledby=relays-title] tbody td:last-child")).isEqualTo("not known yet");
        }
    }

    @Test
    void tabsShareOneStream() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/").toString());
            String first = browser.tab();
            int tabs = Boolean.getBoolean("posthouse.long") ? 8 : 3;
            for (int tab = 1; tab <= tabs; tab++) {
                browser.await("tab " + tab + " live", () -> browser.text(".top .stream") + browser.all(".job").size(), "Live1");
                if (tab < tabs) {
                    browser.openTab(ops.uri(tab % 2 == 0 ? "/" : "/?tab=" + tab).toString());
                }
            }
            assertThat(ops.server.stream().openClients()).isEqualTo(1);
            browser.closeOtherTabs(first);
            ops.relay.snapshot = Scenes.relay("rennes", "rennes-a", 1, List.of());
            browser.await("news in the first tab", () -> browser.all(".job").size(), 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"1280, /", "400, /nodes", "400, /relays/rennes-a", "1280, /jobs/1f4c9ae02b77d310", "400, /jobs/1f4c9ae02b77d310"})
    void nothingIsCutAtTheSide(int width, String path) throws Exception {
        assertNotCut(width, path);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"400, /", "1280, /nodes", "1280, /relays/rennes-a"})
    void norIsItInTheOtherWidth(int width, String path) throws Exception {
        assertNotCut(width, path);
    }

    private static void assertNotCut(int width, String path) throws Exception {
        browser.resize(width);
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri(path).toString());
            browser.await("a table", () -> browser.all("main tbody tr").isEmpty(), false);
            assertThat(browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")).isEqualTo(0L);
            if (width == 1280) {
                assertThat(browser.run("return [...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth).length"))
                        .as("tables that are to be scrolled").isEqualTo(0L);
            }
        }
    }

    /** What the content security policy refuses is written there. */
    @Test
    void theBrowsersConsoleIsEmpty() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.log(); // What tests before have left.
            for (String path : List.of("/", "/nodes", "/relays/rennes-a", "/jobs/" + Scenes.JOB)) {
                browser.open(ops.uri(path).toString());
                browser.await("a table", () -> browser.all("main tbody tr").isEmpty(), false);
            }
            assertThat(browser.log()).isEmpty();
        }
    }
}
