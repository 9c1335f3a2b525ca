package org.posthouse.relay.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.relay.threads.StrandExecutor;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;

/** What is written leaves in order, each byte once, however little the kernel takes; and nothing is leaked. */
final class OutboundChannelTest {
    private final List<ByteBuf> buffers = new ArrayList<>();
    private final ByteBuf received = UnpooledByteBufAllocator.DEFAULT.buffer();
    private final List<String> heard = new ArrayList<>();
    private final FakeOutlet outlet = new FakeOutlet();
    private final OutboundChannel outboundChannel = new OutboundChannel(outlet, StrandExecutor.open(Runnable::run), () -> heard.add("writable"));

    /** Takes as many bytes as it is told to. */
    private final class FakeOutlet implements ByteSink {
        private long takes = Long.MAX_VALUE;
        private boolean broken;
        private boolean closed;
        private int calls;
        private ByteBuf rest;
        private Runnable then;

        @Override
        public long write(ByteBuffer[] bytes, int count) throws IOException {
            assertThat(rest).as("nothing is written beside the rest").isNull();
            calls++;
            if (broken) {
                throw new IOException("Broken pipe");
            }
            long written = 0;
            for (int i = 0; i < count; i++) {
                int some = (int) Math.min(takes - written, bytes[i].remaining());
                received.writeBytes(bytes[i].slice(bytes[i].position(), some));
                written += some;
            }
            return written;
        }

        @Override
        public void finish(ByteBuf left, Runnable done) {
            rest = left;
            then = done;
        }

        private void haveRoom() {
            received.writeBytes(rest);
            rest.release();
            rest = null;
            then.run();
        }

        @Override
        public boolean changesLoop() {
            return true;
        }

        @Override
        public void readBy(EventLoop loop, Runnable ended, Runnable done) {
            then = done;
        }

        @Override
        public void pauseReading(boolean pause) {
            throw new AssertionError("a line does not read");
        }

        @Override
        public void close() {
            closed = true;
        }

        @Override
        public ConnectionAddresses ends() {
            throw new AssertionError("nobody asks");
        }
    }

    private ByteBuf frame(Random random, int bytes) {
        byte[] content = new byte[bytes];
        random.nextBytes(content);
        ByteBuf frame = UnpooledByteBufAllocator.DEFAULT.directBuffer(bytes).writeBytes(content);
        buffers.add(frame);
        return frame;
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, Boolean.getBoolean("posthouse.long") ? 8 : 4);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyByteLeavesOnceAndInOrder(long seed) {
        Random random = new Random(seed);
        ByteBuf sent = UnpooledByteBufAllocator.DEFAULT.buffer();
        for (int i = 0; i < 400; i++) {
            int frames = random.nextInt(30);
            for (int f = 0; f < frames; f++) {
                ByteBuf frame = frame(random, 1 + random.nextInt(random.nextInt(4) == 0 ? 70_000 : 200));
                sent.writeBytes(frame.duplicate());
                outboundChannel.write(frame);
            }
            outlet.takes = random.nextInt(3) == 0 ? random.nextInt(100_000) : Long.MAX_VALUE;
            outboundChannel.flush();
            if (outlet.rest != null && random.nextBoolean()) {
                outlet.takes = Long.MAX_VALUE;
                outlet.haveRoom();
            }
            received.markReaderIndex();
        }
        outlet.takes = Long.MAX_VALUE;
        while (outlet.rest != null) {
            outlet.haveRoom();
        }
        outboundChannel.flush();
        assertThat(received.equals(sent)).isTrue();
        assertThat(buffers).allMatch(buffer -> buffer.refCnt() == 0);
        assertThat(outboundChannel.framesOut()).isEqualTo(buffers.size());
        assertThat(outboundChannel.writable()).isTrue();
    }

    @Test
    void smallFramesLeaveTogether() {
        for (int i = 0; i < 100; i++) {
            outboundChannel.write(frame(new Random(i), 60));
        }
        outboundChannel.flush();
        assertThat(outlet.calls).isEqualTo(1);
        assertThat(received.readableBytes()).isEqualTo(6_000);
    }

    @Test
    void tellsWhenAReaderThatWasSlowReads() {
        outlet.takes = 0;
        outboundChannel.write(frame(new Random(1), WaitingFrames.BYTES_HIGH));
        outboundChannel.flush();
        assertThat(outboundChannel.writable()).isTrue();
        outboundChannel.write(frame(new Random(2), 1));
        assertThat(outboundChannel.writable()).isFalse();
        outboundChannel.flush();
        assertThat(heard).isEmpty();
        outlet.takes = Long.MAX_VALUE;
        outlet.haveRoom();
        assertThat(outboundChannel.writable()).isTrue();
        assertThat(heard).containsExactly("writable");
    }

    @Test
    void aBrokenConnectionIsClosedAndKeepsNothing() {
        outlet.broken = true;
        outboundChannel.write(frame(new Random(1), 10));
        outboundChannel.flush();
        outboundChannel.write(frame(new Random(1), 100_000));
        outboundChannel.flush();
        assertThat(outlet.closed).isTrue();
        assertThat(buffers).allMatch(buffer -> buffer.refCnt() == 0);
    }

    @Test
    void aReaderThatGoesAwayWhileMuchWaitsLeavesNothing() {
        outlet.takes = 5;
        outboundChannel.write(frame(new Random(1), 10));
        outboundChannel.flush();
        outboundChannel.write(frame(new Random(2), 100_000));
        outboundChannel.flush();
        outboundChannel.cut(CloseNotice.closing(0, CloseReason.NORMAL, "gone"));
        outboundChannel.ended();
        outlet.broken = true;
        outlet.haveRoom();
        assertThat(buffers).allMatch(buffer -> buffer.refCnt() == 0);
    }

    @Test
    void nothingFollowsTheCloseFrame() {
        CloseNotice why = CloseNotice.closing(0, CloseReason.LIMIT, "enough");
        assertThat(outboundChannel.close(why)).isTrue();
        assertThat(outboundChannel.close(why)).isFalse();
        outboundChannel.write(frame(new Random(1), 10));
        outboundChannel.flush();
        assertThat(new FrameView().wrap(received.nioBuffer(), 0).type()).isEqualTo(FrameType.CLOSE);
        assertThat(received.readableBytes()).isEqualTo(why.encode(FrameType.CLOSE).remaining());
        assertThat(buffers).allMatch(buffer -> buffer.refCnt() == 0);
    }

    @Test
    void heldWritesLeaveAfterChangeOfLoop() {
        outboundChannel.readBy(null, StrandExecutor.open(Runnable::run), () -> {});
        outboundChannel.write(frame(new Random(1), 10));
        outboundChannel.flush();
        assertThat(received.readableBytes()).isZero();
        outlet.then.run();
        assertThat(received.readableBytes()).isEqualTo(10);
        assertThat(buffers).allMatch(buffer -> buffer.refCnt() == 0);
    }

    /** A connection that is being closed stays where it is. */
    @Test
    void getsNoOtherLoopWhileAWriteIsFinished() {
        outlet.takes = 5;
        outboundChannel.write(frame(new Random(1), 10));
        outboundChannel.flush();
        Runnable finished = outlet.then;
        outboundChannel.readBy(null, StrandExecutor.open(Runnable::run), () -> {});
        assertThat(outlet.then).isSameAs(finished);
        outlet.takes = Long.MAX_VALUE;
        outlet.haveRoom();
        assertThat(received.readableBytes()).isEqualTo(10);
    }
}
