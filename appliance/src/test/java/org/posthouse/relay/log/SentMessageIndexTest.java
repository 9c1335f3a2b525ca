package org.posthouse.relay.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.core.ResendClaim;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.LogCursor;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.wire.MessageChecksum;
import org.posthouse.wire.Wire;

/** What a restarted rank claims to send again, against what a real log says that it sent. */
final class SentMessageIndexTest {
    private static final long JOB = 7;
    private static final int SOURCE = 3;
    private static final int ROLL_BYTES = 1 << 20;
    private static final int CHUNK = Wire.PAYLOAD_BYTES_MAX;

    @TempDir
    private Path folder;

    private MessageLog log;
    private long opened;
    private long place;

    /** Messages of another rank. */
    private long others;

    private SentMessageIndex before;

    @BeforeEach
    void open() {
        log = MessageLog.open(new LogConfig(folder, ROLL_BYTES, 0));
        opened = log.appendJobOpened(new LogRecord.JobOpened(JOB, 4, 1), ByteBuffer.allocate(8));
        place = log.place();
        before = new SentMessageIndex(() -> Optional.of(sent()), () -> log.firstPosition());
    }

    private LogCursor sent() {
        return opened < log.firstPosition() ? log.sentCursor(JOB, SOURCE) : log.sentCursor(JOB, SOURCE, opened, place);
    }

    @AfterEach
    void close() {
        before.close();
        log.close();
    }

    private static LogRecord.Arrival arrival(int source, int to, long sequence, long bytes, LogRecord.Form form) {
        return new LogRecord.Arrival(JOB, to, 0, source, 5, sequence, 1, (int) bytes, bytes, form, false, null);
    }

    private static ByteBuffer payload(int bytes, int seed) {
        ByteBuffer payload = ByteBuffer.allocate(bytes);
        for (int i = 0; i < bytes; i++) {
            payload.put(i, (byte) (seed + i * 31));
        }
        return payload;
    }

    private void sent(int source, int to, long sequence, int seed) {
        log.appendArrival(arrival(source, to, sequence, 10, LogRecord.Form.SEND), payload(10, seed));
    }

    private static ResendClaim claim(int to, long sequence, int seed) {
        return new ResendClaim(0, to, sequence, 5, 10, 10, 1, MessageChecksum.piece(payload(10, seed)));
    }

    @Test
    void reportsNoDifferenceForIdenticalMessages() {
        sent(SOURCE, 0, 1, 1);
        sent(1, 0, 1, 9);
        sent(SOURCE, 2, 1, 2);
        sent(SOURCE, 0, 2, 3);
        assertThat(before.difference(claim(2, 1, 2))).as("another channel is ahead").isEmpty();
        assertThat(before.difference(claim(0, 1, 1))).isEmpty();
        assertThat(before.difference(claim(0, 2, 3))).isEmpty();
    }

    @Test
    void reportsContentTagAndLengthDifferences() {
        sent(SOURCE, 0, 1, 1);
        sent(SOURCE, 0, 2, 1);
        sent(SOURCE, 0, 3, 1);
        assertThat(before.difference(claim(0, 1, 4))).isEqualTo("other content in 10 bytes");
        assertThat(before.difference(new ResendClaim(0, 0, 2, 6, 10, 10, 1, 0))).isEqualTo("tag 6 instead of 5");
        assertThat(before.difference(new ResendClaim(0, 0, 2, Wire.SENT_WITH_ANY_TAG, 10, 10, 1, 0))).isEqualTo("tag ANY_TAG instead of 5");
        assertThat(before.difference(new ResendClaim(0, 0, 3, 5, 11, 10, 2, 0)))
                .isEqualTo("bytes 11 instead of 10, datatype 2 instead of 1");
    }

    @Test
    void sumsMessagesThatCameInPieces() {
        int bytes = CHUNK + 7;
        long at = log.appendArrival(arrival(SOURCE, 0, 1, bytes, LogRecord.Form.EAGER));
        log.appendChunk(JOB, 0, at, 0, payload(CHUNK, 1));
        sent(SOURCE, 2, 1, 2);
        log.appendChunk(JOB, 0, at, CHUNK, payload(7, 3));
        MessageChecksum checksum = new MessageChecksum();
        checksum.add(MessageChecksum.piece(payload(CHUNK, 1)));
        checksum.add(MessageChecksum.piece(payload(7, 3)));
        assertThat(before.difference(new ResendClaim(0, 0, 1, 5, bytes, bytes, 1, checksum.value()))).isEmpty();
        assertThat(before.difference(claim(2, 1, 5))).isEqualTo("other content in 10 bytes");
    }

    @Test
    void beginsAnewWhenTheRankIsStartedOnceMore() {
        sent(SOURCE, 0, 1, 1);
        sent(SOURCE, 0, 2, 2);
        assertThat(before.difference(claim(0, 1, 1))).isEmpty();
        assertThat(before.difference(claim(0, 2, 2))).isEmpty();
        assertThat(before.difference(claim(0, 1, 7))).isEqualTo("other content in 10 bytes");
        assertThat(before.difference(claim(0, 2, 2))).isEmpty();
    }

    @Test
    void reportsNoDifferenceForUnloggedMessages() {
        sent(SOURCE, 0, 1, 1);
        assertThat(before.difference(claim(0, 5, 1))).isEmpty();
        sent(SOURCE, 0, 6, 1);
        assertThat(before.difference(claim(0, 6, 2))).as("logged since").isEqualTo("other content in 10 bytes");
    }

    /** Fills the file that is written to, and begins the next. */
    private void roll() {
        long rolls = log.rolls();
        while (log.rolls() == rolls) {
            log.appendArrival(arrival(1, 1, ++others, CHUNK, LogRecord.Form.SEND), payload(CHUNK, 1));
        }
    }

    /** What it has mapped of files that are gone. */
    private List<String> mappedAndGone() throws IOException {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return maps.filter(map -> map.contains(folder.toString()) && map.endsWith("(deleted)")).toList();
        }
    }

    @Test
    void keepsNoFileOpenThatWasCutAndNoneFromBeingBegunAgain() throws IOException {
        sent(SOURCE, 0, 1, 1);
        sent(SOURCE, 0, 2, 2);
        assertThat(before.difference(claim(0, 1, 1))).isEmpty();
        roll();
        long second = log.position();
        roll();
        log.discard(log.cut(second), 0);
        assertThat(mappedAndGone()).as("it is being read").isNotEmpty();
        before.onCut();
        await().untilAsserted(() -> assertThat(mappedAndGone()).isEmpty());
        sent(SOURCE, 0, 3, 3);
        assertThat(before.difference(claim(0, 2, 9))).as("the log has it no more").isEmpty();
        assertThat(before.difference(claim(0, 3, 9))).isEqualTo("other content in 10 bytes");
        before.onCut();
        long used = log.usedBytes();
        log.discard(log.cut(log.position()), Long.MAX_VALUE);
        assertThat(log.usedBytes()).as("it is begun again").isEqualTo(used);
        sent(SOURCE, 0, 4, 4);
        assertThat(before.difference(claim(0, 4, 9))).as("it goes on where it was").isEqualTo("other content in 10 bytes");
    }

    @Test
    void goesOnWithAMessageInPiecesWhenTheLogWasCutBeforeIt() {
        roll();
        long at = log.appendArrival(arrival(SOURCE, 0, 1, CHUNK + 7, LogRecord.Form.EAGER));
        log.appendChunk(JOB, 0, at, 0, payload(CHUNK, 1));
        sent(SOURCE, 2, 1, 2);
        assertThat(before.difference(claim(2, 1, 2))).isEmpty();
        log.discard(log.cut(at), 0);
        before.onCut();
        log.appendChunk(JOB, 0, at, CHUNK, payload(7, 3));
        assertThat(before.difference(new ResendClaim(0, 0, 1, 5, CHUNK + 7, CHUNK + 7, 1, 0))).isEqualTo("other content in " + (CHUNK + 7) + " bytes");
    }

}
