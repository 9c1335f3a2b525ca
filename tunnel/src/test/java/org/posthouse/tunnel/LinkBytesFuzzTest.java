package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.testkit.FuzzRuns;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.LinkHello;
import org.posthouse.wire.LinkReach;
import org.posthouse.wire.StreamEnd;
import org.posthouse.wire.StreamOpen;
import org.posthouse.wire.Wire;

/** The build's short run of {@link LinkBytesFuzz}. */
final class LinkBytesFuzzTest {
    private static final int ROUNDS = Boolean.getBoolean("posthouse.long") ? 50_000 : 1_000;

    /** Buffers of the test itself: one for each read. */
    private static final long ALLOCATED_BYTES_MAX = 64L << 20;

    @Test
    void framesDoNotDependOnTheCutsOfTheirBytes() {
        FuzzRuns.each(ROUNDS, samples(), ALLOCATED_BYTES_MAX, LinkBytesFuzz::fuzzerTestOneInput);
    }

    /** A handshake, frames that a link carries, and control frames, each with two kinds of reads. */
    private static List<byte[]> samples() {
        ByteBuffer hello = new LinkHello("lyon", "lyon/2", "ghent", 5, 6, 0, 7, 8, 9, true, false).encode();
        ByteBuffer reach = new LinkReach(List.of(new LinkReach.Entry("b", 54, 55, List.of()), new LinkReach.Entry("c/2", 56, 57, List.of("b")))).encode();
        List<byte[]> samples = new ArrayList<>();
        for (byte reads = 0; reads < 2; reads++) {
            samples.add(stream(reads, hello, reach, send(1, 10), send(2, 100)));
            samples.add(stream(reads, hello, packed(send(3, 500), send(4, 500)), words(FrameType.LINK_PING), words(FrameType.LINK_ACK)));
            samples.add(stream(reads, hello, send(5, 40_000), words(FrameType.LINK_RUN), send(6, 20)));
            samples.add(stream(reads, new StreamOpen(113, 114, "group").encode(), new StreamEnd(113, CloseReason.SITE_UNREACHABLE, "no").encode(),
                    CloseNotice.closing(0, CloseReason.TIMEOUT, "silent").encode(FrameType.CLOSE)));
        }
        return samples;
    }

    private static byte[] stream(byte reads, ByteBuffer... frames) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(reads);
        for (ByteBuffer frame : frames) {
            byte[] part = new byte[frame.remaining()];
            frame.duplicate().get(part);
            bytes.writeBytes(part);
        }
        return bytes.toByteArray();
    }

    private static ByteBuffer send(long sequence, int payloadBytes) {
        return copied(Frames.send(sequence, new byte[payloadBytes]));
    }

    private static ByteBuffer packed(ByteBuffer... frames) {
        try (PackingCodec codec = new PackingCodec()) {
            return copied(codec.pack(7, List.of(frames)));
        }
    }

    private static ByteBuffer copied(ByteBuf frame) {
        try {
            return ByteBuffer.allocate(frame.readableBytes()).put(frame.nioBuffer()).flip();
        } finally {
            frame.release();
        }
    }

    private static ByteBuffer words(FrameType type) {
        ByteBuffer frame = ByteBuffer.allocate(type.bytesMin());
        FrameView view = new FrameView().wrap(frame, 0).begin(type, type.bytesMin(), 0);
        for (int place = 0; Wire.HEADER_BYTES + place * Long.BYTES < frame.capacity(); place++) {
            view.linkWord(place, place);
        }
        return frame;
    }
}
