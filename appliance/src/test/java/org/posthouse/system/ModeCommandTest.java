package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;
import org.posthouse.system.jobs.Circles;

/** An operator changes the mode of a relay process under a running job. */
@Timeout(900)
class ModeCommandTest {
    @TempDir
    private Path folder;

    private static InProcess.Result mode(Relays relay, String... words) {
        List<String> command = new ArrayList<>(List.of("mode"));
        command.addAll(List.of(words));
        command.addAll(List.of("--ops", relay.ready().console()));
        return InProcess.run(command.toArray(String[]::new));
    }

    @Tag("long")
    @Test
    void aRunningJobGoesOnThroughAllModes() throws Exception {
        Path end = folder.resolve("end");
        try (Relays relay = Relays.start(folder, "site-a", "--data", folder.resolve("data").toString());
                Command job = Command.start(
                        folder, "run", "-n", "4", "--relay", relay.ranks(), "--durability", "process", "-cp", Jobs.classPath(), Circles.class.getName(),
                        end.toString())) {
            for (String mode : new String[] {"pooled", "pipeline", "threaded", "multiplexed"}) {
                relay.awaitDelivered(relay.delivered() + 1_000);
                InProcess.Result changed = mode(relay, mode);
                assertThat(changed.err()).isEmpty();
                assertThat(changed.out()).startsWith("site-a: ").contains(" -> " + mode, " of 4 ranks moved");
            }
            relay.awaitDelivered(relay.delivered() + 1_000);
            Files.createFile(end);
            Command.Result done = job.await();
            assertThat(done.err()).isEmpty();
            assertThat(done.out()).contains("Verification: SUCCESSFUL");
            assertThat(done.status()).isZero();
            assertThat(relay.err()).doesNotContain("ERROR", "already registered");
        }
    }

    @Test
    void reportsEachErrorInOneLine() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a")) {
            assertThat(mode(relay, "pooled", "--loops", "0").err()).contains("--loops: 0, expected 1 to 64").hasLineCount(1);
            assertThat(mode(relay, "pipeline", "--pipeline", "2,1").err()).contains("expected R,L,E").hasLineCount(1);
        }
        Command.Result nobody = Command.run(folder, "mode", "pooled", "--ops", "127.0.0.1:" + Relays.freePort());
        assertThat(nobody.status()).isEqualTo(1);
        assertThat(nobody.err()).contains("cannot reach the console", "--ops").hasLineCount(1);
    }
}
