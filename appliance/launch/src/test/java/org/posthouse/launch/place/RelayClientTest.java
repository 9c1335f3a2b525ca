package org.posthouse.launch.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.launch.ToldRelay;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** What a launcher makes of a relay that is late, silent or none. */
@Timeout(120)
class RelayClientTest {
    /** As the port of links does, which wants TLS, and one that speaks HTTP. */
    @ParameterizedTest
    @ValueSource(strings = {"", "HTTP/1.1 400 Bad Request\r\n\r\n"})
    void whoeverAnswersAsNoRelayDoesIsAnotherPort(String answer) throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + other.getLocalPort();
            Thread.startVirtualThread(() -> {
                try (Socket launcher = other.accept()) {
                    launcher.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                    launcher.shutdownOutput();
                    launcher.getInputStream().readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            assertThatExceptionOfType(JobFailure.class)
                    .isThrownBy(() -> RelayClient.connect(address, Token.NONE))
                    .withMessage("no relay greets launchers at " + address
                            + (answer.isEmpty() ? ": it has closed the connection" : ": this is no Posthouse connection: an HTTP server is at the other end")
                            + "; give the address of a relay's --listen, which has another port than its --links and its --ops, or try again if thousands only connect to it");
        }
    }

    /** On a busy host. */
    @Test
    void aLauncherThatIsNotHeardInTimeDialsAgain() throws Exception {
        try (ToldRelay late = new ToldRelay()) {
            CompletableFuture<RelayClient> connecting = new CompletableFuture<>();
            Thread.startVirtualThread(() -> {
                try {
                    connecting.complete(RelayClient.connect(late.address(), Token.NONE));
                } catch (JobFailure e) {
                    connecting.completeExceptionally(e);
                }
            });
            late.turnAway(CloseReason.TIMEOUT);
            late.greet();
            try (RelayClient line = connecting.get()) {
                assertThat(line.home().relay()).isEqualTo("here");
            }
        }
    }

    /** Whose answer is lost in a cut, or late: it would keep the job for its launcher. */
    @Test
    void closesJobAtRelayThatHasNotConfirmedOpening() throws Exception {
        try (ToldRelay busy = new ToldRelay()) {
            CompletableFuture<RelayClient> gaveUp = new CompletableFuture<>();
            Thread launcher = Thread.startVirtualThread(() -> {
                try {
                    RelayClient line = RelayClient.connect(busy.address(), Token.NONE);
                    assertThatExceptionOfType(JobFailure.class).isThrownBy(() -> open(line, 2))
                            .withMessageStartingWith("interrupted while waiting for relay here");
                    gaveUp.complete(line);
                } catch (JobFailure e) {
                    gaveUp.completeExceptionally(e);
                }
            });
            busy.greet();
            long job = busy.hearOpening().job();
            launcher.interrupt();
            try (RelayClient line = gaveUp.get()) {
                line.closeJob(new CloseNotice(job, 1, -1, "not opened in time"));
                assertThat(busy.closeJob().text()).isEqualTo("not opened in time");
                assertThat(line.awaitClosed(60_000)).isTrue();
            }
        }
    }

    private static void open(RelayClient line, int ranks) throws JobFailure {
        line.open(new JobOpen(new Random().nextLong(), Token.random(), false, "test", List.of(line.home()), new int[ranks]));
    }
}
