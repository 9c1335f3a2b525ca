package org.posthouse.launch.install;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.job.JobFailure;

/** Relays that are processes of this one's. */
@Timeout(60)
class RelayProcessTest {
    private static final List<String> OPTIONS = List.of("--site", "a", "--listen", "127.0.0.1:0", "--ops", "127.0.0.1:0");

    @TempDir
    private Path folder;

    @Test
    void aRelayThatDoesNotServeInTimeIsEndedAndHasFailed() {
        assertThatThrownBy(() -> RelayProcess.start(OPTIONS, folder.resolve("errors"), 1, new CompletableFuture<>()))
                .isInstanceOf(JobFailure.class)
                .hasMessage("a relay did not serve within 0 s: it did not say why");
    }

    /** No JVM serves after 20 ms. */
    @Test
    void aRelayThatDoesNotServeYetIsKilledWhenItsStartIsCancelled() {
        CompletableFuture<Void> cancelled = new CompletableFuture<Void>().completeOnTimeout(null, 20, TimeUnit.MILLISECONDS);
        assertThatThrownBy(() -> RelayProcess.start(OPTIONS, folder.resolve("errors"), cancelled))
                .isInstanceOf(JobFailure.class)
                .hasMessage("interrupted while a relay was being started");
    }

    @Test
    void noRelayIsStartedBehindACancellation() {
        CompletableFuture<Void> cancelled = CompletableFuture.completedFuture(null);
        assertThatThrownBy(() -> RelayGrid.start(1, 2, List.of(), ready -> {}, cancelled))
                .isInstanceOf(JobFailure.class)
                .hasMessage("interrupted while a relay was being started");
    }
}
