package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;
import org.posthouse.system.jobs.Deadlock;
import org.posthouse.system.jobs.KnownTraffic;
import org.posthouse.testkit.Browser;

/**
 * What a person sees in the console of one relay while jobs run over two sites. Real processes and a real browser; pictures are
 * written to {@code target/live-console}.
 */
@Timeout(600)
@Tag("long")
class LiveConsoleTest {
    private static final Duration PATIENCE = Duration.ofSeconds(240);

    @RegisterExtension
    private static final Browser browser = new Browser();

    @TempDir
    private static Path folder;

    private static Relays a;
    private static Relays b;

    @BeforeAll
    static void start() throws Exception {
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 2);
        a = relay(authority, "site-a");
        b = relay(authority, "site-b", "--peer", "site-a=" + a.ready().links());
        await().atMost(PATIENCE).until(() -> a.get("/api/v1/grid").path("relays").size() == 2);
    }

    @AfterAll
    static void stop() {
        for (Relays relay : new Relays[] {b, a}) {
            if (relay != null) {
                relay.close();
            }
        }
    }

    @Test
    void aJobOfTwoSitesIsShownWholeWithItsTrafficARestartAndAnotherMode() throws Exception {
        Path[] files = {folder.resolve("go"), folder.resolve("end")};
        try (Command job = run(8, KnownTraffic.class, files[0].toString(), files[1].toString())) {
            open("/");
            browser.await("the ranks of both sites", () -> browser.text(".tile:nth-child(3) dd"), "8 of 8 none lost");
            String page = openJob(KnownTraffic.class);
            open(page + "/matrix");
            browser.await("all messages", () -> browser.text(".facts-grid dd"), "36 33 % between sites; 360 B 33 % between sites; 8 of 64");
            browser.run("document.querySelector('details summary').click()");
            browser.await("each flow", () -> sorted(browser.text("details tbody tr")),
                    "0 1 1 10 B; 1 2 2 20 B; 2 3 3 30 B; 3 4 4 40 B; 4 5 5 50 B; 5 6 6 60 B; 6 7 7 70 B; 7 0 8 80 B");
            picture("matrix");
            open(page + "/timeline");
            browser.await("sent and delivered by each rank", LiveConsoleTest::timeline, "1/8 2/1 3/2 4/3 5/4 6/5 7/6 8/7");

            ProcessHandle victim = Jobs.rank(job, 5);
            victim.destroyForcibly();
            victim.onExit().join();
            browser.await("its loss and its next process", () -> marks().containsAll(List.of("rank lost 5", "rank restarted 5")), true);
            picture("timeline");
            open(page);
            browser.await("its state and incarnation", () -> browser.text("main tbody tr:nth-child(6) td:nth-child(n+4):nth-child(-n+5)"), "connected; 2");
            browser.await("the parts of its restart", () -> browser.text("section[aria-labelledby=job-restarts-title] li span:last-child")
                    .replaceAll("after .*", "after …"), "rank 5 caught up after …");
            picture("restarted");

            changeMode();
            open(page + "/matrix");
            Files.createFile(files[0]);
            browser.await("the messages of both rings, and those of rank 0", () -> browser.text(".facts-grid dd"),
                    "79 35 % between sites; 727 B 34 % between sites; 14 of 64");
            Files.createFile(files[1]);
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            browser.await("the last messages of the job, when it has ended", () -> browser.text("h2 .badge, .facts-grid dd"),
                    "finished; 86 37 % between sites; 734 B 34 % between sites; 14 of 64");
            open(page + "/timeline");
            browser.await("all that each rank has sent and got", LiveConsoleTest::timeline, "16/16 4/4 6/6 8/8 10/10 12/12 14/14 16/16");
        }
    }

    private void changeMode() throws IOException {
        open("/relays/site-a");
        browser.await("the relay", () -> browser.all(".headline [aria-haspopup=dialog]").isEmpty(), false);
        browser.run("document.querySelector('.headline [aria-haspopup=dialog]').click()");
        browser.await("the question", () -> browser.text("dialog.mode[open] h2"), "Change the mode of 1 relay?");
        browser.run("document.querySelector('#mode-pooled').click()");
        picture("mode");
        browser.run("document.querySelector('dialog.mode .primary').click()");
        browser.await("what came of it", () -> browser.text(".told strong").replaceAll("pooled \\d+", "pooled N"), "site-a: multiplexed → pooled N.");
    }

    @Test
    void ranksOfTwoSitesThatWaitForEachOtherAreShownAsACycle() throws Exception {
        try (Command job = run(2, Deadlock.class)) {
            open("/");
            open(openJob(Deadlock.class) + "/waits");
            browser.await("the cycle", () -> browser.text("main section .notice"),
                    "A cycle: rank 0 → rank 1 → rank 0. Each waits for the next, so none can go on.");
            assertThat(browser.all(".waits .wait.cycle")).as(job.err()).hasSize(2);
            picture("waits");
        }
    }

    private static Command run(int ranks, Class<?> job, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("run", "-n", Integer.toString(ranks), "--durability", "process", "--relay", a.ranks(), "--relay",
                b.ranks(), "-cp", Jobs.classPath(), job.getName()));
        command.addAll(List.of(arguments));
        return Command.start(folder, command.toArray(String[]::new));
    }

    private static Relays relay(GridAuthority authority, String site, String... more) throws Exception {
        Path keys = folder.resolve("keys-" + site);
        authority.issue(site, 2, keys);
        List<String> arguments = new ArrayList<>(List.of("--keys", keys.toString(), "--links", "127.0.0.1:0", "--data", folder.resolve(site).toString()));
        arguments.addAll(List.of(more));
        return Relays.start(folder, site, arguments.toArray(String[]::new));
    }

    private static void open(String path) {
        browser.open("http://" + a.ready().console() + path);
    }

    /** @return the address of the job's page, to which a link of the grid's page leads */
    private static String openJob(Class<?> job) {
        browser.await("the job", () -> browser.text(".job h3 a").contains(job.getName()), true);
        return (String) browser.run(
                "return [...document.querySelectorAll('.job h3 a')].find(link => link.textContent.includes('" + job.getSimpleName() + "')).pathname");
    }

    private static String timeline() {
        return (String) browser.run("""
                const sum = (values) => values.reduce((all, value) => all + value, 0);
                const { ranks } = document.querySelector('rank-timeline')?.data ?? { ranks: [] };
                return ranks.map((rank) => `${sum(rank.sent)}/${sum(rank.delivered)}`).join(' ')""");
    }

    private static List<?> marks() {
        return (List<?>) browser.run("""
                const table = [...document.querySelectorAll('table')].find((one) => one.caption?.textContent.includes('Marks'));
                return [...table?.tBodies[0].rows ?? []].map((row) => `${row.cells[1].innerText.trim()} ${row.cells[2].innerText.trim()}`)""");
    }

    private static String sorted(String rows) {
        return String.join("; ", Stream.of(rows.split("; ")).sorted().toList());
    }

    private static void picture(String name) throws IOException {
        browser.picture(Path.of(System.getProperty("basedir", "."), "target/live-console", name + ".png"));
    }
}
