package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.posthouse.logstore.LogRecord.Arrival;
import org.posthouse.logstore.LogRecord.Delivery;
import org.posthouse.logstore.LogRecord.JobClosed;
import org.posthouse.logstore.LogRecord.JobOpened;
import org.posthouse.logstore.LogRecord.Polls;
import org.posthouse.logstore.LogRecord.WriterStarted;

/** Pins docs/log-format.md: these bytes change only with the version. */
final class GoldenBytesTest {
    private static final long JOB = 0x1122334455667788L;
    private static final String PLACE = "0807060504030201" + "0900000000000000"; // position, epoch
    private static final String JOB_HEX = "8877665544332211";
    private static final String PREVIOUS = "efbeadde";

    private final RecordCodec codec = new RecordCodec();

    @Test
    void pinsArrivalWithInlinePayload() {
        codec.arrival(new Arrival(JOB, 3, 1, 2, -5, 0x0A0B0C0D0E0FL, 7, 4, 300));
        assertRecord(ByteBuffer.wrap(new byte[] {'a', 'b', 'c'}), "50480101" + "5b000000" + "03000000" + PLACE + JOB_HEX
                + PREVIOUS + "03000000" + "01000000" + "02000000" + "fbffffff" + "07000000" + "04000000" + "00000000"
                + "0f0e0d0c0b0a0000" + "2c01000000000000" + "616263");
    }

    @Test
    void pinsPayloadChunk() {
        codec.chunk(JOB, 3, 17, 65536);
        assertRecord(ByteBuffer.wrap(new byte[] {1, 2}), "50480102" + "42000000" + "03000000" + PLACE + JOB_HEX
                + PREVIOUS + "02000000" + "1100000000000000" + "0000010000000000" + "0102");
    }

    @Test
    void pinsDelivery() {
        codec.delivery(new Delivery(JOB, 3, 2, 41, 5, 1, 6, 12, 17));
        assertRecord(null, "50480103" + "60000000" + "03000000" + PLACE + JOB_HEX + PREVIOUS + "00000000" + "02000000"
                + "01000000" + "06000000" + "00000000" + "2900000000000000" + "0500000000000000" + "0c00000000000000"
                + "1100000000000000");
    }

    @Test
    void pinsPolls() {
        codec.polls(new Polls(JOB, 3, 2, 1000));
        assertRecord(null, "50480104" + "40000000" + "03000000" + PLACE + JOB_HEX + PREVIOUS + "00000000" + "02000000"
                + "00000000" + "e803000000000000");
    }

    @Test
    void pinsJobOpened() {
        codec.jobOpened(new JobOpened(JOB, 16, "π"));
        assertRecord(ByteBuffer.wrap(new byte[] {(byte) 0xcf, (byte) 0x80}), "50480105" + "3a000000" + "ffffffff"
                + PLACE + JOB_HEX + PREVIOUS + "02000000" + "10000000" + "00000000" + "cf80");
    }

    @Test
    void pinsJobClosed() {
        codec.jobClosed(new JobClosed(JOB));
        assertRecord(null, "50480106" + "30000000" + "ffffffff" + PLACE + JOB_HEX + PREVIOUS + "00000000");
    }

    @Test
    void pinsWriterStarted() {
        codec.writerStarted(new WriterStarted(0x0102030405L, 4711, Samples.BOOT));
        assertRecord(null, "50480107" + "50000000" + "ffffffff" + PLACE + "0000000000000000" + PREVIOUS + "00000000"
                + "0504030201000000" + "6712000000000000" + "efcdab8967452301" + "efcdab8967452301");
    }

    private void assertRecord(ByteBuffer payload, String hexWithoutCrc) {
        ByteBuffer[] pieces = payload == null ? new ByteBuffer[0] : new ByteBuffer[] {payload};
        int payloadBytes = payload == null ? 0 : payload.remaining();
        int crc = codec.seal(0x0102030405060708L, 9, 0xDEADBEEF, pieces, payloadBytes);
        ByteBuffer record = ByteBuffer.allocate(codec.head().remaining() + payloadBytes).put(codec.head().duplicate());
        if (payload != null) {
            record.put(payload);
        }
        byte[] expected = HexFormat.of().parseHex(hexWithoutCrc);
        CRC32C reference = new CRC32C();
        reference.update(expected);
        assertThat(HexFormat.of().formatHex(record.array(), 4, record.capacity())).isEqualTo(hexWithoutCrc);
        assertThat(crc).isEqualTo((int) reference.getValue());
        assertThat(Integer.reverseBytes(record.getInt(0))).isEqualTo(crc);
    }
}
