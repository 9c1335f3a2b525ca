package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Promise;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

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
