package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.image.ImageStore;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.LogRecord.CheckpointTaken;
import org.posthouse.logstore.record.LogRecord.Chunk;
import org.posthouse.logstore.record.LogRecord.Delivery;
import org.posthouse.logstore.record.LogRecord.Events;
import org.posthouse.logstore.record.LogRecord.Form;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.LogRecord.Polls;
import org.posthouse.logstore.record.LogRecord.Receipt;

/** A prologue says what its rank's records said, when the log is gone. */
final class InitHistoryTest {
    private static final int RANK = 3;

    @TempDir
    private Path folder;

    private long sequence;
    private long deliveries;

    private Arrival arrival(Form form, long length, boolean delivered) {
        return new Arrival(Samples.JOB, RANK, 1, 2, 5, ++sequence, 4, 6, length, form, false,
                delivered ? new Receipt(1, ++deliveries, deliveries) : null);
    }

    private static ByteBuffer bytes(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    /** A message at once, one that waited, one whose pieces came before and behind its delivery, events and polls. */
    private void live(MessageLog log) {
        log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
        log.appendArrival(arrival(Form.SEND, 7, true), bytes(1, 7));
        Arrival waiting = arrival(Form.SEND, 9, false);
        long waited = log.appendArrival(waiting, bytes(2, 9));
        long place = log.place();
        log.appendEvents(new Events(Samples.JOB, RANK, 1, 2, 1, false), bytes(3, 32));
        log.appendDelivery(new Delivery(Samples.JOB, RANK, new Receipt(1, ++deliveries, deliveries), 1, 2, waiting.sequence(), waited, place));
        Arrival eager = arrival(Form.EAGER, 300, false);
        long pieces = log.appendArrival(eager);
        long head = log.place();
        log.appendChunk(Samples.JOB, RANK, pieces, 0, bytes(4, 100));
        log.appendChunk(Samples.JOB, RANK, pieces, 100, bytes(5, 100));
        log.appendDelivery(new Delivery(Samples.JOB, RANK, new Receipt(1, ++deliveries, deliveries), 1, 2, eager.sequence(), pieces, head));
        log.append(new Polls(Samples.JOB, RANK, 1, 77));
        log.appendChunk(Samples.JOB, RANK, pieces, 200, bytes(6, 100));
        log.append(new CheckpointTaken(Samples.JOB, RANK, new Checkpoint(0, 0, 1, 2, deliveries, 77, 0, true)));
        log.appendArrival(arrival(Form.SEND, 5, true), bytes(7, 5));
    }

    private ImageStore write() {
        return write(InitHistory.BYTES_MAX);
    }

    private ImageStore write(long bytesMax) {
        ImageStore store = new ImageStore(folder.resolve("images"));
        try (MessageLog log = Samples.open(folder.resolve("log"))) {
            if (log.book().job(Samples.JOB) == null) {
                live(log);
            }
            HistoryIndexEntry first = log.book().rank(Samples.JOB, RANK).beginning().orElseThrow();
            try (LogCursor history = log.rankCursor(Samples.JOB, RANK, first)) {
                InitHistory.write(store, Samples.JOB, RANK, history, bytesMax);
            }
        }
        return store;
    }

    /** Else the log's beginning would be cut, and nobody could read what stands for it. */
    @Test
    void isNotWrittenLongerThanItCanBeRead() throws IOException {
        Path file = write().prologue(Samples.JOB, RANK);
        long bytes = Files.size(file);
        Files.delete(file);
        assertThatThrownBy(() -> write(bytes - 4)).isInstanceOf(LogException.class).hasMessageContaining("more than " + (bytes - 4) + " bytes");
        assertThat(file.getParent()).isEmptyDirectory();
        write(bytes);
        assertThat(file).hasSize(bytes);
    }

    @Test
    void isRefusedWhenItIsLongerThanItCanBeRead() throws IOException {
        ImageStore store = write();
        try (RandomAccessFile sparse = new RandomAccessFile(store.prologue(Samples.JOB, RANK).toFile(), "rw")) {
            sparse.setLength(InitHistory.BYTES_MAX + 1_000);
        }
        assertThatThrownBy(() -> InitHistory.read(store, Samples.JOB, RANK)).isInstanceOf(LogException.class).hasMessageContaining("prologue.log");
    }

    @Test
    void isItsOwnersAlone() throws IOException {
        Path file = write().prologue(Samples.JOB, RANK);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
    }

    @Test
    void saysTheSameWithoutTheLog() {
        ImageStore store = write();
        List<String> steps = new ArrayList<>();
        try (LogCursor cursor = InitHistory.read(store, Samples.JOB, RANK);
                PayloadReader reader = InitHistory.payloads(store, Samples.JOB, RANK)) {
            while (cursor.advance()) {
                steps.add(switch (cursor.record()) {
                    case Arrival a -> {
                        StoredMessage m = cursor.message();
                        assertThat(InitHistory.has(m.place())).isTrue();
                        ByteBuffer payload = ByteBuffer.allocate(m.inlineBytes());
                        reader.readArrival(Samples.JOB, RANK, m.position(), m.place(), payload);
                        yield "delivery " + m.receipt().number() + " of " + a.sequence() + " " + payload.flip().hashCode();
                    }
                    case Chunk chunk -> {
                        ByteBuffer payload = ByteBuffer.allocate(cursor.payloadBytes());
                        reader.readChunk(Samples.JOB, RANK, chunk.arrivalPosition(), chunk.offset(), cursor.place(), payload);
                        yield "piece " + chunk.offset() + " " + payload.flip().hashCode();
                    }
                    case Events e -> "events " + e.first() + " " + cursor.payload().hashCode();
                    case Polls p -> "polls " + p.cumulative();
                    case CheckpointTaken taken -> "end " + taken.checkpoint().deliveries();
                    default -> throw new AssertionError(cursor.record());
                });
            }
        }
        assertThat(steps).containsExactly(
                "delivery 1 of 1 " + bytes(1, 7).hashCode(),
                "events 1 " + bytes(3, 32).hashCode(),
                "delivery 2 of 2 " + bytes(2, 9).hashCode(),
                "delivery 3 of 3 " + ByteBuffer.allocate(0).hashCode(),
                "piece 0 " + bytes(4, 100).hashCode(),
                "piece 100 " + bytes(5, 100).hashCode(),
                "polls 77",
                "piece 200 " + bytes(6, 100).hashCode(),
                "end 3");
    }

    @Test
    void isRefusedWhenItIsTornOrFlippedAnywhere() throws IOException {
        ImageStore store = write();
        Path file = store.prologue(Samples.JOB, RANK);
        byte[] sound = Files.readAllBytes(file);
        for (int at = 0; at < sound.length; at++) {
            byte[] torn = java.util.Arrays.copyOf(sound, at);
            Files.write(file, torn);
            assertThatThrownBy(() -> InitHistory.read(store, Samples.JOB, RANK)).as("torn at " + at).isInstanceOf(LogException.class);
        }
        for (int more : new int[] {1, 2, 3, 4, 64}) {
            Files.write(file, java.util.Arrays.copyOf(sound, sound.length + more));
            assertThatThrownBy(() -> InitHistory.read(store, Samples.JOB, RANK)).as(more + " bytes more").hasMessageContaining("prologue.log");
        }
        int survived = 0;
        for (int at = 0; at < sound.length; at++) {
            byte[] flipped = sound.clone();
            flipped[at] ^= 0x10;
            Files.write(file, flipped);
            try (LogCursor cursor = InitHistory.read(store, Samples.JOB, RANK)) {
                survived++; // Padding behind a record, which says nothing.
            } catch (LogException e) {
                assertThat(e).hasMessageContaining("prologue.log");
            }
        }
        assertThat(survived).isLessThan(9 * 3);
    }
}
