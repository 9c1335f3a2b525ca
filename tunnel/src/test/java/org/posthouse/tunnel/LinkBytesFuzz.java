package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.posthouse.keys.RelayId;
import org.posthouse.tunnel.socket.FrameDecoder;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.LinkHello;
import org.posthouse.wire.LinkReach;
import org.posthouse.wire.StreamEnd;
import org.posthouse.wire.StreamOpen;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Fuzz target: the bytes that a peer sends on a link, its handshake first. However they are cut into reads, the decoder
 * passes on the same frames, refuses the same one with a WireException, holds at most one frame and leaks no buffer.
 * The first byte selects the cuts and the way of reading.
 */
public final class LinkBytesFuzz {
    private static final int READ_BYTES_MAX = 64;
    private static final PackingCodec CODEC = new PackingCodec();

    private LinkBytesFuzz() {}

    /** The frames of a stream of bytes, and how it ended. */
    private record Outcome(List<ByteBuf> frames, CloseReason refusal) {}

    /** Jazzer's entry ({@code make fuzz}). */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length > 0) {
            ByteBuf bytes = Unpooled.wrappedBuffer(input, 1, input.length - 1);
            assertThat(decode(bytes.duplicate(), input[0])).as("as cut by %d", input[0]).isEqualTo(split(bytes));
        }
    }

    /** The frames as one loop over all bytes finds them. */
    private static Outcome split(ByteBuf bytes) {
        List<ByteBuf> frames = new ArrayList<>();
        FrameView view = new FrameView();
        int at = 0;
        try {
            while (at < bytes.writerIndex()) {
                int left = bytes.writerIndex() - at;
                int length = view.wrap(bytes.nioBuffer(at, left), 0).checkHeader(left);
                if (length == 0 || length > left) {
                    break;
                }
                handle(bytes, at, length, view);
                frames.add(bytes.slice(at, length));
                at += length;
            }
            return new Outcome(frames, CloseReason.NORMAL);
        } catch (WireException e) {
            return new Outcome(frames, e.reason());
        }
    }

    private static Outcome decode(ByteBuf bytes, byte cuts) {
        Random random = new Random(cuts);
        boolean readsOn = (cuts & 1) != 0;
        List<ByteBuf> frames = new ArrayList<>();
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
        FrameDecoder decoder = new FrameDecoder(allocator, readsOn, (buffer, index, length, view) -> {
            handle(buffer, index, length, view);
            frames.add(Unpooled.copiedBuffer(buffer.slice(index, length)));
            return true;
        });
        try {
            while (bytes.isReadable()) {
                read(bytes, decoder, readsOn, random);
                assertThat(allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory())
                        .as("bytes of the incomplete frame").isLessThanOrEqualTo(Wire.CHUNK_FRAME_BYTES_MAX);
            }
            return new Outcome(frames, CloseReason.NORMAL);
        } catch (WireException e) {
            return new Outcome(frames, e.reason());
        } finally {
            decoder.release();
            assertThat(allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory()).as("bytes left").isZero();
        }
    }

    private static void read(ByteBuf bytes, FrameDecoder decoder, boolean readsOn, Random random) throws WireException {
        ByteBuf filling = readsOn ? decoder.toFill() : null;
        ByteBuf in = filling != null ? filling.retain() : Unpooled.buffer(Wire.CHUNK_FRAME_BYTES_MAX, Wire.CHUNK_FRAME_BYTES_MAX);
        try {
            int most = Math.min(Math.min(bytes.readableBytes(), in.writableBytes()), random.nextBoolean() ? READ_BYTES_MAX : Wire.CHUNK_FRAME_BYTES_MAX);
            in.writeBytes(bytes, 1 + random.nextInt(most));
            decoder.feed(in);
        } finally {
            in.release();
        }
    }

    /** As a link does with a frame that it decodes on its own. */
    private static void handle(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        ByteBuffer frame = buffer.nioBuffer(index, length);
        switch (view.type()) {
            case LINK_HELLO -> {
                LinkHello hello = LinkHello.decode(frame);
                RelayId.isOf(hello.site(), hello.relay());
            }
            case CLOSE -> CloseNotice.decode(frame);
            case LINK_REACH -> LinkReach.decode(frame);
            case STREAM_OPEN -> StreamOpen.decode(frame);
            case STREAM_END -> StreamEnd.decode(frame);
            case LINK_PACKED -> unpack(frame, view.packedBytes());
            default -> {}
        }
    }

    private static void unpack(ByteBuffer frame, int bytes) throws WireException {
        if (bytes < 0 || bytes > Wire.PACKED_BYTES_MAX) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "LINK_PACKED of " + bytes);
        }
        ByteBuffer plain = ByteBuffer.allocate(bytes);
        CODEC.unpack(frame.position(frame.position() + Wire.PACKED_HEADER_BYTES).slice(), plain);
    }
}
