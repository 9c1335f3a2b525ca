package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Delivery;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.LogRecord.Receipt;

/** A message that is under way when its relay dies goes on with the next one, as if nothing had been. */
final class InFlightMessagesTest {
    private static final int RANK = 3;
    private static final int PIECE = 1_000;
    private static final byte[] MESSAGE = Samples.bytes(1, 4 * PIECE);

    @TempDir
    private Path folder;

    private static ByteBuffer piece(int index) {
        return ByteBuffer.wrap(MESSAGE).slice(index * PIECE, PIECE);
    }

    private static StoredMessage onlyDraft(MessageLog log) {
        List<StoredMessage> drafts = log.takeDrafts().take(Samples.JOB, RANK);
        assertThat(drafts).hasSize(1);
        return drafts.get(0);
    }

    @Test
    void isReadBackAndContinuedOverTwoRestarts() {
        long arrival;
        try (MessageLog log = Samples.open(folder)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            arrival = log.appendArrival(Samples.arrival(1, MESSAGE.length), piece(0));
            log.appendChunk(Samples.JOB, RANK, arrival, PIECE, piece(1));
        }
        try (MessageLog log = Samples.open(folder)) {
            StoredMessage draft = onlyDraft(log);
            assertThat(draft.receipt()).isNull();
            assertThat(readBack(log, draft)).isEqualTo(Arrays.copyOf(MESSAGE, 2 * PIECE));
            log.appendDelivery(new Delivery(
                    Samples.JOB, RANK, new Receipt(1, 1, 5), 1, 2, 1, draft.position(), draft.place()));
            log.appendChunk(Samples.JOB, RANK, arrival, 2 * PIECE, piece(2));
        }
        try (MessageLog log = Samples.open(folder)) {
            StoredMessage draft = onlyDraft(log);
            assertThat(draft.receipt()).as("it has its receive, but not all of its bytes").isEqualTo(new Receipt(1, 1, 5));
            assertThat(readBack(log, draft)).isEqualTo(Arrays.copyOf(MESSAGE, 3 * PIECE));
            log.appendChunk(Samples.JOB, RANK, arrival, 3 * PIECE, piece(3));
            assertThat(log.book().rank(Samples.JOB, RANK).trails().count()).isZero();
        }
        try (MessageLog log = Samples.open(folder)) {
            assertThat(log.takeDrafts().count()).isZero();
        }
    }

    private static byte[] readBack(MessageLog log, StoredMessage draft) {
        ByteBuffer payload = ByteBuffer.allocate((int) draft.arrived());
        try (PayloadReader reader = log.reader()) {
            reader.readArrival(Samples.JOB, RANK, draft.position(), draft.place(), payload.limit(draft.inlineBytes()));
            for (int i = 0; i < draft.pieces(); i++) {
                int offset = payload.position();
                payload.limit(offset + PIECE);
                reader.readChunk(Samples.JOB, RANK, draft.position(), offset, draft.piecePlace(i), payload);
            }
        }
        return payload.array();
    }

    @Test
    void areHandedOutOnce() {
        try (MessageLog log = Samples.open(folder)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            Samples.fill(log, 3, 10);
        }
        try (MessageLog log = Samples.open(folder)) {
            InFlightMessages drafts = log.takeDrafts();
            assertThat(drafts.count()).isEqualTo(3);
            assertThat(drafts.take(Samples.JOB, RANK)).extracting(m -> m.arrival().sequence()).containsExactly(1L, 2L, 3L);
            assertThat(drafts.take(Samples.JOB, RANK)).isEmpty();
            assertThat(drafts.take(Samples.JOB + 1, RANK)).isEmpty();
            assertThat(log.takeDrafts().count()).isZero();
        }
    }
}
