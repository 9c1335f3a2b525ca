package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.tunnel.window.FairShare;
import org.posthouse.tunnel.window.LaneCredit;
import org.posthouse.tunnel.window.LinkFrame;
import org.posthouse.tunnel.window.LinkReceiver;
import org.posthouse.tunnel.window.LinkWindow;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** Two lanes of a link that go over ways of unlike speed, 4 ms long, in virtual time. The other end hands over in order, and tells of whole frames. */
class UnlikeLanesTest {
    private static final int CHUNK = Wire.CHUNK_HEADER_BYTES + Wire.PAYLOAD_BYTES_MAX;
    private static final long WAY_NANOS = 4_000_000;
    private static final long SECOND = 1_000_000_000L;

    /** What happens at a moment; of one moment in the order in which it was planned. */
    private record Event(long at, long place, Step step) {}

    private interface Step {
        void run() throws WireException;
    }

    private final LinkWindow window = new LinkWindow(64L << 20, () -> now());
    private final LinkReceiver arrivals =
            new LinkReceiver((name, buffer, index, length, view) -> handle(name, length), new FairShare(LinkReceiver.HELD_BYTES_MAX), "a");
    private final LaneCredit[] laneCredit = new LaneCredit[3];
    private final double[] bytesPerNano = new double[3];
    private final long[] freeAt = new long[3];
    private final long[] carried = new long[3];
    private final PriorityQueue<Event> events = new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::place));
    private final ByteBuf chunk = chunk();
    private long planned;
    private long now;
    private long handled;

    private long now() {
        return now;
    }

    private void handle(long name, int bytes) {
        handled += bytes;
        arrivals.handle(name);
    }

    private static ByteBuf chunk() {
        ByteBuffer frame = ByteBuffer.allocate(CHUNK);
        new FrameView().wrap(frame, 0).begin(FrameType.CHUNK, Wire.CHUNK_HEADER_BYTES, 7).length(CHUNK).address(0, 1, 2, 0);
        return Unpooled.wrappedBuffer(frame);
    }

    @AfterEach
    void release() {
        window.release();
        arrivals.drop();
        chunk.release();
    }

    private void lane(int lane, double megabytesPerSecond) {
        bytesPerNano[lane] = megabytesPerSecond * 1e6 / SECOND;
        laneCredit[lane] = new LaneCredit();
        window.pace(lane);
    }

    /** Whoever sends has always more, until then. */
    private void feedUntil(long end) throws WireException {
        while (now < end) {
            while (!window.own().full()) {
                window.append(chunk.retainedSlice());
            }
            write();
            next();
        }
    }

    private void next() throws WireException {
        Event event = events.remove();
        now = event.at;
        event.step.run();
    }

    private void plan(long at, Step step) {
        events.add(new Event(at, planned++, step));
    }

    /** As {@link LinkLanes} does. */
    private void write() {
        for (int lane = choose(); lane != 0; lane = choose()) {
            LinkFrame frame = window.next(lane, false, true);
            if (frame == null) {
                return;
            }
            int chosen = lane;
            freeAt[lane] = Math.max(freeAt[lane], now) + Math.round(CHUNK / bytesPerNano[lane]);
            long number = frame.number();
            plan(freeAt[lane] + WAY_NANOS, () -> arrive(chosen, number));
        }
    }

    private int choose() {
        int soonest = window.isSooner(2, 1) ? 2 : 1;
        int other = 3 - soonest;
        if (window.allowsBulk(soonest)) {
            return soonest;
        }
        return window.allowsBulk(other) && window.pays(other, soonest) ? other : 0;
    }

    private void arrive(int lane, long number) throws WireException {
        carried[lane] += CHUNK;
        laneCredit[lane].frame(CHUNK);
        long word = laneCredit[lane].tell(0, now);
        arrivals.bulk(number, 0, chunk, 0, CHUNK, new FrameView().wrap(chunk.nioBuffer(), 0));
        LinkReceiver.Counts counts = arrivals.tell(0, now);
        plan(now + WAY_NANOS, () -> {
            window.come(lane, word);
            window.acknowledge(counts.heads(), counts.bulk(), counts.bulkReceived(), 0);
        });
    }

    @ParameterizedTest
    @CsvSource({"10, 10", "10, 1", "10, 0.2", "100, 30"})
    void unequalLanesReachTheirCombinedRate(double first, double second) throws WireException {
        lane(1, first);
        lane(2, second);
        feedUntil(5 * SECOND);
        long before = handled;
        feedUntil(15 * SECOND);
        assertThat((handled - before) / 10.0 / 1e6).as("MB/s that were handed over").isGreaterThan(0.93 * (first + second));
    }

    @Test
    void aMessageOfAFewFramesDoesNotWaitForTheSlowOne() throws WireException {
        lane(1, 10);
        lane(2, 0.2);
        feedUntil(5 * SECOND);
        while (!events.isEmpty()) {
            write();
            next();
        }
        long slow = carried[2];
        for (int frame = 0; frame < 16; frame++) {
            window.append(chunk.retainedSlice());
        }
        long begun = now;
        long there = handled + 16 * CHUNK;
        while (handled < there) {
            write();
            next();
        }
        assertThat(carried[2]).as("of it on the slow lane").isEqualTo(slow);
        assertThat(now - begun).as("nanoseconds").isLessThan(Math.round(16 * CHUNK / bytesPerNano[1]) + 8 * WAY_NANOS);
    }
}
