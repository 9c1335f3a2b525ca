package org.posthouse.tunnel.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.timeout.IdleStateHandler;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.posthouse.tunnel.Frames;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** A connection of frames, in a channel without a network, so that every cut of the stream is exact. */
class FrameSocketTest {
    /** No frame type has this id. */
    private static final byte UNKNOWN = 127;

    private final Random random = new Random(42);
    private final List<Long> received = new ArrayList<>();
    private final List<CloseNotice> closed = new ArrayList<>();
    private int writables;
    private CloseReason breach;
    private EmbeddedChannel channel;
    private FrameSocket socket;

    @BeforeEach
    void open() {
        channel = new EmbeddedChannel();
        channel.pipeline().addLast("handler", new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                // As Vert.x's: it reports and goes on.
            }
        });
        socket = FrameSocket.attach(channel.pipeline().context("handler"), new Recorder());
    }

    @AfterEach
    void releasesEverything() {
        channel.finishAndReleaseAll();
    }

    @Test
    void readsFramesSplitAtEveryBytePosition() {
        byte[] stream = bytesOf(
                Frames.send(1, 0, random),
                Unpooled.wrappedBuffer(credit()),
                Frames.send(2, 37, random),
                Frames.send(3, 1, random));
        for (int cut = 0; cut <= stream.length; cut++) {
            received.clear();
            feed(stream, 0, cut);
            feed(stream, cut, stream.length);
            assertThat(received).as("cut at byte %d", cut).containsExactly(1L, -1L, 2L, 3L);
        }
        assertThat(closed).isEmpty();
    }

    @Test
    void readsFramesThatTrickleInByteByByte() {
        byte[] stream = bytesOf(Frames.send(1, 100, random), Frames.send(2, 0, random));
        for (int at = 0; at < stream.length; at++) {
            feed(stream, at, at + 1);
        }
        assertThat(received).containsExactly(1L, 2L);
        assertThat(socket.bytesIn()).isEqualTo(stream.length);
    }

    @Test
    void readsManyFramesFromOneBufferAndTheLongestFrame() {
        List<ByteBuf> frames = new ArrayList<>();
        List<Long> expected = new ArrayList<>();
        for (long sequence = 1; sequence <= 1000; sequence++) {
            frames.add(Frames.send(sequence, random.nextInt(64), random));
            expected.add(sequence);
        }
        frames.add(Frames.send(1001, Wire.PAYLOAD_BYTES_MAX, random));
        expected.add(1001L);
        byte[] stream = bytesOf(frames.toArray(ByteBuf[]::new));
        feed(stream, 0, stream.length);
        assertThat(received).isEqualTo(expected);
    }

    @Test
    void readsRandomCutsOfARandomStream() {
        List<ByteBuf> frames = new ArrayList<>();
        List<Long> expected = new ArrayList<>();
        for (long sequence = 1; sequence <= 300; sequence++) {
            frames.add(Frames.send(sequence, random.nextInt(3000), random));
            expected.add(sequence);
        }
        byte[] stream = bytesOf(frames.toArray(ByteBuf[]::new));
        for (int at = 0; at < stream.length;) {
            int next = Math.min(stream.length, at + 1 + random.nextInt(random.nextBoolean() ? 20 : 8000));
            feed(stream, at, next);
            at = next;
        }
        assertThat(received).isEqualTo(expected);
    }

    @Test
    void closesWithAReasonOnRandomBytes() {
        for (int round = 0; round < 500; round++) {
            open();
            closed.clear();
            received.clear();
            byte[] noise = new byte[Wire.HEADER_BYTES + random.nextInt(200)];
            random.nextBytes(noise);
            noise[0] |= 1; // A length of more than 16 MiB, whatever follows.
            int cut = random.nextInt(noise.length + 1);
            feed(noise, 0, cut);
            feed(noise, cut, noise.length);
            assertThat(sentClose().reason()).isEqualTo(CloseReason.FRAME_TOO_LONG);
            assertThat(received).isEmpty();
            endByPeer();
            assertThat(closed).hasSize(1);
        }
    }

    @Test
    void closesOnOverLongAndTooShortLengths() {
        assertBreach(header(Wire.CHUNK_FRAME_BYTES_MAX + 1, FrameType.CHUNK.id(), 0), CloseReason.FRAME_TOO_LONG);
        assertBreach(header(-1, FrameType.CHUNK.id(), 0), CloseReason.FRAME_TOO_LONG);
        assertBreach(header(Wire.HEADER_BYTES - 1, FrameType.JOB_OPENED.id(), 0), CloseReason.MALFORMED_FRAME);
        assertBreach(header(Wire.MESSAGE_HEADER_BYTES - 1, FrameType.SEND.id(), 0), CloseReason.MALFORMED_FRAME);
    }

    @Test
    void closesOnAnUnknownTypeAndOnReservedBytes() {
        assertBreach(header(Wire.HEADER_BYTES, UNKNOWN, 0), CloseReason.UNKNOWN_TYPE);
        assertBreach(header(Wire.HEADER_BYTES, (byte) -1, 0), CloseReason.UNKNOWN_TYPE);
        assertBreach(header(Wire.MESSAGE_HEADER_BYTES, FrameType.SEND.id(), 1), CloseReason.MALFORMED_FRAME);
    }

    @Test
    void handlesTheFramesBeforeABreachAndNoneBehindIt() {
        byte[] stream = bytesOf(
                Frames.send(1, 10, random),
                Unpooled.wrappedBuffer(header(Wire.HEADER_BYTES, UNKNOWN, 0)),
                Frames.send(2, 10, random));
        feed(stream, 0, stream.length);
        feed(stream, 0, stream.length);
        assertThat(received).containsExactly(1L);
        assertThat(sentClose().reason()).isEqualTo(CloseReason.UNKNOWN_TYPE);
    }

    @Test
    void closesWithTheListenersReason() {
        breach = CloseReason.CREDIT_EXCEEDED;
        byte[] stream = bytesOf(Frames.send(1, 10, random), Frames.send(2, 10, random));
        feed(stream, 0, stream.length);
        assertThat(received).hasSize(1);
        assertThat(sentClose().reason()).isEqualTo(CloseReason.CREDIT_EXCEEDED);
        assertThat(socket.isClosed()).isTrue();
    }

    @Test
    void saysWhyAndWaitsForThePeerToClose() {
        socket.close(CloseNotice.closing(9, CloseReason.JOB_ABORTED, "the end"));
        socket.close(CloseNotice.closing(9, CloseReason.INTERNAL, "ignored"));
        socket.write(Frames.send(1, 10, random));
        assertThat(channel.isOpen()).as("closing now could lose the frame").isTrue();
        CloseNotice sent = sentClose();
        assertThat(sent.text()).isEqualTo("the end");
        assertThat(channel.<ByteBuf>readOutbound()).isNull();
        endByPeer();
        assertThat(closed).extracting(CloseNotice::reason).containsExactly(CloseReason.JOB_ABORTED);
    }

    @Test
    void breaksOffWhenThePeerDoesNotReadTheReason() {
        stall();
        socket.close(CloseNotice.closing(9, CloseReason.JOB_ABORTED, "the end"));
        channel.advanceTimeBy(2, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        assertThat(channel.isOpen()).isFalse();
        assertThat(closed).extracting(CloseNotice::reason).containsExactly(CloseReason.JOB_ABORTED);
    }

    @Test
    void cutsAtOnceThoughAHandlerHoldsTheClose() {
        stall();
        socket.cut(CloseNotice.closing(0, CloseReason.TIMEOUT, "silent"));
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
        assertThat(closed).extracting(CloseNotice::reason).containsExactly(CloseReason.TIMEOUT);
        socket.cut(CloseNotice.closing(0, CloseReason.TIMEOUT, "again"));
        assertThat(closed).hasSize(1);
    }

    @Test
    void takesATlsAlertForTheEnvironmentsFaultAndAnotherExceptionForOurs() {
        channel.pipeline().fireExceptionCaught(new DecoderException(new SSLHandshakeException("alert")));
        channel.runPendingTasks();
        assertThat(closed).extracting(CloseNotice::reason).containsExactly(CloseReason.NORMAL);
        assertThat(closed.getFirst().text()).contains("alert").doesNotContain("DecoderException");
        open();
        channel.pipeline().fireExceptionCaught(new IllegalStateException("fault"));
        channel.runPendingTasks();
        assertThat(closed.getLast().reason()).isEqualTo(CloseReason.INTERNAL);
    }

    @Test
    void turnsUnwritableWhenBytesPileUpAndTellsWhenTheyLeft() {
        ChannelOutboundHandlerAdapter network = stall();
        int writes = 0;
        while (socket.writable()) {
            socket.write(Frames.send(++writes, 10_000, random));
            assertThat(writes).isLessThan(1000);
        }
        assertThat(socket.bytesOut()).isBetween(900L * 1024, 1100L * 1024);
        assertThat(writables).isZero();
        channel.pipeline().remove(network);
        channel.flush();
        assertThat(socket.writable()).isTrue();
        assertThat(writables).isEqualTo(1);
        assertThat(channel.outboundMessages()).hasSize(writes);
    }

    @Test
    void releasesDroppedAndIncompleteFrames() {
        byte[] stream = bytesOf(Frames.send(1, 100, random));
        ByteBuf first = Unpooled.copiedBuffer(stream, 0, 70);
        channel.writeInbound(first);
        assertThat(first.refCnt()).isZero();
        endByPeer();
        ByteBuf late = Frames.send(2, 10, random);
        socket.write(late);
        assertThat(late.refCnt()).isZero();
        assertThat(closed).hasSize(1);
        assertThat(received).isEmpty();
    }

    private void assertBreach(ByteBuffer header, CloseReason closeReason) {
        open();
        ByteBuf frame = Unpooled.wrappedBuffer(header);
        byte[] bytes = bytesOf(frame);
        feed(bytes, 0, 7);
        feed(bytes, 7, bytes.length);
        assertThat(sentClose().reason()).isEqualTo(closeReason);
        endByPeer();
    }

    private static ByteBuffer header(int length, byte type, int reserved) {
        ByteBuffer header = ByteBuffer.allocate(Wire.MESSAGE_HEADER_BYTES);
        header.putInt(length).put(type).put((byte) 0).putShort((short) reserved);
        return header.clear();
    }

    private static ByteBuffer credit() {
        ByteBuffer frame = ByteBuffer.allocate(FrameType.CREDIT.bytesMin());
        new FrameView().wrap(frame, 0).begin(FrameType.CREDIT, FrameType.CREDIT.bytesMin(), 7).credit(1, 1, 0);
        return frame;
    }

    private static byte[] bytesOf(ByteBuf... frames) {
        ByteBuf all = Unpooled.wrappedBuffer(frames.length, frames);
        byte[] bytes = new byte[all.readableBytes()];
        all.readBytes(bytes);
        all.release();
        return bytes;
    }

    private void feed(byte[] stream, int from, int to) {
        channel.writeInbound(Unpooled.copiedBuffer(stream, from, to - from));
    }

    private CloseNotice sentClose() {
        channel.runPendingTasks();
        ByteBuf sent = channel.readOutbound();
        assertThat(sent).as("a CLOSE frame").isNotNull();
        try {
            assertThat(FrameType.of(sent.getByte(4))).isEqualTo(FrameType.CLOSE);
            return CloseNotice.decode(sent.nioBuffer());
        } catch (WireException e) {
            throw new AssertionError(e);
        } finally {
            sent.release();
        }
    }

    private void endByPeer() {
        channel.close();
        channel.runPendingTasks();
    }

    /** Holds closes and flushes back for ever, as handlers do whose peer does not read. */
    private ChannelOutboundHandlerAdapter stall() {
        ChannelOutboundHandlerAdapter network = new ChannelOutboundHandlerAdapter() {
            @Override
            public void flush(ChannelHandlerContext context) {
                // Nothing leaves.
            }
        };
        channel.pipeline().addFirst(network);
        channel.pipeline().addLast(new ChannelOutboundHandlerAdapter() {
            @Override
            public void close(ChannelHandlerContext context, ChannelPromise promise) {
                // Waits for what does not leave.
            }
        });
        return network;
    }

    @Test
    void noHandlerLooksForIdlenessOnceTheOwnerDoes() {
        socket.watchedByOwner();
        channel.pipeline().addFirst(new IdleStateHandler(0, 0, 60));
        socket.watchedByOwner();
        assertThat(channel.pipeline().get(IdleStateHandler.class)).isNull();
        byte[] stream = bytesOf(Frames.send(1, 100, random));
        feed(stream, 0, stream.length);
        assertThat(received).containsExactly(1L);
    }

    private final class Recorder implements FrameSocket.Listener {
        @Override
        public void onFrame(FrameSocket from, ByteBuf buffer, int index, int length, FrameView view)
                throws WireException {
            received.add(view.type() == FrameType.SEND ? Frames.verify(buffer, index, length, view) : -1L);
            if (breach != null) {
                throw new WireException(breach, "as the test wants");
            }
        }

        @Override
        public void onWritable(FrameSocket from) {
            writables++;
        }

        @Override
        public void onClosed(FrameSocket from, CloseNotice why) {
            closed.add(why);
        }
    }
}
