package org.posthouse.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.Test;

/** The processes of {@code bench scale} go with its driver. */
class ScaleHostTest {
    @Test
    void noRanksThreadKeepsTheProcessWhoseDriverIsGone() throws Exception {
        try (ExecutorService threads = ScaleHost.threads(2)) {
            assertThat(threads.submit(() -> Thread.currentThread().isDaemon()).get()).isTrue();
        }
    }
}
