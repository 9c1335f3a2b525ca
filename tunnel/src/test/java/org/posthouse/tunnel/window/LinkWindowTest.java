package org.posthouse.tunnel.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

class LinkWindowTest {
    private final LinkWindow window = new LinkWindow(1_000, () -> 0);

    @Test
    void writesEachFrameOnceAndKeepsItUntilAcknowledged() throws WireException {
        ByteBuf frame = number(0);
        window.append(frame);
        assertThat(take(window)).isZero();
        assertThat(window.next(0, true, true)).isNull();
        assertThat(frame.refCnt()).isEqualTo(1);
        window.acknowledge(1, 0, 0, 0);
        assertThat(frame.refCnt()).isZero();
        assertThat(window.bytes()).isZero();
    }

    @Test
    void retransmitsExactlyTheFramesThatPeerLacks() throws WireException {
        append(window, 0, 5);
        for (int i = 0; i < 4; i++) {
            take(window);
        }
        window.acknowledge(1, 0, 0, 0);
        window.resume(2, 0);
        assertThat(List.of(take(window), take(window), take(window))).containsExactly(2L, 3L, 4L);
        assertThat(window.retransmitted()).isEqualTo(2);
        assertThat(window.next(0, true, true)).isNull();
    }

    @Test
    void holdsReceivedFramesUntilAcknowledged() throws WireException {
        append(window, 0, 3);
        take(window);
        take(window);
        window.resume(2, 0);
        assertThat(window.own().settled()).isZero();
        assertThat(take(window)).isEqualTo(2);
        window.acknowledge(3, 0, 0, 0);
        assertThat(window.bytes()).isZero();
    }

    @Test
    void refusesResumePointNeverWrittenOrAlreadyReleased() throws WireException {
        append(window, 0, 5);
        take(window);
        take(window);
        window.acknowledge(1, 0, 0, 0);
        assertThatThrownBy(() -> window.resume(3, 0)).satisfies(e -> assertReason(e, CloseReason.CANNOT_RESUME));
        assertThatThrownBy(() -> window.resume(0, 0)).satisfies(e -> assertReason(e, CloseReason.CANNOT_RESUME));
        window.resume(1, 0);
        assertThat(take(window)).isEqualTo(1);
    }

    @Test
    void refusesAcknowledgementsThatCannotBe() throws WireException {
        append(window, 0, 3);
        take(window);
        take(window);
        window.acknowledge(2, 0, 0, 0);
        assertThatThrownBy(() -> window.acknowledge(3, 0, 0, 0)).satisfies(e -> assertReason(e, CloseReason.NOT_EXPECTED));
        assertThatThrownBy(() -> window.acknowledge(1, 0, 0, 0)).satisfies(e -> assertReason(e, CloseReason.NOT_EXPECTED));
        assertThatThrownBy(() -> window.acknowledge(2, 1, 0, 0)).as("bulk that has not come").satisfies(e -> assertReason(e, CloseReason.NOT_EXPECTED));
        window.acknowledge(2, 0, 0, 0);
    }

    @Test
    void refusesCountsOfBulkThatCannotBe() throws WireException {
        window.append(chunk());
        window.append(chunk());
        window.next(1, false, true);
        assertThatThrownBy(() -> window.acknowledge(0, 0, 2, 0)).as("never written").satisfies(e -> assertReason(e, CloseReason.NOT_EXPECTED));
        assertThatThrownBy(() -> window.resume(0, 2)).as("never written").satisfies(e -> assertReason(e, CloseReason.CANNOT_RESUME));
        window.acknowledge(0, 0, 1, 0);
        assertThatThrownBy(() -> window.acknowledge(0, 0, 0, 0)).as("less than before").satisfies(e -> assertReason(e, CloseReason.NOT_EXPECTED));
        assertThatThrownBy(() -> window.resume(0, 0)).as("less than before").satisfies(e -> assertReason(e, CloseReason.CANNOT_RESUME));
        window.acknowledge(0, 1, 1, 0);
        assertThatThrownBy(() -> window.acknowledge(0, 0, 1, 0)).as("less than before").satisfies(e -> assertReason(e, CloseReason.NOT_EXPECTED));
        assertThat(window.own().settled()).isEqualTo(1);
        window.release();
    }

    /** A faulty peer says so between the session's beginning and the frame: its bytes are gone then. */
    @Test
    void skipsFramesAcknowledgedDuringRetransmission() throws WireException {
        append(window, 0, 2);
        take(window);
        take(window);
        window.resume(0, 0);
        window.acknowledge(1, 0, 0, 0);
        assertThat(take(window)).isEqualTo(1);
        assertThat(window.next(0, true, true)).isNull();
        window.release();
    }

    @Test
    void isFullPastItsBytesAndRoomyAtHalf() throws WireException {
        while (!window.own().full()) {
            window.append(number(0));
        }
        long frames = window.bytes() / (8 + LinkWindow.FRAME_OVERHEAD_BYTES);
        assertThat(window.bytes()).isGreaterThan(1_000);
        for (int i = 0; i < frames; i++) {
            window.next(0, true, true);
        }
        long acknowledged = 0;
        while (!window.own().takeRoom()) {
            window.acknowledge(++acknowledged, 0, 0, 0);
        }
        assertThat(window.bytes()).isBetween(1L, 500L);
    }

    /** What the relay sends fills its window only: streams have room, and lose none to what was handed in before and is not acknowledged. */
    @Test
    void streamsAreJudgedByTheirOwnBytes() throws WireException {
        window.append(message(1, 0, 10));
        while (!window.own().full()) {
            window.append(chunk());
        }
        ByteBuf data = streamData(2_000);
        assertThat(window.streams().full()).isFalse();
        window.append(data);
        assertThat(window.streams().full()).isTrue();
        assertThat(window.next(0, true, false)).as("the message, which is not acknowledged").isNotNull();
        while (data.refCnt() > 0) {
            LinkFrame next = window.next(0, true, true);
            window.acknowledge(0, next.number() + 1, next.number() + 1, 0);
        }
        assertThat(window.own().takeSettled()).isZero();
        assertThat(window.streams().takeSettled()).isOne();
        assertThat(window.streams().takeRoom()).isTrue();
        assertThat(window.own().full()).isTrue();
        assertThat(window.bytes()).isEqualTo(window.own().bytes());
        window.release();
    }

    @Test
    void handoverReleasesStreamFrames() {
        ByteBuf data = streamData(10);
        ByteBuf message = message(1, 0, 10);
        List.of(data, message).forEach(window::append);
        assertThat(window.takeAll()).containsExactly(message);
        assertThat(data.refCnt()).isZero();
        assertThat(window.bytes()).isZero();
        message.release();
    }

    private static ByteBuf streamData(int payloadBytes) {
        int length = Wire.STREAM_HEADER_BYTES + payloadBytes;
        ByteBuffer frame = ByteBuffer.allocate(length);
        new FrameView().wrap(frame, 0).begin(FrameType.STREAM_DATA, Wire.STREAM_HEADER_BYTES, 0).length(length).stream(1, 0);
        return Unpooled.wrappedBuffer(frame);
    }

    @Test
    void reportsUnacknowledgedBytesPerLane() throws WireException {
        append(window, 0, 2);
        window.append(chunk());
        window.append(chunk());
        take(window);
        take(window);
        window.next(1, false, true);
        window.next(2, false, true);
        int bytes = Wire.CHUNK_HEADER_BYTES + 100;
        assertThat(unacknowledged()).containsExactly(16L, (long) bytes, (long) bytes);
        window.acknowledge(1, 0, 1, 0);
        assertThat(unacknowledged()).containsExactly(8L, 0L, (long) bytes);
        window.lost(2);
        assertThat(unacknowledged()).containsExactly(8L, 0L, 0L);
        window.next(1, false, true);
        assertThat(unacknowledged()).containsExactly(8L, (long) bytes, 0L);
        window.resume(1, 1);
        assertThat(unacknowledged()).containsExactly(0L, 0L, 0L);
        take(window);
        window.acknowledge(2, 1, 1, 0);
        assertThat(unacknowledged()).containsExactly(0L, 0L, 0L);
        window.release();
    }

    /** Which copy came of what was on a lost lane, nobody knows; when all lanes are lost the other end says what it has. */
    @Test
    void measuresRetransmittedFramesOnlyAfterLosingAllLanes() throws WireException {
        window.append(chunk());
        assertThat(window.next(1, false, true).stamp()).isNotNull();
        window.lost(1);
        assertThat(window.next(1, false, true).stamp()).isNull();
        window.resume(0, 0);
        assertThat(window.next(1, false, true).stamp()).isNotNull();
        window.release();
    }

    @Test
    void aPartThatCameOnLostLanesLetsNoMoreBulkGo() throws WireException {
        LinkWindow large = new LinkWindow(1 << 30, () -> 0);
        int allowed = writeWhatIsAllowed(large);
        large.acknowledge(0, 0, 0, 2 * CongestionControl.FRAME_BYTES);
        large.resume(0, 0);
        assertThat(writeWhatIsAllowed(large)).isEqualTo(allowed);
        large.release();
    }

    /** @return how many frames of bulk went */
    private static int writeWhatIsAllowed(LinkWindow large) {
        int frames = 0;
        while (large.allowsBulk(1)) {
            large.append(chunk((int) CongestionControl.FRAME_BYTES));
            large.next(1, false, true);
            frames++;
        }
        return frames;
    }

    /** Chunk 0 is on lane 2 for long; chunks 1 and 2 have come on lane 1, which says so itself, and wait for it at the other end. */
    @Test
    void receivedFramesAreRetransmittedOnlyAfterLosingAllLanes() throws WireException {
        int bytes = chunkBehindAnother();
        window.come(1, 2L * bytes);
        assertThat(window.underWay(1)).isEqualTo(bytes);
        window.lost(1);
        assertThat(window.next(2, false, true).number()).as("of what was on the lost lane").isEqualTo(3);
        assertThat(window.next(2, false, true)).isNull();
        window.resume(0, 0);
        for (int number = 0; number < 4; number++) {
            assertThat(window.next(1, false, true).number()).isEqualTo(number);
        }
        window.acknowledge(0, 4, 4, 0);
        assertThat(window.bytes()).isZero();
        assertThat(unacknowledged()).containsOnly(0L);
    }

    @Test
    void carriesLongChunksIfOneIsThroughWithinAMillisecond() throws WireException {
        assertThat(carriesLong(100)).isFalse();
        assertThat(carriesLong(1_000)).isTrue();
    }

    private static boolean carriesLong(int megabytesPerSecond) throws WireException {
        long[] now = new long[1];
        long written = 0;
        LinkWindow measured = new LinkWindow(1 << 30, () -> now[0]);
        assertThat(measured.carriesLong()).as("before anything was measured").isFalse();
        for (int round = 0; round < 30; round++) {
            long before = written;
            while (measured.allowsBulk(0)) {
                measured.append(chunk((int) CongestionControl.FRAME_BYTES));
                measured.next(0, false, true);
                written++;
            }
            now[0] += (written - before) * CongestionControl.FRAME_BYTES * 1_000 / megabytesPerSecond;
            measured.acknowledge(0, written, written, 0);
        }
        boolean carries = measured.carriesLong();
        measured.pace(1);
        assertThat(measured.carriesLong()).as("over other relays, too").isFalse();
        measured.release();
        return carries;
    }

    /** Else each lane that is opened since much is on its way would be a reason for another one. */
    @Test
    void doesNotAddLane0BandwidthToOtherLanes() throws WireException {
        long[] now = new long[1];
        long[] written = new long[1];
        LinkWindow measured = new LinkWindow(1 << 30, () -> now[0]);
        long alone = product(measured, 0, written, now);
        measured.pace(1);
        assertThat(product(measured, 1, written, now)).isEqualTo(alone).isPositive();
        measured.release();
    }

    /** Its stamps count from the lane's beginning: to the link's governor it would have carried in one round trip all that the link ever has. */
    @Test
    void selfReportingLaneDoesNotAffectLinkBandwidth() throws WireException {
        long[] now = new long[1];
        long[] written = new long[1];
        LinkWindow measured = new LinkWindow(1 << 30, () -> now[0]);
        product(measured, 0, written, now);
        measured.resume(0, written[0]);
        measured.pace(1);
        product(measured, 1, written, now);
        measured.lost(1);
        assertThat(measured.product()).isZero();
        measured.release();
    }

    /** @return the product after rounds in which all that may be on its way on this lane goes there at 10 MB/s, 8 ms there and back */
    private static long product(LinkWindow measured, int lane, long[] written, long[] now) throws WireException {
        long before = written[0];
        long came = before;
        for (int round = 0; round < 30; round++) {
            while (measured.allowsBulk(lane)) {
                measured.append(chunk((int) CongestionControl.FRAME_BYTES));
                measured.next(lane, false, true);
                written[0]++;
            }
            now[0] += 8_000_000 + (written[0] - came) * 6_500_000;
            came = written[0];
            if (lane > 0) {
                measured.come(lane, (written[0] - before) * CongestionControl.FRAME_BYTES);
            }
            measured.acknowledge(0, written[0], written[0], 0);
        }
        return measured.product();
    }

    @Test
    void refusesCountsOfALaneThatCannotBe() throws WireException {
        int bytes = chunkBehindAnother();
        window.come(1, bytes + 1);
        assertThatThrownBy(() -> window.come(1, bytes)).as("less than before").satisfies(e -> assertReason(e, CloseReason.NOT_EXPECTED));
        assertThatThrownBy(() -> window.come(1, 3L * bytes + 1)).as("never written").satisfies(e -> assertReason(e, CloseReason.NOT_EXPECTED));
        assertThatThrownBy(() -> window.come(2, 1)).as("told of with the link").satisfies(e -> assertReason(e, CloseReason.NOT_EXPECTED));
        window.release();
    }

    /** @return the length of each of four chunks, the first on lane 2, the others on lane 1 */
    private int chunkBehindAnother() {
        window.pace(1);
        int bytes = 0;
        for (int lane : new int[] {2, 1, 1, 1}) {
            ByteBuf chunk = chunk();
            bytes = chunk.readableBytes();
            window.append(chunk);
            window.next(lane, false, true);
        }
        return bytes;
    }

    private List<Long> unacknowledged() {
        return List.of(window.unacknowledged(0), window.unacknowledged(1), window.unacknowledged(2));
    }

    private static ByteBuf chunk() {
        return chunk(Wire.CHUNK_HEADER_BYTES + 100);
    }

    private static ByteBuf chunk(int length) {
        ByteBuffer frame = ByteBuffer.allocate(length);
        new FrameView().wrap(frame, 0).begin(FrameType.CHUNK, Wire.CHUNK_HEADER_BYTES, 0).length(length);
        return Unpooled.wrappedBuffer(frame);
    }

    @Test
    void handoverReturnsUnacknowledgedFramesInOrderAndResetsNumbering() throws WireException {
        append(window, 0, 3);
        take(window);
        take(window);
        window.acknowledge(1, 0, 0, 0);
        List<ByteBuf> frames = window.takeAll();
        assertThat(frames.stream().map(frame -> frame.getLong(0))).containsExactly(1L, 2L);
        assertThat(frames).allMatch(frame -> frame.refCnt() == 1);
        frames.forEach(ByteBuf::release);
        assertThat(window.bytes()).isZero();
        window.resume(0, 0);
        window.append(number(7));
        assertThat(take(window)).isEqualTo(7);
        window.acknowledge(1, 0, 0, 0);
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
        ByteBuf slice = window.next(0, true, true).bytes().retainedSlice();
        assertThat(slice.maxWritableBytes()).isZero();
        slice.release();
        window.release();
    }

    @Test
    void releasesUnwrittenFramesOfEndedJob() throws WireException {
        ByteBuf written = message(1, 0, 10);
        ByteBuf waiting = message(1, 0, 100);
        ByteBuf others = message(2, 0, 10);
        List.of(written, waiting, others).forEach(window::append);
        window.next(0, true, true);
        window.forget(1);
        assertThat(waiting.refCnt()).isZero();
        assertThat(written.refCnt()).as("its number was told: it stays").isEqualTo(1);
        List<ByteBuf> visited = new ArrayList<>();
        window.own().forEach(visited::add);
        assertThat(visited).containsExactly(written, others);
        assertThat(window.next(0, true, true).bytes()).isSameAs(others);
        assertThat(window.next(0, true, true)).isNull();
        window.acknowledge(2, 0, 0, 0);
        assertThat(window.own().settled()).isEqualTo(3);
        assertThat(window.bytes()).isZero();
    }

    /** A short message goes as bulk behind a long one of its channel: not for ever, if that is let go of. */
    @Test
    void theNextOfAChannelWhoseLongMessageWasLetGoOfIsAHead() {
        ByteBuf chunk = chunk();
        List.of(message(1, 0, LinkQueue.HEAD_BYTES_MAX), message(1, 0, 1), chunk).forEach(window::append);
        window.forget(1);
        assertThat(window.own().settled()).isEqualTo(2);
        assertThat(window.next(0, false, true).bytes()).isSameAs(chunk);
        window.append(message(1, 0, 1));
        assertThat(window.next(0, true, false)).isNotNull();
        window.release();
    }

    @Test
    void handoverIncludesReleasedFramesAsHeadersInOrder() {
        List.of(message(1, 0, 10), message(1, 1, 100), message(2, 2, 10)).forEach(window::append);
        window.next(0, true, true);
        window.forget(1);
        List<ByteBuf> frames = window.takeAll();
        assertThat(frames).extracting(frame -> new FrameView().wrap(frame.nioBuffer(), 0).sequence()).containsExactly(0L, 1L, 2L);
        assertThat(frames.get(1).capacity()).isEqualTo(Wire.MESSAGE_HEADER_BYTES);
        frames.forEach(ByteBuf::release);
    }

    private static ByteBuf message(long job, long sequence, int payloadBytes) {
        int length = Wire.MESSAGE_HEADER_BYTES + payloadBytes;
        ByteBuffer frame = ByteBuffer.allocate(length);
        new FrameView().wrap(frame, 0).begin(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, job).length(length).sequence(sequence);
        return Unpooled.wrappedBuffer(frame);
    }

    private static void assertReason(Throwable thrown, CloseReason closeReason) {
        assertThat(thrown).isInstanceOfSatisfying(WireException.class, e -> assertThat(e.reason()).isEqualTo(closeReason));
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
        return window.next(0, true, true).bytes().getLong(0);
    }
}
