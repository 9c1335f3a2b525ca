package org.posthouse.relay.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.MessageLog;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.wire.Durability;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** Ends of jobs in the log, and the images of ended jobs. */
class JobEndWriterTest {
    @TempDir
    private Path folder;

    /** What it needed would stay, and there would be no room for others; and the relay's next process would have it again. */
    @Test
    void failedJobEndRecordIsAppendedOnceLogIsWritable() throws Exception {
        Path there = folder.resolve("log");
        RelayLog relayLog = LogJournalTest.open(there);
        relayLog.forJob(LogJournalTest.job(7));
        Path away = Files.move(there, folder.resolve("away"));
        await().until(() -> relayLog.failure().isPresent());
        long before = relayLog.position();
        assertThat(relayLog.jobClosed(7, 1)).isFalse();
        Files.move(away, there);
        await().until(() -> relayLog.position() == before + 1);
        assertThat(relayLog.isUnended(7)).isFalse();
        relayLog.close();
        try (MessageLog next = MessageLog.open(LogConfig.of(there))) {
            assertThat(next.book().jobs()).isEmpty();
        }
    }

    /** With the power its end may be lost, and not the deletion: it would go on then, and have nothing to go on from. */
    @ParameterizedTest(name = "its end comes to the disk {0}")
    @ValueSource(booleans = {false, true})
    void imagesOfAJobThatIsToOutliveTheHostStayUntilItsEndIsOnTheDisk(boolean safe) throws Exception {
        Path log = folder.resolve("log");
        Path images = RelayLog.imageFolder(log);
        List<Long> awaited = new CopyOnWriteArrayList<>();
        RelayLog relayLog = new RelayLog();
        relayLog.open(log, "here", 1, LogLimits.DEFAULT, 0, LogJournalTest.NOBODY, position -> {
            awaited.add(position);
            return safe || position == 0;
        });
        relayLog.forJob(new JobOpen(7, new Token(1, 2), Durability.HOST, false, "test", LogJournalTest.job(7).homes(), LogJournalTest.job(7).homeOf()));
        Path image = Files.writeString(Files.createDirectories(images.resolve("0000000000000007").resolve("0")).resolve("1.img"), "image");
        relayLog.jobClosed(7, 0);
        long end = relayLog.position();
        relayLog.close();
        assertThat(awaited).contains(end);
        assertThat(Files.exists(image)).isEqualTo(!safe);
    }

    /** The relay was started again since, and its host was not: nothing tells that the end of the job is on the disk. */
    @ParameterizedTest(name = "its end comes to the disk {0}")
    @ValueSource(booleans = {false, true})
    void imagesOfAJobThatAnEarlierProcessEndedStayUntilItsEndIsOnTheDisk(boolean safe) throws Exception {
        Path log = folder.resolve("log");
        Path image = endedWithAnImage(log);
        List<Long> awaited = new CopyOnWriteArrayList<>();
        RelayLog relayLog = new RelayLog();
        relayLog.open(log, "here", 1, LogLimits.DEFAULT, 0, LogJournalTest.NOBODY, position -> {
            awaited.add(position);
            return safe || position == 0;
        });
        relayLog.close();
        assertThat(awaited).doesNotContain(0L);
        assertThat(Files.exists(image)).isEqualTo(!safe);
    }

    /** They take room, and are nobody else's affair. */
    @Test
    void logOpensDespiteUndeletableImagesOfEndedJob() throws Exception {
        Path log = folder.resolve("log");
        Path image = endedWithAnImage(log);
        String level = "d".repeat(200) + "/";
        Path half = Files.createDirectories(image.resolveSibling(level.repeat(10)));
        Path moved = folder.resolve(level);
        Files.createDirectories(moved.resolve(level.repeat(11)));
        Files.move(moved, half.resolve("moved")); // Now its path is longer than any may be.
        try {
            RelayLog relayLog = new RelayLog();
            assertThat(relayLog.open(log, "here", 1, LogLimits.DEFAULT, 0, LogJournalTest.NOBODY, safe -> true)).isEmpty();
            relayLog.close();
        } finally {
            Files.move(half.resolve("moved"), moved);
        }
        assertThat(image).exists();
    }

    private static Path endedWithAnImage(Path log) throws IOException {
        RelayLog relayLog = new RelayLog();
        relayLog.open(log, "here", 1, LogLimits.DEFAULT, 0, LogJournalTest.NOBODY, safe -> false);
        relayLog.forJob(new JobOpen(7, new Token(1, 2), Durability.HOST, false, "test", LogJournalTest.job(7).homes(), LogJournalTest.job(7).homeOf()));
        Path folder = Files.createDirectories(RelayLog.imageFolder(log).resolve("0000000000000007").resolve("0"));
        relayLog.jobClosed(7, 0);
        relayLog.close();
        return Files.writeString(folder.resolve("1.img"), "image");
    }
}
