package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.wire.Reason;
import org.posthouse.wire.WireException;

class LinkWindowTest {
    private final LinkWindow window = new LinkWindow(1_000);

    @Test
    void writesEachFrameOnceAndKeepsItUntilAcknowledged() throws WireException {
        ByteBuf frame = number(0);
        window.append(frame);
        assertThat(take(window)).isZero();
        assertThat(window.next()).isNull();
        assertThat(frame.refCnt()).isEqualTo(1);
        window.acknowledge(1);
        assertThat(frame.refCnt()).isZero();
        assertThat(window.bytes()).isZero();
    }

    @Test
    void writesAgainExactlyWhatThePeerDoesNotHave() throws WireException {
        append(window, 0, 5);
        for (int i = 0; i < 4; i++) {
            take(window);
        }
        window.acknowledge(1);
        window.resume(2);
        assertThat(List.of(take(window), take(window), take(window))).containsExactly(2L, 3L, 4L);
        assertThat(window.retransmitted()).isEqualTo(2);
        assertThat(window.next()).isNull();
    }

    @Test
    void keepsWhatThePeerHasReceivedUntilItIsAcknowledged() throws WireException {
        append(window, 0, 3);
        take(window);
        take(window);
        window.resume(2);
        assertThat(window.acknowledged()).isZero();
        assertThat(take(window)).isEqualTo(2);
        window.acknowledge(3);
        assertThat(window.bytes()).isZero();
    }

    @Test
    void refusesToResumeFromWhatWasNeverWrittenOrIsGone() throws WireException {
        append(window, 0, 5);
        take(window);
        take(window);
        window.acknowledge(1);
        assertThatThrownBy(() -> window.resume(3)).satisfies(e -> assertReason(e, Reason.CANNOT_RESUME));
        assertThatThrownBy(() -> window.resume(0)).satisfies(e -> assertReason(e, Reason.CANNOT_RESUME));
        window.resume(1);
        assertThat(take(window)).isEqualTo(1);
    }

    @Test
    void refusesAcknowledgementsThatCannotBe() throws WireException {
        append(window, 0, 3);
        take(window);
        take(window);
        window.acknowledge(2);
        assertThatThrownBy(() -> window.acknowledge(3)).satisfies(e -> assertReason(e, Reason.NOT_EXPECTED));
        assertThatThrownBy(() -> window.acknowledge(1)).satisfies(e -> assertReason(e, Reason.NOT_EXPECTED));
        window.acknowledge(2);
    }

    @Test
    void isFullPastItsBytesAndRoomyAtHalf() throws WireException {
        while (!window.full()) {
            window.append(number(0));
        }
        long frames = window.bytes() / (8 + LinkWindow.FRAME_OVERHEAD_BYTES);
        assertThat(window.bytes()).isGreaterThan(1_000);
        for (int i = 0; i < frames; i++) {
            window.next().release();
        }
        long acknowledged = 0;
        while (!window.roomy()) {
            window.acknowledge(++acknowledged);
        }
        assertThat(window.bytes()).isBetween(1L, 500L);
    }

    @Test
    void handsOverWhatIsNotAcknowledgedInOrderAndCountsFromZero() throws WireException {
        append(window, 0, 3);
        take(window);
        take(window);
        window.acknowledge(1);
        List<ByteBuf> frames = window.takeAll();
        assertThat(frames.stream().map(frame -> frame.getLong(0))).containsExactly(1L, 2L);
        assertThat(frames).allMatch(frame -> frame.refCnt() == 1);
        frames.forEach(ByteBuf::release);
        assertThat(window.bytes()).isZero();
        window.resume(0);
        window.append(number(7));
        assertThat(take(window)).isEqualTo(7);
        window.acknowledge(1);
    }

    @Test
    void copiesASmallFrameOutOfALargeBufferAndKeepsALargeOne() {
        ByteBuf large = Unpooled.buffer(100_000).writeZero(100_000);
        window.append(large.retainedSlice(5, 20));
        assertThat(large.refCnt()).isEqualTo(1);
        window.append(large.retainedSlice(0, 50_000));
        assertThat(large.refCnt()).isEqualTo(2);
        window.release();
        assertThat(large.refCnt()).isEqualTo(1);
        large.release();
    }

    @Test
    void handsOutFramesThatNobodyCanWriteBehind() {
        ByteBuf roomy = Unpooled.buffer(64).writeLong(1);
        window.append(roomy);
        ByteBuf slice = window.next();
        assertThat(slice.maxWritableBytes()).isZero();
        slice.release();
        window.release();
    }

    /** A sender, a receiver and a wire that is cut anywhere, against the list of what was sent. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void losesAndRepeatsNothingOverAThousandCuts(long seed) throws WireException {
        Random random = new Random(seed);
        List<Long> delivered = new ArrayList<>();
        List<ByteBuf> all = new ArrayList<>();
        Deque<Long> wire = new ArrayDeque<>();
        Deque<Long> acknowledgements = new ArrayDeque<>();
        long handled = 0;
        long appended = 0;
        for (int step = 0; step < 40_000; step++) {
            switch (random.nextInt(step % 40 == 0 ? 5 : 4)) {
                case 0 -> {
                    ByteBuf frame = number(appended++);
                    all.add(frame);
                    window.append(frame);
                }
                case 1 -> {
                    ByteBuf frame = window.next();
                    if (frame != null) {
                        wire.add(frame.readLong());
                        frame.release();
                    }
                }
                case 2 -> {
                    if (!wire.isEmpty()) {
                        delivered.add(wire.remove());
                        handled += random.nextLong(delivered.size() - handled + 1);
                        acknowledgements.add(handled);
                    }
                }
                case 3 -> {
                    if (!acknowledgements.isEmpty()) {
                        window.acknowledge(acknowledgements.remove());
                    }
                }
                default -> {
                    wire.clear();
                    acknowledgements.clear();
                    window.resume(delivered.size());
                }
            }
            assertThat(window.acknowledged()).isLessThanOrEqualTo(handled);
        }
        for (ByteBuf frame = window.next(); frame != null; frame = window.next()) {
            wire.add(frame.readLong());
            frame.release();
        }
        delivered.addAll(wire);
        window.acknowledge(delivered.size());
        for (int i = 0; i < delivered.size(); i++) {
            assertThat(delivered.get(i)).as("seed %d, frame %d", seed, i).isEqualTo(i);
        }
        assertThat(delivered).hasSize((int) appended);
        assertThat(all).allMatch(frame -> frame.refCnt() == 0);
        assertThat(window.bytes()).isZero();
    }

    private static void assertReason(Throwable thrown, Reason reason) {
        assertThat(thrown).isInstanceOfSatisfying(WireException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    private static ByteBuf number(long number) {
        return Unpooled.buffer(8, 8).writeLong(number);
    }

    private static void append(LinkWindow window, long from, long to) {
        for (long number = from; number < to; number++) {
            window.append(number(number));
        }
    }

    private static long take(LinkWindow window) {
        ByteBuf frame = window.next();
        try {
            return frame.readLong();
        } finally {
            frame.release();
        }
    }
}
