package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.system.jobs.PoursThrough;

/** Promise P6 for the log: a job that writes half a GiB goes through a log of 96 MiB, killed on the way or not, though one of its ranks has left at once. Real processes. */
@Timeout(900)
class LogLimitTest {
    private static final long LIMIT_BYTES = 96L << 20;

    /** The longest file of such a log, with what stands ready behind its end. */
    private static final long FILE_BYTES = 20L << 20;

    private static final int MESSAGES = 4 << 10;
    private static final int SAMPLE_MS = 20;

    @TempDir
    private Path folder;

    @Test
    void aJobWritesMoreThanTheLogMayHold() throws Exception {
        Path log = folder.resolve("data/log");
        AtomicLong most = new AtomicLong();
        try (Relays relay = Relays.start(folder, "here", "--data", folder.resolve("data").toString(), "--log-limit", "96m")) {
            Thread sampler = Thread.ofPlatform().daemon().start(() -> sample(log, most));
            Command.Result result = Command.run(
                    folder,
                    "run", "-n", "3", "--relay", relay.ranks(), "--durability", "process", "-cp", Jobs.classPath(),
                    PoursThrough.class.getName(), "" + MESSAGES, "0:1500,1000;1:2000");
            assertThat(result.status()).as(result.err()).isZero();
            assertThat(result.err()).doesNotContain("iverge");
            assertThat(result.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            sampler.interrupt();
            sampler.join();
            assertThat(most.get()).isBetween(LIMIT_BYTES / 4, LIMIT_BYTES + FILE_BYTES);
            assertThat(bytes(log)).as("a finished job's files go, all but the newest").isLessThanOrEqualTo(2 * FILE_BYTES);
            assertThat(folder.resolve("data/images")).isEmptyDirectory();
        }
    }

    private static void sample(Path log, AtomicLong most) {
        try {
            while (true) {
                long bytes = bytes(log);
                most.accumulateAndGet(bytes, Math::max);
                Thread.sleep(SAMPLE_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static long bytes(Path log) throws IOException {
        List<Path> files;
        try (Stream<Path> names = Files.list(log)) {
            files = names.toList();
        }
        long bytes = 0;
        for (Path file : files) {
            try {
                bytes += Files.size(file);
            } catch (NoSuchFileException e) {
                // Cut meanwhile.
                assert bytes >= 0;
            }
        }
        return bytes;
    }
}
