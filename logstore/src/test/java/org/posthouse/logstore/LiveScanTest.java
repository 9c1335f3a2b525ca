package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.LogDefect.Kind;

final class LiveScanTest {
    /** Written as fast as it goes, so that some come while a scan judges what it has found at the end. */
    private static final int RECORDS = 300_000;

    @TempDir
    private Path folder;

    @Test
    @Timeout(120)
    void aLogThatIsBeingWrittenIsNotCalledDamaged() {
        MessageLog log = Samples.open(folder);
        CompletableFuture<Void> written = CompletableFuture.runAsync(() -> Samples.fill(log, RECORDS, 50), task -> new Thread(task, "writer").start());
        long last = 0;
        int scans = 0;
        try {
            while (!written.isDone()) {
                LogScan found = Samples.scan(folder);
                scans++;
                assertThat(found.defect().filter(defect -> defect.kind() != Kind.TORN_TAIL)).as("scan %d", scans).isEmpty();
                assertThat(found.lastPosition()).isGreaterThanOrEqualTo(last);
                last = found.lastPosition();
            }
        } finally {
            written.join();
            log.close();
        }
        assertThat(Samples.scan(folder).lastPosition()).isEqualTo(RECORDS + 1);
    }

    /** What a scan has mapped behind the last record is not there any more once its file is full. */
    @Test
    @Timeout(120)
    void aScanGoesOnThoughTheFileBecomesFullThatItReads() {
        MessageLog log = MessageLog.open(new LogConfig(folder, LogConfig.ROLL_BYTES_MIN, 0));
        CompletableFuture<Void> written = CompletableFuture.runAsync(() -> Samples.fill(log, RECORDS / 30, 1_000), task -> new Thread(task, "writer").start());
        try {
            while (!written.isDone()) {
                assertThat(Samples.scan(folder).defect().filter(defect -> defect.kind() != Kind.TORN_TAIL)).isEmpty();
            }
        } finally {
            written.join();
            log.close();
        }
    }
}
