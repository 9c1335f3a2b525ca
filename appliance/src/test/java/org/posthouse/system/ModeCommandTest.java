package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An operator changes the mode of a relay process under a running job. */
@Timeout(900)
class ModeCommandTest {
    @TempDir
    private Path folder;

    private Command.Result mode(Relays relay, String... words) throws Exception {
        String[] arguments = new String[words.length + 3];
        arguments[0] = "mode";
        System.arraycopy(words, 0, arguments, 1, words.length);
        arguments[words.length + 1] = "--ops";
        arguments[words.length + 2] = "127.0.0.1:" + relay.ready().console().replaceFirst(".*:", "").replace("/", "");
        return Command.run(folder, arguments);
    }

    @Test
    void aRunningJobGoesOnThroughAllModes() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a", "--data", folder.resolve("data").toString())) {
            Command job = Command.start(
                    folder, "run", "-n", "4", "--relay", relay.ranks(), "--durability", "process", "example:ring", "30000", "64");
            for (String mode : new String[] {"pooled", "pipeline", "threaded", "multiplexed"}) {
                Command.Result changed = mode(relay, mode);
                assertThat(changed.err()).isEmpty();
                assertThat(changed.out()).contains("site-a: ", " -> " + mode);
            }
            Command.Result done = job.await();
            assertThat(done.err()).isEmpty();
            assertThat(done.out()).contains("Verification: SUCCESSFUL");
            assertThat(done.status()).isZero();
            assertThat(relay.command().err()).doesNotContain("ERROR", "already registered");
        }
    }

    @Test
    void saysInOneLineWhatIsWrong() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a")) {
            assertThat(mode(relay, "pooled", "--loops", "0").err()).contains("--loops: 0, expected 1 to 64").hasLineCount(1);
            assertThat(mode(relay, "pipeline", "--pipeline", "2,1").err()).contains("expected R,L,E").hasLineCount(1);
            Command.Result nobody = Command.run(folder, "mode", "pooled", "--ops", "127.0.0.1:" + Relays.freePort());
            assertThat(nobody.status()).isEqualTo(1);
            assertThat(nobody.err()).contains("cannot reach the console", "--ops").hasLineCount(1);
        }
    }
}
