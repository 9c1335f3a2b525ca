package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code posthouse top} on a pseudo-terminal, where a relay is killed and comes back. */
@Timeout(300)
class TopOnTerminalTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String OTHER_SCREEN = "\u001b[?1049h";
    private static final String BACK = "\u001b[?1049l";
    private static final String RED = "\u001b[31;1m";

    @TempDir
    private Path folder;

    private Relays relay;

    @BeforeEach
    void start() throws IOException {
        relay = Relays.start(folder, "a", "--data", folder.resolve("data").toString());
    }

    @AfterEach
    void stop() throws IOException {
        relay.close();
    }

    private Command top(String... environment) throws IOException {
        String inTerminal = "exec env TERM=xterm " + String.join(" ", environment)
                + " script -qec \"stty rows 24 cols 150; exec $(printf '%q ' \"$@\")\" /dev/null";
        return Command.startBehind(
                folder, List.of("bash", "-c", inTerminal, "bash"), List.of(), "top", "--ops", relay.ready().console(), "--every", "0.2");
    }

    private static void awaitShown(Command top, String text) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(top.out()).contains(text));
    }

    @Test
    void redrawsThroughARelaysRestartAndLeavesTheTerminalAsItWas() throws Exception {
        try (Command top = top()) {
            awaitShown(top, "multiplexed");
            top.type("e");
            awaitShown(top, "events");
            top.type("g");
            relay.kill();
            awaitShown(top, "cannot reach the console at");
            int before = top.out().length();
            relay.startAgain();
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(top.out().substring(before)).contains("posthouse top"));
            top.type("q");
            Command.Result ended = top.await();
            assertThat(ended.status()).as(ended.out()).isZero();
            assertThat(ended.out()).startsWith(OTHER_SCREEN).contains(RED).contains(BACK);
        }
    }

    @Tag("long")
    @Test
    void noColorIsHeededAndCtrlCEndsIt() throws Exception {
        try (Command top = top("NO_COLOR=1")) {
            awaitShown(top, "multiplexed");
            relay.kill();
            awaitShown(top, "cannot reach the console at");
            top.type("\u0003");
            Command.Result ended = top.await();
            assertThat(ended.status()).as(ended.out()).isEqualTo(130);
            assertThat(ended.out()).doesNotContain("[31").contains(BACK);
        }
    }
}
