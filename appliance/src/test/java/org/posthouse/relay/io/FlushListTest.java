package org.posthouse.relay.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.relay.threads.Strand;
import org.posthouse.relay.threads.StrandExecutor;

/** Connections are written to behind all that were ready to be read, and no later. */
final class FlushListTest {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final List<String> written = new ArrayList<>();
    private int connections = FlushList.CONNECTIONS_MIN;
    private final Strand strand = new Strand(StrandExecutor.open(channel.eventLoop()), this::endTurn);
    private final FlushList list = new FlushList(new FlushList.Owner() {
        @Override
        public boolean passes() {
            return strand.passes();
        }

        @Override
        public int connections() {
            return connections;
        }

        @Override
        public void afterPass(Runnable work) {
            strand.afterPass(work);
        }

        @Override
        public void submit(Runnable work) {
            strand.submit(work);
        }
    });

    private void endTurn() {
        list.endTurn();
    }

    private record NamedOutlet(String name, List<String> written) implements ByteSink {
        @Override
        public long write(ByteBuffer[] bytes, int count) {
            long all = 0;
            for (int i = 0; i < count; i++) {
                all += bytes[i].remaining();
            }
            written.add(name + " " + all);
            return all;
        }

        @Override
        public void finish(ByteBuf left, Runnable done) {
            throw new AssertionError("all is taken");
        }

        @Override
        public boolean changesLoop() {
            return false;
        }

        @Override
        public void readBy(EventLoop loop, Runnable ended, Runnable then) {
            throw new AssertionError("nobody reads");
        }

        @Override
        public void pauseReading(boolean pause) {
            throw new AssertionError("nothing is read");
        }

        @Override
        public void close() {
            throw new AssertionError("nothing fails");
        }

        @Override
        public ConnectionAddresses ends() {
            throw new AssertionError("nobody asks");
        }
    }

    private OutboundChannel line(String name) {
        return new OutboundChannel(new NamedOutlet(name, written), StrandExecutor.open(Runnable::run), () -> {});
    }

    /** One turn, in which so many bytes are written there. */
    private void turn(OutboundChannel outboundChannel, int bytes) {
        strand.submit(() -> {
            outboundChannel.write(Unpooled.wrappedBuffer(new byte[bytes]));
            list.add(outboundChannel, bytes);
        });
    }

    @Test
    void writesBehindAllThatWasReady() {
        OutboundChannel one = line("one");
        turn(one, 10);
        turn(line("two"), 20);
        turn(one, 30);
        assertThat(written).isEmpty();
        channel.runPendingTasks();
        assertThat(written).containsExactly("one 40", "two 20");
        turn(one, 50);
        channel.runPendingTasks();
        assertThat(written).last().isEqualTo("one 50");
    }

    @Test
    void keepsNoLargeMessageWaiting() {
        turn(line("one"), 10);
        turn(line("two"), FlushList.BYTES_MAX);
        assertThat(written).containsExactly("one 10", "two " + FlushList.BYTES_MAX);
        channel.runPendingTasks();
        assertThat(written).hasSize(2);
    }

    @Test
    void keepsNoMoreThanSomeWaiting() {
        for (int i = 1; i < FlushList.LINES_MAX; i++) {
            turn(line("line " + i), 1);
        }
        assertThat(written).isEmpty();
        turn(line("last"), 1);
        assertThat(written).hasSize(FlushList.LINES_MAX).last().isEqualTo("last 1");
    }

    @Test
    void doesNotWaitForAFewConnections() {
        connections = FlushList.CONNECTIONS_MIN - 1;
        turn(line("one"), 10);
        assertThat(written).containsExactly("one 10");
    }

    @Test
    void movedStrandFlushesEarlierTurnsAtOnce() {
        turn(line("one"), 10);
        strand.moveTo(StrandExecutor.open(channel.eventLoop()::execute));
        turn(line("two"), 20);
        assertThat(written).containsExactly("one 10", "two 20");
        channel.runPendingTasks();
        assertThat(written).hasSize(2);
    }
}
