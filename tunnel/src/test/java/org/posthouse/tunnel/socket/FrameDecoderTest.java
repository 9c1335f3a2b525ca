package org.posthouse.tunnel.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/** However the bytes are cut, the same frames come out; those kept meanwhile stay as they were, and nothing is leaked. */
final class FrameDecoderTest {
    private final List<ByteBuf> kept = new ArrayList<>();
    private final ByteBuf received = Unpooled.buffer();

    private static ByteBuf frames(Random random, int count) {
        ByteBuf all = Unpooled.buffer();
        for (int i = 0; i < count; i++) {
            int payload = random.nextInt(3) == 0 ? random.nextInt(Wire.PAYLOAD_BYTES_MAX + 1) : random.nextInt(100);
            ByteBuffer frame = ByteBuffer.allocate(Wire.MESSAGE_HEADER_BYTES + payload);
            random.nextBytes(frame.array());
            new FrameView()
                    .wrap(frame, 0)
                    .begin(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, 1)
                    .length(frame.capacity())
                    .content(payload, payload, 0);
            all.writeBytes(frame);
        }
        return all;
    }

    private boolean onFrame(ByteBuf buffer, int index, int length, FrameView view) {
        assertThat(view.type()).isEqualTo(FrameType.SEND);
        kept.add(buffer.retainedSlice(index, length));
        return true;
    }

    private void letGo() {
        for (ByteBuf frame : kept) {
            received.writeBytes(frame);
            frame.release();
        }
        kept.clear();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void readOnInTheSameBuffer(long seed) throws Exception {
        check(seed, true);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void readIntoAnyBuffer(long seed) throws Exception {
        check(seed, false);
    }

    /** A connection that is ended by a frame hears of none behind it, whether it came whole or in parts. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 10, Wire.HEADER_BYTES, 100})
    void nothingIsHandedOverBehindAFrameThatIsTheLast(int first) throws Exception {
        ByteBuf sent = frames(new Random(5), 3);
        FrameDecoder decoder = new FrameDecoder(UnpooledByteBufAllocator.DEFAULT, false, (buffer, index, length, view) -> {
            onFrame(buffer, index, length, view);
            return false;
        });
        decoder.feed(sent.readSlice(Math.min(first, sent.getInt(0) - 1)));
        decoder.feed(sent);
        assertThat(kept).hasSize(1);
        letGo();
        decoder.release();
    }

    private void check(long seed, boolean readsOn) throws Exception {
        Random random = new Random(seed);
        ByteBuf sent = frames(random, 200);
        ByteBuf wire = sent.duplicate();
        FrameDecoder decoder = new FrameDecoder(UnpooledByteBufAllocator.DEFAULT, readsOn, this::onFrame);
        List<ByteBuf> buffers = new ArrayList<>();
        while (wire.isReadable()) {
            ByteBuf filling = readsOn ? decoder.toFill() : null;
            ByteBuf in = filling != null ? filling.retain() : Unpooled.directBuffer(200_000, 200_000);
            buffers.add(in);
            int most = Math.min(wire.readableBytes(), in.writableBytes());
            assertThat(most).isPositive();
            in.writeBytes(wire, 1 + random.nextInt(Math.min(most, random.nextBoolean() ? 40 : 200_000)));
            decoder.feed(in);
            in.release();
            if (random.nextInt(4) == 0) {
                letGo();
            }
        }
        letGo();
        decoder.release();
        assertThat(received).isEqualTo(sent);
        assertThat(buffers).allMatch(buffer -> buffer.refCnt() == 0);
    }
}
