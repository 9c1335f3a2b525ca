package org.posthouse.relay.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.posthouse.tunnel.socket.FrameDecoder;

/** What a thread reads into while frames are held: of those buffers a process has so many. */
@Isolated
final class ReusedReadBuffersTest {
    private static final int ALL = ReusedReadBuffers.SURE + (int) (ReusedReadBuffers.SHARED_BYTES / ReadBuffers.BUFFER_BYTES);

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final FrameDecoder frames = new FrameDecoder(UnpooledByteBufAllocator.DEFAULT, true, (buffer, index, length, view) -> true);
    private final RecvByteBufAllocator.Handle reading = new ReadBuffers(frames).newHandle();

    @BeforeEach
    void begin() {
        FastThreadLocal.removeAll();
        reading.reset(channel.config());
    }

    @AfterEach
    void end() {
        FastThreadLocal.removeAll();
        channel.finishAndReleaseAll();
    }

    @Test
    void oneIsEnoughWhereNothingIsHeld() {
        ByteBuf first = read();
        first.release();
        for (int i = 0; i < 3 * ReusedReadBuffers.LOOK_AFTER; i++) {
            ByteBuf next = read();
            assertThat(next).isSameAs(first);
            next.release();
        }
    }

    @Test
    void thoseInWhichNobodyHoldsAFrameAreUsedAgain() {
        Set<ByteBuf> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        List<ByteBuf> held = new ArrayList<>(read(ALL));
        seen.addAll(held);
        assertThat(seen).hasSize(ALL);
        for (int round = 0; round < 3 * ALL; round++) {
            held.remove(round * 7 % ALL).release();
            held.add(read());
        }
        seen.addAll(held);
        held.forEach(ByteBuf::release);
        assertThat(seen).hasSize(ALL);
    }

    @Test
    void thereAreNoMoreThanTheProcessMayHave() throws InterruptedException {
        List<ByteBuf> held = read(ALL);
        assertThat(held).allMatch(buffer -> buffer.capacity() == ReadBuffers.BUFFER_BYTES);
        assertThat(ReusedReadBuffers.ofThread().free(false)).isNull();
        List<ByteBuf> ofAnother = new ArrayList<>();
        Thread another = new Thread(() -> {
            for (ByteBuf free = ReusedReadBuffers.ofThread().free(false); free != null; free = ReusedReadBuffers.ofThread().free(false)) {
                ofAnother.add(free.retain());
            }
            FastThreadLocal.removeAll();
        });
        another.start();
        another.join();
        assertThat(ofAnother).hasSize(ReusedReadBuffers.SURE);
        held.forEach(ByteBuf::release);
        ofAnother.forEach(ByteBuf::release);
        assertThat(ofAnother).allMatch(buffer -> buffer.refCnt() == 0);
    }

    @Test
    void thoseThatAreNotWantedAnyMoreAreLetGo() {
        List<ByteBuf> held = read(ALL);
        ByteBuf last = held.removeLast();
        held.forEach(ByteBuf::release);
        for (int i = 0; i < 2 * ReusedReadBuffers.LOOK_AFTER; i++) {
            read().release();
        }
        assertThat(held.subList(0, ReusedReadBuffers.SURE)).allMatch(buffer -> buffer.refCnt() == 1);
        assertThat(held.subList(ReusedReadBuffers.SURE, held.size())).allMatch(buffer -> buffer.refCnt() == 0);
        assertThat(last.refCnt()).isEqualTo(2);
        last.release();
        List<ByteBuf> again = read(ALL);
        assertThat(again).allMatch(buffer -> buffer.capacity() == ReadBuffers.BUFFER_BYTES);
        again.forEach(ByteBuf::release);
    }

    /** Else who has read one kind would keep all that there may be of the other. */
    @Test
    void longOnesAreLetGoAsOrdinaryOnesAreReadInto() {
        List<ByteBuf> held = new ArrayList<>();
        for (ByteBuf free = ReusedReadBuffers.ofThread().free(true); free != null; free = ReusedReadBuffers.ofThread().free(true)) {
            held.add(free.retain());
        }
        assertThat(held).allMatch(buffer -> buffer.capacity() == ReadBuffers.LONG_BUFFER_BYTES);
        assertThat(read(ReusedReadBuffers.SURE)).allMatch(buffer -> buffer.capacity() == ReadBuffers.BUFFER_BYTES && !buffer.release());
        held.forEach(ByteBuf::release);
        for (int i = 0; i < 2 * ReusedReadBuffers.LOOK_AFTER; i++) {
            read().release();
        }
        assertThat(read(ALL)).hasSize(ALL).allMatch(buffer -> buffer.capacity() == ReadBuffers.BUFFER_BYTES && !buffer.release());
    }

    private ByteBuf read() {
        return reading.allocate(UnpooledByteBufAllocator.DEFAULT);
    }

    private List<ByteBuf> read(int count) {
        List<ByteBuf> buffers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            buffers.add(read());
        }
        return buffers;
    }
}
