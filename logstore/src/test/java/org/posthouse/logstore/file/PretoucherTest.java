package org.posthouse.logstore.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A file of 16 MiB without a byte in it, and a writer that is said to be somewhere in it. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class PretoucherTest {
    private static final long MIB = 1 << 20;

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void sparse() throws IOException {
        file = QueueFiles.file(folder, 0);
        lengthen(QueueFiles.BLOCK_BYTES);
    }

    private void lengthen(long bytes) throws IOException {
        try (RandomAccessFile to = new RandomAccessFile(file.toFile(), "rw")) {
            to.setLength(bytes);
        }
    }

    /** What the file system has set aside for the file. */
    private long allocated() throws Exception {
        Process du = new ProcessBuilder("du", "-k", file.toString()).redirectErrorStream(true).start();
        String said = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(du.waitFor()).as(said).isZero();
        return Long.parseLong(said.split("\t", 2)[0]) << 10;
    }

    private void awaitAllocated(long bytes) throws Exception {
        while (allocated() < bytes) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    @Test
    void pagesAheadOfWriterAreAllocatedAndZero() throws Exception {
        assumeTrue(allocated() == 0, "the file system keeps no holes");
        try (Pretoucher pretoucher = new Pretoucher(folder)) {
            pretoucher.follow(0, MIB - 1);
            assertThat(allocated()).as("of a log that is small").isZero();
            pretoucher.follow(0, MIB);
            awaitAllocated(Pretoucher.AHEAD_BYTES);
            pretoucher.follow(0, 3 * MIB + 5);
            awaitAllocated(Pretoucher.AHEAD_BYTES + 2 * MIB);
        }
        assertThat(allocated()).as("so far and not further").isLessThanOrEqualTo(Pretoucher.AHEAD_BYTES + 3 * MIB);
        assertThat(Files.size(file)).isEqualTo(QueueFiles.BLOCK_BYTES);
        assertThat(Files.readAllBytes(file)).containsOnly(0);
    }

    @Test
    void fileIsMadeLongerBeforeTheWriterComesToItsEndAndNeverShorter() throws Exception {
        try (Pretoucher pretoucher = new Pretoucher(folder)) {
            pretoucher.follow(0, 11 * MIB);
            assertThat(Files.size(file)).isEqualTo(QueueFiles.BLOCK_BYTES);
            pretoucher.follow(0, 13 * MIB);
            assertThat(Files.size(file)).isEqualTo(2 * QueueFiles.BLOCK_BYTES);
            lengthen(5 * QueueFiles.BLOCK_BYTES);
            pretoucher.follow(0, 31 * MIB);
            assertThat(Files.size(file)).isEqualTo(5 * QueueFiles.BLOCK_BYTES);
        }
    }

    @Test
    void fileThatIsGoneIsNobodysTrouble() throws IOException {
        Files.delete(file);
        try (Pretoucher pretoucher = new Pretoucher(folder.resolve("gone"))) {
            pretoucher.follow(0, 2 * MIB);
            pretoucher.follow(0, 9 * MIB);
        }
        assertThat(folder).isEmptyDirectory();
    }
}
