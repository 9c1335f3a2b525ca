package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.LogEntry;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.system.jobs.PilesUp;

/** A message that waits in a log whose bytes change is never delivered: its job ends or stands still, by name, and no other. */
@Timeout(900)
final class DamagedLogTest {
    private static final int MESSAGES = 50;
    private static final int BYTES = 1_000;

    @TempDir
    private Path folder;

    @Test
    void jobEndsThatNeedsADamagedRecordAndItsRecordIsNamed() throws Exception {
        Path go = folder.resolve("go");
        try (Relays relay = Relays.start(folder, "site-a", "--data", folder.resolve("data").toString());
                Command job = start(relay, go)) {
            LogEntry damaged = damagedAt(relay);
            Files.createFile(go);
            Command.Result result = job.await();
            assertThat(result.status()).isEqualTo(1);
            assertThat(result.out()).doesNotContain("received all");
            assertThat(result.err())
                    .contains("LOG_DAMAGED")
                    .contains(damaged.file() + ", position " + damaged.position())
                    .contains("CRC32C")
                    .doesNotContain("AssertionError");
            Command.Result next = Command.run(
                    folder, "run", "-n", "2", "--relay", relay.ranks(), "--durability", "process", "example:ring", "5", "100");
            assertThat(next.out()).contains("Verification: SUCCESSFUL");
        }
    }

    /** Its disk may be mended. */
    @Tag("long")
    @Test
    void aJobWithAFolderStandsStillAndGoesOnWhenTheRecordCanBeReadAgain() throws Exception {
        Path go = folder.resolve("go");
        Path kept = folder.resolve("kept");
        try (Relays relay = Relays.start(folder, "site-a", "--data", folder.resolve("data").toString());
                Command job = start(relay, go, "--folder", kept.toString())) {
            LogEntry damaged = damagedAt(relay);
            Files.createFile(go);
            Command.Result left = job.await();
            assertThat(left.status()).as(left.err()).isEqualTo(75);
            assertThat(left.err()).contains("the job stands still: ", "LOG_DAMAGED");
            relay.kill();
            flip(damaged);
            relay.startAgain();
            Command.Result resumed = Command.run(folder, "resume", kept.toString());
            assertThat(resumed.status()).as(resumed.err()).isZero();
            assertThat(resumed.out()).contains("received all " + MESSAGES);
        }
    }

    private Command start(Relays relay, Path go, String... more) throws Exception {
        List<String> run = new ArrayList<>(List.of("run", "-n", "2", "--relay", relay.ranks(), "--durability", "process", "-cp", Jobs.classPath()));
        run.addAll(List.of(more));
        run.addAll(List.of(PilesUp.class.getName(), go.toString(), Integer.toString(MESSAGES), Integer.toString(BYTES), "0", "0"));
        return Command.start(folder, run.toArray(String[]::new));
    }

    /** When all messages wait in the log, one of them changes. */
    private LogEntry damagedAt(Relays relay) throws Exception {
        await().atMost(Duration.ofSeconds(60)).until(() -> relay.meter("posthouse_unexpected") == MESSAGES);
        LogEntry entry = arrivals().get(MESSAGES / 2);
        flip(entry);
        return entry;
    }

    private List<LogEntry> arrivals() {
        List<LogEntry> arrivals = new ArrayList<>();
        MessageLog.scan(folder.resolve("data").resolve("log"), entry -> {
            if (entry.record() instanceof LogRecord.Arrival) {
                arrivals.add(entry);
            }
        });
        return arrivals;
    }

    /** Twice, and it is as it was. */
    private static void flip(LogEntry entry) throws Exception {
        long offset = entry.offset() + BYTES / 2;
        try (FileChannel channel = FileChannel.open(entry.file(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, offset);
            channel.write(one.put(0, (byte) (one.get(0) ^ 1)).flip(), offset);
        }
    }
}
