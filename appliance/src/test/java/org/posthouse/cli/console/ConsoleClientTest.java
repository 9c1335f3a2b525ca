package org.posthouse.cli.console;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.HostPort;

/** What is said of consoles that cannot be asked. */
class ConsoleClientTest {
    @Test
    void aHostThatIsNoNameIsOneLine() {
        assertThatExceptionOfType(CommandFailure.class)
                .isThrownBy(() -> new ConsoleClient(new HostPort("a|b", 7413)).get("/readyz"))
                .withMessageMatching("cannot reach the console at a\\|b:7413: [ -~]*; name it with --ops");
    }

    /** What --listen answers, and a server of another kind. */
    @ParameterizedTest
    @ValueSource(strings = {"\0\0\0\7\u001b[2Jno HTTP", "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n\u001b[2J!",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}", "HTTP/1.1 200 OK\r\nX: \u001b[2J"})
    void answerOfAnotherKindOfServerIsNotShown(String answer) throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.startVirtualThread(() -> {
                try (Socket asker = other.accept()) {
                    asker.getInputStream().read();
                    asker.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                    asker.shutdownOutput();
                    asker.getInputStream().readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            assertThatExceptionOfType(CommandFailure.class)
                    .isThrownBy(() -> new ConsoleClient(new HostPort("127.0.0.1", other.getLocalPort())).get("/readyz"))
                    .withMessageMatching("no relay's console is at 127.0.0.1:\\d+: [ -~]*; give the address of its --ops")
                    .withMessageNotContaining("2J");
        }
    }
}
