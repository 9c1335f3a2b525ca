package org.posthouse.relay.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Random;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.posthouse.tunnel.socket.FrameDecoder;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/** Reads as Netty's NIO channel does: what is chosen for each read leaves long frames where they were read to. */
final class ReadBuffersTest {
    private static final int FRAMES = 400;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ByteBuf received = Unpooled.buffer();
    private final FrameDecoder frames = new FrameDecoder(ByteBufAllocator.DEFAULT, true, (buffer, index, length, view) -> {
        received.writeBytes(buffer, index, length);
        return true;
    });
    private final RecvByteBufAllocator.Handle reading = new ReadBuffers(frames).newHandle();
    private final Set<ByteBuf> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    /** The most bytes of a long frame that had been read when it got a buffer of its own. */
    private int copiedMost;

    /** Long frames that got one. */
    private int copied;

    private int reads;

    @AfterEach
    void close() {
        frames.release();
        channel.finishAndReleaseAll();
    }

    @Test
    void twoChunksOfALargeMessageComeWithEachRead() throws Exception {
        read(stream(frame -> Wire.CHUNK_HEADER_BYTES + Wire.PAYLOAD_BYTES_MAX));
        assertThat(copiedMost).isZero();
        assertThat(reads).isEqualTo(FRAMES / 2);
    }

    /** Ordinary buffers have no room for the first; then longer ones are read into. */
    @Test
    void chunksOfSeveralPiecesStayWhereTheyWereReadBehindTheFirst() throws Exception {
        read(stream(frame -> frame % 5 == 0 ? Wire.MESSAGE_HEADER_BYTES : Wire.CHUNK_FRAME_BYTES_MAX));
        assertThat(copied).isEqualTo(1);
    }

    @Test
    void longMessagesStayWhereTheyWereRead() throws Exception {
        read(stream(frame -> Wire.FRAME_BYTES_MAX));
        assertThat(copiedMost).isZero();
    }

    @Test
    void ofFramesOfAnyLengthNoMoreThanAHeaderIsCopied() throws Exception {
        Random random = new Random(3);
        read(stream(frame -> Wire.MESSAGE_HEADER_BYTES
                + (frame % 3 == 0 ? random.nextInt(100) : random.nextInt(Wire.PAYLOAD_BYTES_MAX + 1))));
        assertThat(copiedMost).isLessThan(Wire.HEADER_BYTES);
    }

    private static ByteBuf stream(IntUnaryOperator lengths) {
        ByteBuf all = Unpooled.buffer();
        for (int i = 0; i < FRAMES; i++) {
            ByteBuffer frame = ByteBuffer.allocate(lengths.applyAsInt(i));
            FrameType type = frame.capacity() % Wire.PAYLOAD_BYTES_MAX == Wire.CHUNK_HEADER_BYTES ? FrameType.CHUNK : FrameType.SEND;
            new FrameView().wrap(frame, 0).begin(type, type.bytesMin(), 1).length(frame.capacity()).sequence(i);
            all.writeBytes(frame);
        }
        return all;
    }

    private void read(ByteBuf sent) throws Exception {
        ByteBuf wire = sent.duplicate();
        reading.reset(channel.config());
        while (wire.isReadable()) {
            ByteBuf in = reading.allocate(ByteBufAllocator.DEFAULT);
            reading.attemptedBytesRead(in.writableBytes());
            int bytes = Math.min(wire.readableBytes(), reading.attemptedBytesRead());
            in.writeBytes(wire, bytes);
            reads++;
            seen.add(in);
            frames.feed(in);
            in.release();
            ByteBuf own = frames.toFill();
            if (own != null && seen.add(own)) {
                copied++;
                copiedMost = Math.max(copiedMost, own.readableBytes());
            }
        }
        assertThat(received).isEqualTo(sent);
    }
}
