package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.file.Disk;
import org.posthouse.logstore.file.LogHighWater;
import org.posthouse.logstore.file.SyncedPosition;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Agreed;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.LogRecord.CheckpointTaken;
import org.posthouse.logstore.record.LogRecord.Chunk;
import org.posthouse.logstore.record.LogRecord.Delivery;
import org.posthouse.logstore.record.LogRecord.Diverged;
import org.posthouse.logstore.record.LogRecord.Events;
import org.posthouse.logstore.record.LogRecord.Failed;
import org.posthouse.logstore.record.LogRecord.Finalized;
import org.posthouse.logstore.record.LogRecord.Form;
import org.posthouse.logstore.record.LogRecord.Incarnation;
import org.posthouse.logstore.record.LogRecord.JobClosed;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.LogRecord.Polls;
import org.posthouse.logstore.record.LogRecord.Receipt;
import org.posthouse.logstore.record.LogRecord.Snapshot;
import org.posthouse.logstore.record.LogRecord.Withdrawn;
import org.posthouse.logstore.record.LogRecord.WriterStarted;
import org.posthouse.logstore.record.RecordCodec;
import org.posthouse.logstore.record.RecordDecoder;
import org.posthouse.logstore.record.RecordEnvelope;

/** Pins docs/log-format.md: these bytes change only with the version. The type's id is the last byte of the first group. */
final class GoldenBytesTest {
    private static final long JOB = 0x1122334455667788L;
    private static final String PLACE = "0807060504030201" + "0900000000000000"; // position, epoch
    private static final String JOB_HEX = "8877665544332211";
    private static final String OF_RANK = "03000000" + PLACE + JOB_HEX + "efbeadde"; // rank, …, previous
    private static final String OF_JOB = "ffffffff" + PLACE + JOB_HEX + "efbeadde";
    private static final String OF_LOG = "ffffffff" + PLACE + "0000000000000000" + "efbeadde";
    private static final String NO_PAYLOAD = "00000000";
    private static final String ABC_CRC = "b73f4b36";

    private final RecordCodec codec = new RecordCodec();

    @Test
    void pinsArrivalWithInlinePayload() {
        Arrival arrival = new Arrival(JOB, 3, 1, 2, -5, 0x0A0B0C0D0E0FL, 200, 4, 300, Form.OFFER, true, null);
        codec.arrival(arrival);
        assertRecord(arrival, ByteBuffer.wrap(new byte[] {'a', 'b', 'c'}), "50480201" + "73000000" + OF_RANK + "03000000"
                + "01000000" + "02000000" + "fbffffff" + "04000000" + "c8" + "83" + "0000" + ABC_CRC
                + "0f0e0d0c0b0a0000" + "2c01000000000000" + "00000000" + "00000000" + "0000000000000000"
                + "0000000000000000" + "616263");
    }

    @Test
    void pinsArrivalThatWasDeliveredAtOnce() {
        Arrival arrival = new Arrival(JOB, 3, 1, 2, 5, 12, 7, 3, 3, Form.SEND, false, new Receipt(-2, 41, 0x0102030405L));
        codec.arrival(arrival);
        assertRecord(arrival, ByteBuffer.wrap(new byte[] {'a', 'b', 'c'}), "50480201" + "73000000" + OF_RANK + "03000000"
                + "01000000" + "02000000" + "05000000" + "03000000" + "07" + "01" + "0100" + ABC_CRC
                + "0c00000000000000" + "0300000000000000" + "feffffff" + "00000000" + "2900000000000000"
                + "0504030201000000" + "616263");
    }

    @Test
    void pinsPayloadChunk() {
        codec.chunk(JOB, 3, 17, 65536, 0x0000000700001000L);
        assertRecord(new Chunk(JOB, 3, 17, 65536, 0x0000000700001000L), ByteBuffer.wrap(new byte[] {1, 2}), "50480202"
                + "52000000" + OF_RANK + "02000000" + "1100000000000000" + "0000010000000000" + "0010000007000000"
                + "529ff803" + "00000000" + "0102");
    }

    @Test
    void pinsDelivery() {
        Delivery delivery = new Delivery(JOB, 3, new Receipt(-2, 41, 9), 1, 6, 12, 17, 0x1000, 0x2000);
        codec.delivery(delivery, delivery.lastPiecePlace());
        assertRecord(delivery, null, "50480203" + "70000000" + OF_RANK + NO_PAYLOAD + "feffffff" + "01000000" + "06000000"
                + "00000000" + "2900000000000000" + "0900000000000000" + "0c00000000000000" + "1100000000000000"
                + "0010000000000000" + "0020000000000000");
    }

    @Test
    void pinsPolls() {
        Polls polls = new Polls(JOB, 3, -2, 0x1_0000_03E8L);
        codec.pressing(polls);
        assertRecord(polls, null, "50480204" + "40000000" + OF_RANK + NO_PAYLOAD + "feffffff" + "00000000"
                + "e803000001000000");
    }

    @Test
    void pinsJobOpened() {
        JobOpened opened = new JobOpened(JOB, 16, 2);
        codec.jobOpened(opened);
        assertRecord(opened, ByteBuffer.wrap(new byte[] {'a', 'b', 'c'}), "50480205" + "43000000" + OF_JOB + "03000000"
                + "10000000" + "02000000" + ABC_CRC + "00000000" + "616263");
    }

    @Test
    void pinsJobClosed() {
        JobClosed closed = new JobClosed(JOB, -3);
        codec.pressing(closed);
        assertRecord(closed, null, "50480206" + "38000000" + OF_JOB + NO_PAYLOAD + "fdffffff" + "00000000");
    }

    @Test
    void pinsDiverged() {
        Diverged diverged = new Diverged(JOB, 4);
        codec.diverged(diverged);
        assertRecord(diverged, ByteBuffer.wrap(new byte[] {'a', 'b', 'c'}), "5048020e" + "43000000" + OF_JOB + "03000000"
                + "0400000000000000" + ABC_CRC + "00000000" + "616263");
    }

    @Test
    void pinsThatARankIsDead() {
        Failed failed = new Failed(JOB, 3);
        codec.failed(failed);
        assertRecord(failed, ByteBuffer.wrap(new byte[] {'a', 'b', 'c'}), "50480210" + "3b000000" + OF_RANK + "03000000"
                + ABC_CRC + "00000000" + "616263");
    }

    @Test
    void pinsThatACommunicatorIsRevoked() {
        Failed revoked = new Failed(JOB, LogRecord.NO_RANK);
        codec.failed(revoked);
        assertRecord(revoked, ByteBuffer.wrap(new byte[] {'a', 'b', 'c'}), "50480210" + "3b000000" + OF_JOB + "03000000"
                + ABC_CRC + "00000000" + "616263");
    }

    @Test
    void pinsAgreed() {
        Agreed agreed = new Agreed(JOB);
        codec.agreed(agreed);
        assertRecord(agreed, ByteBuffer.wrap(new byte[] {'a', 'b', 'c'}), "50480211" + "3b000000" + OF_JOB + "03000000"
                + ABC_CRC + "00000000" + "616263");
    }

    @Test
    void pinsWriterStarted() {
        WriterStarted started = new WriterStarted(0x0102030405L, 4711, Samples.BOOT, 77);
        codec.writerStarted(started);
        assertRecord(started, null, "50480207" + "58000000" + OF_LOG + NO_PAYLOAD + "0504030201000000"
                + "6712000000000000" + "efcdab8967452301" + "efcdab8967452301" + "4d00000000000000");
    }

    @Test
    void pinsEvents() {
        Events events = new Events(JOB, 3, 2, 2, 1001, true);
        codec.events(events);
        byte[] items = new byte[32];
        for (int i = 0; i < items.length; i++) {
            items[i] = (byte) i;
        }
        assertRecord(events, ByteBuffer.wrap(items), "50480208" + "68000000" + OF_RANK + "20000000" + "02000000"
                + "02000000" + "e903000000000000" + "4e79dd46" + "01000000" + HexFormat.of().formatHex(items));
    }

    @Test
    void pinsIncarnation() {
        Incarnation incarnation = new Incarnation(JOB, 3, 4, 2, 9);
        codec.pressing(incarnation);
        assertRecord(incarnation, null, "50480209" + "40000000" + OF_RANK + NO_PAYLOAD + "04000000" + "02000000"
                + "0900000000000000");
    }

    @Test
    void pinsWithdrawn() {
        Withdrawn withdrawn = new Withdrawn(JOB, 3, 1, 6, 12, 17);
        codec.withdrawn(withdrawn);
        assertRecord(withdrawn, null, "5048020a" + "48000000" + OF_RANK + NO_PAYLOAD + "01000000" + "06000000"
                + "0c00000000000000" + "1100000000000000");
    }

    @Test
    void pinsFinalized() {
        Finalized finalized = new Finalized(JOB, 3, -2, false);
        codec.pressing(finalized);
        assertRecord(finalized, null, "5048020b" + "38000000" + OF_RANK + NO_PAYLOAD + "feffffff" + "00000000");
    }

    @Test
    void pinsThatARankIsDone() {
        Finalized done = new Finalized(JOB, 3, 2, true);
        codec.pressing(done);
        assertRecord(done, null, "5048020b" + "38000000" + OF_RANK + NO_PAYLOAD + "02000000" + "01000000");
    }

    @Test
    void pinsCheckpointTaken() {
        CheckpointTaken taken = new CheckpointTaken(JOB, 3, new Checkpoint(1, 2, 3, 4, 5, 6, 0x07080910, true, 11, 12));
        codec.pressing(taken);
        assertRecord(taken, null, "5048020c" + "78000000" + OF_RANK + NO_PAYLOAD + "0100000000000000"
                + "0200000000000000" + "0300000000000000" + "0400000000000000" + "0500000000000000" + "0600000000000000"
                + "10090807" + "01000000" + "0b00000000000000" + "0c00000000000000");
    }

    @Test
    void pinsSnapshot() {
        codec.snapshot(4, 7, 9);
        assertRecord(new Snapshot(4, 7), ByteBuffer.wrap(new byte[] {'a', 'b', 'c'}), "5048020d" + "43000000" + OF_LOG
                + "03000000" + "04000000" + "07000000" + ABC_CRC + "09000000" + "616263");
    }

    /** The hex is what stands behind the checksum of the head. */
    @Test
    void pinsBytesOfHighWaterFile(@TempDir Path folder) throws IOException {
        LogHighWater logHighWater = new LogHighWater(0x0102030405L, 7, new UUID(0x1112131415161718L, 0x2122232425262728L));
        logHighWater.write(folder);
        assertThat(HexFormat.of().formatHex(Files.readAllBytes(folder.resolve("writer.reached")))).isEqualTo(
                "8665255c" + "50520100" + "0504030201000000" + "07000000" + "00000000" + "1817161514131211" + "2827262524232221");
        assertThat(LogHighWater.read(folder)).isEqualTo(logHighWater);
    }

    @Test
    void pinsBytesOfSyncedPositionFile(@TempDir Path folder) throws IOException {
        SyncedPosition safe = new SyncedPosition(0x0102030405L);
        safe.write(folder, Disk::force);
        assertThat(HexFormat.of().formatHex(Files.readAllBytes(folder.resolve("writer.safe")))).isEqualTo(
                "88a2e25b" + "50530100" + "0504030201000000");
        assertThat(SyncedPosition.read(folder)).isEqualTo(safe);
        Samples.flip(folder.resolve("writer.safe"), 9);
        assertThat(SyncedPosition.read(folder).isKnown()).isFalse();
    }

    private void assertRecord(LogRecord what, ByteBuffer payload, String hex) {
        ByteBuffer[] pieces = payload == null ? new ByteBuffer[0] : new ByteBuffer[] {payload};
        int payloadBytes = payload == null ? 0 : payload.remaining();
        int sealed = codec.seal(0x0102030405060708L, 9, 0xDEADBEEF, pieces, payloadBytes);
        ByteBuffer record = ByteBuffer.allocate(codec.head().remaining() + payloadBytes).order(ByteOrder.LITTLE_ENDIAN)
                .put(codec.head().duplicate());
        if (payload != null) {
            record.put(payload);
        }
        byte[] expected = HexFormat.of().parseHex(hex);
        CRC32C head = new CRC32C();
        head.update(expected, 0, expected.length - payloadBytes);
        assertThat(HexFormat.of().formatHex(record.array(), 4, record.capacity())).isEqualTo(hex);
        assertThat(sealed).isEqualTo((int) head.getValue());
        assertThat(record.getInt(0)).isEqualTo(sealed);
        assertThat(RecordEnvelope.flaw(record, 0, record.capacity(), new CRC32C())).isNull();
        assertThat(RecordDecoder.decode(record, 0)).isEqualTo(what);
    }
}
