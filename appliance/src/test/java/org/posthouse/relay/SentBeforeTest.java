package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.core.Claim;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.LogRecord;
import org.posthouse.logstore.MessageLog;
import org.posthouse.wire.MessageChecksum;
import org.posthouse.wire.Wire;

/** What a restarted rank claims to send again, against what a real log says that it sent. */
final class SentBeforeTest {
    private static final long JOB = 7;
    private static final int SOURCE = 3;
    private static final int CHUNK = Wire.PAYLOAD_BYTES_MAX;

    @TempDir
    private Path folder;

    private MessageLog log;
    private long opened;
    private long place;
    private SentBefore before;

    @BeforeEach
    void open() {
        log = MessageLog.open(LogConfig.of(folder));
        opened = log.appendJobOpened(new LogRecord.JobOpened(JOB, 4, 1), ByteBuffer.allocate(8));
        place = log.place();
        before = new SentBefore(() -> Optional.of(log.sentCursor(JOB, SOURCE, opened, place)), () -> 1);
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

    private static Claim claim(int to, long sequence, int seed) {
        return new Claim(0, to, sequence, 5, 10, 10, 1, MessageChecksum.piece(payload(10, seed)));
    }

    @Test
    void findsNothingToSayAboutTheSameMessages() {
        sent(SOURCE, 0, 1, 1);
        sent(1, 0, 1, 9);
        sent(SOURCE, 2, 1, 2);
        sent(SOURCE, 0, 2, 3);
        assertThat(before.difference(claim(2, 1, 2))).as("another channel is ahead").isEmpty();
        assertThat(before.difference(claim(0, 1, 1))).isEmpty();
        assertThat(before.difference(claim(0, 2, 3))).isEmpty();
    }

    @Test
    void saysWhatDiffers() {
        sent(SOURCE, 0, 1, 1);
        sent(SOURCE, 0, 2, 1);
        sent(SOURCE, 0, 3, 1);
        assertThat(before.difference(claim(0, 1, 4))).isEqualTo("other content in 10 bytes");
        assertThat(before.difference(new Claim(0, 0, 2, 6, 10, 10, 1, 0))).isEqualTo("tag 6 instead of 5");
        assertThat(before.difference(new Claim(0, 0, 3, 5, 11, 10, 2, 0)))
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
        assertThat(before.difference(new Claim(0, 0, 1, 5, bytes, bytes, 1, checksum.value()))).isEmpty();
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
    void hasNothingToSayAboutWhatTheLogHasNot() {
        sent(SOURCE, 0, 1, 1);
        assertThat(before.difference(claim(0, 5, 1))).isEmpty();
        sent(SOURCE, 0, 6, 1);
        assertThat(before.difference(claim(0, 6, 2))).as("logged since").isEqualTo("other content in 10 bytes");
    }
}
