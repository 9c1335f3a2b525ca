package org.posthouse.launch.install;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.job.JobFailure;

/** Relays that are processes of this one's. */
@Timeout(60)
class RelayProcessTest {
    @TempDir
    private Path folder;

    @Test
    void aRelayThatDoesNotServeInTimeIsEndedAndHasFailed() {
        assertThatThrownBy(() -> RelayProcess.start(
                List.of("--site", "a", "--listen", "127.0.0.1:0", "--ops", "127.0.0.1:0"), folder.resolve("errors"), 1))
                .isInstanceOf(JobFailure.class)
                .hasMessage("a relay did not serve within 0 s: it did not say why");
    }
}
