package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.core.CoreConfig;
import org.posthouse.system.jobs.PilesUp;

/** A job without a log uses up a relay's direct memory, of which the JVM takes no notice: what it leaves half done would keep others waiting for ever. Real processes. */
@Timeout(900)
final class MemoryUsedUpTest {
    /** Less than one sender's credit, to a rank that receives nothing. */
    private static final List<String> LITTLE_MEMORY = List.of(
            "-Xmx96m", "-XX:MaxDirectMemorySize=" + CoreConfig.DEFAULT.creditBytes() * 3 / 4, "-XX:+ExitOnOutOfMemoryError");

    @TempDir
    private Path folder;

    @Tag("long")
    @Test
    void theRelayEndsAtOnceAndItsLogBringsTheOtherJobBack() throws Exception {
        try (Relays relay = Relays.start(folder, LITTLE_MEMORY, "site-a", "--data", folder.resolve("data").toString());
                Command logged = start(relay, "process", "example:ring", "4000", "1024")) {
            relay.awaitDelivered(500);
            String nobody = folder.resolve("go").toString();
            try (Command greedy = start(relay, "none", "-cp", Jobs.classPath(), PilesUp.class.getName(), nobody, "0", "100", "100", "200000")) {
                Command.Result ended = relay.command().await();
                assertThat(ended.status()).isEqualTo(3);
                assertThat(ended.err()).contains("this process ends at once, with status 3").contains("POSTHOUSE_RELAY_FLAGS");
                assertThat(greedy.await().status()).as("it has no log").isNotZero();
            }
            relay.startAgain();
            Command.Result done = logged.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(Jobs.told(done, "restarted")).as("its ranks wait").isEmpty();
        }
    }

    private Command start(Relays relay, String durability, String... program) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("run", "-n", "2", "--relay", relay.ranks(), "--durability", durability));
        arguments.addAll(List.of(program));
        return Command.start(folder, arguments.toArray(String[]::new));
    }
}
