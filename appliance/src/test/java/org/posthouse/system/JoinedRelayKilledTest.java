package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;
import org.posthouse.system.jobs.MeetsLogged;

/** kill -9 of a relay, or of a launcher, while two logged jobs are joined: it is started again, and both jobs verify. */
@Timeout(900)
@Tag("long")
class JoinedRelayKilledTest {
    private static final String NOBODY = "9:9";
    private static final String ROUNDS = "1500";

    @TempDir
    private Path folder;

    private Relays relay(GridAuthority authority, String site, String... more) throws Exception {
        authority.issue(site, 1, folder.resolve("keys-" + site));
        List<String> arguments = new ArrayList<>(List.of(
                "--keys", folder.resolve("keys-" + site).toString(), "--links", "127.0.0.1:0", "--data", folder.resolve("data-" + site).toString()));
        arguments.addAll(List.of(more));
        return Relays.start(folder, site, arguments.toArray(String[]::new));
    }

    private Command job(Relays relay, List<String> options, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("run", "-n", "2", "--relay", relay.ranks(), "--durability", "process"));
        command.addAll(options);
        command.addAll(List.of("-cp", Jobs.classPath(), MeetsLogged.class.getName()));
        command.addAll(List.of(arguments));
        return Command.start(folder, command.toArray(String[]::new));
    }

    private static void verifies(Command.Result done) {
        assertThat(done.status()).as(done.err() + done.out()).isZero();
        assertThat(done.err()).doesNotContain("iverge");
        assertThat(done.out().lines().filter(line -> line.endsWith("Verification: SUCCESSFUL"))).as(done.out()).hasSize(2);
    }

    /** The names of a grid of one relay go with it. */
    @Test
    void jobsOfOneRelayVerifyAlthoughItIsKilledWithAProcessOfEach() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a", "--data", folder.resolve("data").toString());
                Command server = job(relay, List.of(), "serve", "one", ROUNDS, NOBODY, NOBODY);
                Command visitor = job(relay, List.of(), "visit", "one", ROUNDS, NOBODY, NOBODY)) {
            relay.awaitDelivered(1_000);
            List<ProcessHandle> dying = List.of(Jobs.rank(server, 0), Jobs.rank(visitor, 1));
            relay.kill();
            dying.forEach(ProcessHandle::destroyForcibly);
            relay.startAgain();
            relay.awaitDelivered(relay.delivered() + 200);
            relay.kill();
            relay.startAgain();
            verifies(visitor.await());
            verifies(server.await());
            assertThat(Jobs.told(server.await(), "restarted")).hasSize(1);
        }
    }

    @Test
    void jobsOfTwoSitesVerifyAlthoughOneRelayAndThenTheOtherIsKilled() throws Exception {
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 2);
        try (Relays first = relay(authority, "site-a");
                Relays second = relay(authority, "site-b", "--peer", "site-a=" + first.ready().links(), "--member", first.group());
                Command server = job(first, List.of(), "serve", "two", ROUNDS, NOBODY, NOBODY);
                Command visitor = job(second, List.of(), "visit", "two", ROUNDS, NOBODY, NOBODY)) {
            for (Relays relay : List.of(second, first)) {
                relay.awaitDelivered(relay.delivered() + 300);
                relay.kill();
                relay.startAgain();
            }
            verifies(visitor.await());
            verifies(server.await());
        }
    }

    @Test
    void jobVerifiesAlthoughItsLauncherIsKilledAndItIsResumed() throws Exception {
        Path left = folder.resolve("left");
        try (Relays relay = Relays.start(folder, "site-a", "--data", folder.resolve("data").toString());
                Command server = job(relay, List.of(), "serve", "resumed", ROUNDS, NOBODY, NOBODY);
                Command visitor = job(relay, List.of("--folder", left.toString()), "visit", "resumed", ROUNDS, NOBODY, NOBODY)) {
            relay.awaitDelivered(1_000);
            visitor.handle().destroyForcibly();
            visitor.handle().onExit().join();
            verifies(Command.run(folder, "resume", left.toString()));
            verifies(server.await());
        }
    }
}
