package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.tunnel.forward.LoopbackAddress;

/** Who connects to the port of a relay's judge, and is no relay of the grid. */
@Timeout(300)
class JudgePortAttackTest {
    private static final List<String> HEAP = List.of("-Xmx1g", "-XX:MaxDirectMemorySize=1g", "-XX:+ExitOnOutOfMemoryError");
    private static final int CONNECTIONS = 14;

    @TempDir
    private Path folder;

    /** What a judge sends first, and the length of a frame that no heap holds. */
    private static byte[] longFrame() {
        return ByteBuffer.allocate(28).put("PHJUDGE1".getBytes(StandardCharsets.US_ASCII)).putLong(1).putLong(2).putInt(Integer.MAX_VALUE).array();
    }

    @Test
    void nobodyButARelayOfTheGridIsHeard() throws Exception {
        nobodyButARelayOfTheGridIsHeard(false);
    }

    @Tag("long")
    @Test
    void namesAreChangedAndKeptAllTheSame() throws Exception {
        nobodyButARelayOfTheGridIsHeard(true);
    }

    private void nobodyButARelayOfTheGridIsHeard(boolean andNames) throws Exception {
        assumeThat(Stranger.canBe()).as("only root can be another user").isTrue();
        int port = Relays.freePort();
        String judge = LoopbackAddress.of("site-a") + ":" + port;
        try (Relays relay = Relays.start(folder, HEAP, "site-a", "--data", folder.resolve("data").toString(), "--names", "raft", "--judges", "site-a",
                "--judges-port", Integer.toString(port))) {
            assertThat(Stranger.says(Stranger.first(), judge, CONNECTIONS, longFrame())).isEqualTo(GroupPortAttackTest.refused(CONNECTIONS));
            assertThat(relay.err()).contains("group: refused", "FOREIGN_USER", "user 65534");
            assertThat(Stranger.says(List.of(), judge, CONNECTIONS, longFrame())).isEqualTo(GroupPortAttackTest.refused(CONNECTIONS));
            assertThat(relay.err()).contains("NO_HANDSHAKE").doesNotContain("OutOfMemory");
            if (andNames) {
                namesAreKept(relay);
            }
        }
    }

    private void namesAreKept(Relays relay) throws Exception {
        Command.Result bound = Command.run(folder, "names", "bind", "--relay", relay.ranks(), "a/b", "k=v");
        assertThat(bound.out()).as(bound.err()).startsWith("a/b version 1 k=v");
        relay.kill();
        relay.startAgain();
        Command.Result found = Command.run(folder, "names", "lookup", "--relay", relay.ranks(), "a/b");
        assertThat(found.out()).as("after kill -9: " + found.err()).startsWith("a/b version 1 k=v");
    }
}
