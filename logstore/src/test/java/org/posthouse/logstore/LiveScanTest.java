package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.LogDefect.Kind;

final class LiveScanTest {
    private static final int SCANS = 25;

    /** So that the log does not grow faster than it is read. */
    private static final long PAUSE_NS = 50_000;

    @TempDir
    private Path folder;

    @Test
    @Timeout(120)
    void aLogThatIsBeingWrittenIsNotCalledDamaged() throws Exception {
        CompletableFuture<Void> scanned = new CompletableFuture<>();
        CompletableFuture<Void> written = CompletableFuture.runAsync(() -> write(scanned));
        try {
            long last = 0;
            for (int scan = 0; scan < SCANS; scan++) {
                LogScan found = Samples.scan(folder);
                assertThat(found.defect().filter(defect -> defect.kind() != Kind.TORN_TAIL)).as("scan %d", scan).isEmpty();
                assertThat(found.lastPosition()).isGreaterThanOrEqualTo(last);
                last = found.lastPosition();
            }
        } finally {
            scanned.complete(null);
            written.get(60, TimeUnit.SECONDS);
        }
    }

    /** A few records after the others, again and again, until the scans are over. */
    private void write(CompletableFuture<Void> scanned) {
        try (MessageLog log = Samples.open(folder)) {
            while (!scanned.isDone()) {
                Samples.fill(log, 5, 50);
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }
}
