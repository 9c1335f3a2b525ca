package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;
import org.posthouse.system.jobs.Waits;

/** An operator revokes and renews a site's certificate under a running job, with commands alone. */
@Timeout(900)
class KeysCommandTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Tag("long")
    @Test
    void aJobOutlastsTheRevocationAndRenewalOfASite() throws Exception {
        keys("init", folder("grid"), "--days", "100");
        keys("issue", "--authority", folder("grid"), "--into", folder("keys-a"), "--days", "99", "site-a");
        keys("issue", "--authority", folder("grid"), "--into", folder("keys-b"), "--days", "99", "site-b");
        try (Relays a = Relays.start(folder, "site-a", "--keys", folder("keys-a"), "--links", "127.0.0.1:0");
                Relays b = Relays.start(
                        folder, "site-b", "--keys", folder("keys-b"), "--peer", "site-a=" + a.ready().links(), "--member", a.group())) {
            await().atMost(PATIENCE).until(() -> a.get("/api/v1/relays").at("/relays/0/directory").size() == 2);
            Command.Result well = Command.run(folder, "status", "--ops", console(a));
            assertThat(well.out()).contains("relay site-a of site site-a: ready", "link      site-b is UP", "0 certificates revoked (list 0)");
            assertThat(well.status()).isZero();
            Path go = folder.resolve("go");
            try (Command job = Command.start(
                    folder, "run", "-n", "2", "--relay", a.ranks(), "--sites", "2", "-cp", Jobs.classPath(), Waits.class.getName(), go.toString())) {
                await().atMost(PATIENCE).until(() -> job.out().contains("waits") || !job.handle().isAlive());
                Command.Result revoked = Command.run(
                        folder, "keys", "revoke", "site-b", "--authority", folder("grid"), "--into", folder("keys-a"));
                assertThat(revoked.status()).as(revoked.err()).isZero();
                assertThat(revoked.out()).contains("revoked serial", "of site site-b", "list in");
                await().atMost(PATIENCE).until(() -> a.meter("posthouse_link_refusals_total{kind=\"revoked\"") > 1);
                InProcess.Result cut = status(a);
                assertThat(cut.out()).contains("link      site-b is DOWN", "1 certificates revoked (list 1)");
                assertThat(cut.status()).isEqualTo(3);
                Files.createFile(go);
                await("its message waits").atMost(PATIENCE).until(() -> b.get("/api/v1/relays").at("/relays/0/links/0/parked/messages").asInt() == 1);
                assertThat(job.out()).doesNotContain("done");
                assertThat(keys("show", folder("grid"))).containsOnlyOnce("REVOKED");
                assertThat(keys("renew", "site-b", "--authority", folder("grid"), "--into", folder("keys-b"), "--days", "20"))
                        .contains("renewed, serial");
                Command.Result done = job.await();
                assertThat(done.err().lines())
                        .as("of the link, and nothing else")
                        .allMatch(line -> line.contains("is down since") && line.contains("REVOKED") || line.contains("is up again after"));
                assertThat(done.status()).isZero();
                assertThat(done.out()).contains("done");
            }
            InProcess.Result again = status(b);
            assertThat(again.out()).contains("link      site-a is UP").doesNotContain("warning");
            assertThat(again.status()).isZero();
        }
    }

    @Test
    void reportsEachErrorInOneLine() throws Exception {
        keys("init", folder("grid"));
        assertThat(refused("revoke", "nobody", "--authority", folder("grid"))).contains("nobody", "posthouse keys show").hasLineCount(1);
        assertThat(refused("renew", "site-a", "--authority", folder("grid"), "--into", folder("keys-a")))
                .contains("site.pem is missing").hasLineCount(1);
        InProcess.Result nobody = InProcess.run("status", "--ops", "127.0.0.1:" + Relays.freePort());
        assertThat(nobody.status()).isEqualTo(1);
        assertThat(nobody.err()).contains("cannot reach the console", "--ops").hasLineCount(1);
    }

    private static String console(Relays relay) {
        return relay.ready().console().replaceFirst("/$", "");
    }

    private static InProcess.Result status(Relays relay) {
        return InProcess.run("status", "--ops", console(relay));
    }

    private static String keys(String... words) {
        InProcess.Result result = run(words);
        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        return result.out();
    }

    private static String refused(String... words) {
        InProcess.Result result = run(words);
        assertThat(result.status()).isEqualTo(1);
        return result.err();
    }

    private static InProcess.Result run(String... words) {
        List<String> arguments = new ArrayList<>(List.of("keys"));
        arguments.addAll(List.of(words));
        return InProcess.run(arguments.toArray(String[]::new));
    }

    private String folder(String name) {
        return folder.resolve(name).toString();
    }
}
