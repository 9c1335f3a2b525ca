package org.posthouse.tunnel.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.StreamOpen;
import org.posthouse.wire.WireException;

/** Relay "b" between "a" and "c", who give one token each: the second frame of either waits. */
class StreamPipeTest {
    private final StreamCounters tally = new StreamCounters();
    private final StreamBuffers buffers = new StreamBuffers(StreamConfig.DEFAULT);
    private final Queue<LinkStream> asked = new ArrayDeque<>();

    @Test
    void streamEndReleasesWaitingBuffers() throws WireException {
        LinkStreams toA = links("a");
        ByteBuffer open = new StreamOpen(1, 1, "door").encode();
        toA.onFrame(Unpooled.wrappedBuffer(open), 0, open.remaining(), new FrameView().wrap(open, 0));
        LinkStream fromA = asked.remove();
        StreamPipe pipe = new StreamPipe(tally);
        LinkStream toC = links("c").open("door", pipe.from(fromA));
        pipe.onto(toC);
        toC.onTokens(1);
        List<ByteBuf> came = Stream.generate(() -> Unpooled.wrappedBuffer(new byte[1])).limit(4).toList();
        fromA.onData(came.get(0), false);
        fromA.onData(came.get(1), false);
        toC.onData(came.get(2), false);
        toC.onData(came.get(3), false);
        assertThat(came).extracting(ByteBuf::refCnt).as("what has gone on, and what waits").containsExactly(0, 1, 0, 1);
        toC.onEnd(CloseReason.NORMAL, "");
        assertThat(came).extracting(ByteBuf::refCnt).containsOnly(0);
        assertThat(fromA.state()).isSameAs(LinkStream.State.ENDED);
    }

    private LinkStreams links(String relay) {
        LinkStreams.Port port = new LinkStreams.Port() {
            @Override
            public void send(ByteBuf frame) {
                frame.release();
            }

            @Override
            public boolean writable() {
                return true;
            }
        };
        return new LinkStreams("b", relay, port, (stream, door) -> asked.add(stream), buffers, tally);
    }
}
