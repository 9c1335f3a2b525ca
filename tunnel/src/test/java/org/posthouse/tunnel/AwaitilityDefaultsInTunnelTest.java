package org.posthouse.tunnel;

import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;

class AwaitilityDefaultsInTunnelTest {
    @Test
    void aThreadOfAnotherTestMayFailWhileThisOneWaits() {
        await().until(() -> {
            Thread stranger = new Thread(() -> {
                throw new IllegalStateException("broken by the test");
            });
            stranger.start();
            stranger.join();
            return true;
        });
    }
}
