package org.posthouse.relay.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Promise;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.directory.RelayEntry;
import org.posthouse.keys.RelayId;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.threads.BlockingWaits;

/** How long a relay's process waits for its relay. */
final class RelayHostTest {
    private static final int TIMES_MAX = 2;

    private final Promise<String> deployed = Promise.promise();

    @Test
    void aRelayThatReadsItsLogIsWaitedForAsLongAsThatTakes() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        String id = RelayHost.awaitServing(deployed.future(), () -> {
            if (asked.incrementAndGet() == 5 * TIMES_MAX) {
                deployed.complete("up");
            }
            return Optional.of("it reads its log");
        }, TIMES_MAX, 1);
        assertThat(id).isEqualTo("up");
    }

    /** With --tunnel-group it has been asked by nobody before: its own word of itself counts for nothing there. */
    @Test
    void reportsLaterEpochFoundInTheGroup() {
        try (MemoryDirectory group = new MemoryDirectory()) {
            assertThat(DuplicateRelayProbe.later("here", 7, group)).isEmpty();
            group.announce(new RelayEntry("here", "here", "127.0.0.1:7411", "", "", 7, 7));
            assertThat(DuplicateRelayProbe.later("here", 7, group)).as("itself").isEmpty();
            group.announce(new RelayEntry("here", "here", "127.0.0.1:7411", "", "", 9, 9));
            assertThat(DuplicateRelayProbe.later("here", 7, group))
                    .hasValueSatisfying(told -> assertThat(told).contains("relay here", "epoch 7", "epoch 9", "--name", "clock was set back"));
        }
    }

    @Test
    void reportsFileLimitBelowTheRelaysNeed() {
        RelayConfig config = RelayConfig.loopback(RelayId.parse("here"), 0);
        assertThat(RelayHost.tooFewFiles(config, 4_608)).isEmpty();
        assertThat(RelayHost.tooFewFiles(config, 4_607))
                .hasValueSatisfying(told -> assertThat(told).startsWith("relay here may have 4,607 files open (ulimit -n), ").contains("need 4,608: "));
    }

    @Test
    void expiredWaitFailsWithMessageTimeout() {
        assertThatThrownBy(() -> BlockingWaits.await(deployed.future(), 0)).isInstanceOf(IOException.class).hasMessage("timeout");
    }

    /** As Chronicle's do in a process that ends: what has been made for the relay is put away. */
    @Test
    void classesThatCannotBeginAreInTheWayAsAnythingElse() {
        deployed.fail(new ExceptionInInitializerError(new IllegalStateException("Shutdown in progress")));
        assertThatThrownBy(() -> RelayHost.awaitServing(deployed.future(), Optional::empty, TIMES_MAX, 1)).isInstanceOf(IOException.class);
    }

    @Test
    void oneThatDoesNothingOfTheKindIsGivenUp() {
        AtomicInteger asked = new AtomicInteger();
        assertThatThrownBy(() -> RelayHost.awaitServing(deployed.future(),
                () -> asked.incrementAndGet() == TIMES_MAX ? Optional.of("it reads its log") : Optional.empty(), TIMES_MAX, 1))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("the relay does not serve after ");
        assertThat(asked).as("counted from when it had read").hasValue(2 * TIMES_MAX);
    }
}
