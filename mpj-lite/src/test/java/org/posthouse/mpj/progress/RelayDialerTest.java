package org.posthouse.mpj.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.ScriptedRelay;
import org.posthouse.mpj.channel.Credentials;
import org.posthouse.mpj.channel.Platform;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Hello;

/** For how long a rank dials its relay, on a clock of the test's. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RelayDialerTest {
    private static final int RECONNECT_S = 60;
    private static final Hello HELLO = Hello.start(ScriptedRelay.JOB, 0, 2);

    private final Clock clock = new Clock();
    private final ScriptedRelay relay = new ScriptedRelay();
    private RelayConnection line;

    RelayDialerTest() throws IOException {}

    @BeforeEach
    void connect() throws Exception {
        Settings settings = new Settings(100_000, 0, Settings.KEPT_BYTES_LEAST, RECONNECT_S);
        CompletableFuture<ScriptedRelay.Connection> rank = relay.accepting();
        line = RelayConnection.connect(clock, relay.address(), Credentials.of(ScriptedRelay.TOKEN), settings, HELLO, true);
        rank.get().close();
    }

    @AfterEach
    void close() throws IOException {
        line.close();
        relay.close();
    }

    /** The relay refuses, {@code seconds} after the rank has dialled, which dials again. */
    private void refuse(CloseReason closeReason, int seconds) throws Exception {
        clock.nowNs += TimeUnit.SECONDS.toNanos(seconds);
        assertThat(line.isRefusedForNow(CloseNotice.closing(ScriptedRelay.JOB, closeReason, "not yet"))).isTrue();
        CompletableFuture<ScriptedRelay.Connection> rank = relay.accepting();
        line.greet(line.redial(), HELLO, List.of());
        rank.get().close();
    }

    @Test
    void aRelayThatReadsItsLogIsDialledForAsLongAsItSaysSo() throws Exception {
        for (int i = 0; i < 3; i++) {
            refuse(CloseReason.RELAY_STARTING, RECONNECT_S - 1);
        }
    }

    @Test
    void theTimeInWhichItSaysSomethingElseIsCountedBesideIt() throws Exception {
        refuse(CloseReason.UNKNOWN_JOB, 0);
        refuse(CloseReason.UNKNOWN_JOB, RECONNECT_S - 10);
        refuse(CloseReason.RELAY_STARTING, RECONNECT_S);
        assertThatThrownBy(() -> refuse(CloseReason.UNKNOWN_JOB, 10))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("not yet; it has not come back for 60 s (POSTHOUSE_RECONNECT_S)");
    }

    /** Each answer takes a port for a minute, and this host may have thousands of ranks. */
    @Test
    void aRelayThatAnswersIsDialledLessOften() throws Exception {
        for (int i = 0; i < 30; i++) {
            refuse(CloseReason.RELAY_STARTING, 0);
        }
        long before = clock.nowNs;
        for (int i = 0; i < 12; i++) {
            refuse(CloseReason.RELAY_STARTING, 0);
        }
        assertThat(clock.nowNs - before).isEqualTo(TimeUnit.MINUTES.toNanos(1));
    }

    /** This process's machine, with a time of its own. Confined to the test. */
    private static final class Clock implements Platform {
        private long nowNs;

        @Override
        public SocketChannel socket() throws IOException {
            return REAL.socket();
        }

        @Override
        public long nanoTime() {
            return nowNs;
        }

        @Override
        public void sleep(long ms) {
            nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
        }

        @Override
        public boolean isCollective() {
            return REAL.isCollective();
        }
    }
}
