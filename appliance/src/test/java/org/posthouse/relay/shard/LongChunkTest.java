package org.posthouse.relay.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** What a long chunk is cut into is the same message, in frames that any link carries. */
class LongChunkTest {
    private static final int JOB = 7;
    private static final int OFFSET = 5 * Wire.PAYLOAD_BYTES_MAX;

    private final Random random = new Random(1);

    private ByteBuf chunk(int payloadBytes) {
        byte[] frame = new byte[Wire.CHUNK_HEADER_BYTES + payloadBytes];
        random.nextBytes(frame);
        ByteBuf chunk = Unpooled.buffer().writeZero(3).writeBytes(frame).readerIndex(3);
        new FrameView()
                .wrap(chunk.nioBuffer(), 0)
                .begin(FrameType.CHUNK, Wire.CHUNK_HEADER_BYTES, JOB)
                .length(frame.length)
                .address(1, 2, 3, 0)
                .sequence(4)
                .offset(OFFSET);
        return chunk;
    }

    @Test
    void isOneOfMoreThanAPiece() {
        assertThat(LongChunk.is(chunk(Wire.PAYLOAD_BYTES_MAX))).isFalse();
        assertThat(LongChunk.is(chunk(Wire.PAYLOAD_BYTES_MAX + 1))).isTrue();
        ByteBuf other = chunk(Wire.PAYLOAD_BYTES_MAX + 1);
        other.setByte(other.readerIndex() + FrameView.TYPE_AT, FrameType.SEND.id());
        assertThat(LongChunk.is(other)).isFalse();
    }

    @Test
    void isCutIntoChunksOfAPieceEach() throws WireException {
        ByteBuf chunk = chunk(2 * Wire.PAYLOAD_BYTES_MAX + 100);
        ByteBuf payload = chunk.copy().skipBytes(Wire.CHUNK_HEADER_BYTES);
        List<ByteBuf> pieces = LongChunk.cut(chunk);
        assertThat(chunk.refCnt()).isZero();
        assertThat(pieces).hasSize(3);
        long offset = OFFSET;
        for (ByteBuf piece : pieces) {
            int bytes = Math.min(Wire.PAYLOAD_BYTES_MAX, payload.readableBytes());
            FrameView view = new FrameView().wrap(piece.nioBuffer(), 0);
            assertThat(view.checkHeader(piece.readableBytes())).isEqualTo(Wire.CHUNK_HEADER_BYTES + bytes).isEqualTo(piece.readableBytes());
            assertThat(List.of(view.job(), view.offset(), view.sequence())).isEqualTo(List.of((long) JOB, offset, 4L));
            assertThat(List.of(view.context(), view.source(), view.destination())).isEqualTo(List.of(1, 2, 3));
            assertThat(piece.skipBytes(Wire.CHUNK_HEADER_BYTES)).isEqualTo(payload.readSlice(bytes));
            piece.release();
            offset += bytes;
        }
        assertThat(payload.isReadable()).isFalse();
    }
}
