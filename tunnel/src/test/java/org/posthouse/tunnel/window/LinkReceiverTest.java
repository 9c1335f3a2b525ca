package org.posthouse.tunnel.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** What the receiving end of a link's streams keeps of a session that has ended: nothing that counts in the next. */
class LinkReceiverTest {
    private final FairShare room = new FairShare(1 << 24);
    private final LinkReceiver arrivals = arrivals("a");
    private final ByteBuf frame = Unpooled.buffer(Wire.PAYLOAD_BYTES_MAX).writeZero(Wire.PAYLOAD_BYTES_MAX);

    @Test
    void framesHeldBackInEarlierSessionsUseNoRoom() throws WireException {
        for (int session = 0; session < 3; session++) {
            fill(arrivals);
            assertThat(room.taken()).isGreaterThanOrEqualTo(3 << 22).isEqualTo(room.of("a"));
            arrivals.drop();
            assertThat(frame.refCnt()).isEqualTo(1);
            assertThat(room.taken()).isZero();
        }
    }

    @Test
    void framesHeldBackForOneSiteLeaveOthersRoom() throws WireException {
        fill(arrivals);
        fill(arrivals("a"));
        LinkReceiver other = arrivals("b");
        bulk(other, 1);
        bulk(other, 0);
        assertThat(other.bulkReceived()).isEqualTo(2);
        assertThat(room.of("b")).isZero();
    }

    /** Until no more can wait. */
    private void fill(LinkReceiver link) {
        assertThatThrownBy(() -> {
            for (long number = 1; number < Long.MAX_VALUE; number++) {
                bulk(link, number);
            }
        }).isInstanceOfSatisfying(WireException.class, e -> assertThat(e.reason()).isSameAs(CloseReason.LIMIT));
    }

    private LinkReceiver arrivals(String site) {
        return new LinkReceiver((name, buffer, index, length, view) -> {}, room, site);
    }

    /** Else each chunk that is longer than what is acknowledged at once would be told of twice, and the peer woken for it. */
    @Test
    void immediatelyAcknowledgedFrameIsNotDueAgain() throws WireException {
        LinkReceiver[] link = new LinkReceiver[1];
        link[0] = new LinkReceiver((name, buffer, index, length, view) -> link[0].tell(0, 0), room, "a");
        bulk(link[0], 0);
        assertThat(link[0].isDue()).isFalse();
    }

    /** Each word wakes the peer. */
    @Test
    void twoLongChunksShareOneAcknowledgement() throws WireException {
        ByteBuf chunk = Unpooled.buffer().writeZero(Wire.CHUNK_FRAME_BYTES_MAX);
        arrivals.bulk(0, 0, chunk, 0, chunk.readableBytes(), new FrameView());
        assertThat(arrivals.isDueAtOnce()).isFalse();
        arrivals.bulk(1, 0, chunk, 0, chunk.readableBytes(), new FrameView());
        assertThat(arrivals.isDueAtOnce()).isTrue();
    }

    @Test
    void partAcknowledgementIsDueAgainInNewSession() {
        int part = Wire.PAYLOAD_BYTES_MAX / 2;
        arrivals.tell(part, 0);
        assertThat(arrivals.isPartDue(part, LinkReceiver.PART_NANOS)).isFalse();
        arrivals.drop();
        assertThat(arrivals.isPartDue(part, LinkReceiver.PART_NANOS)).isTrue();
    }

    @Test
    void framesOfPreviousPeerProcessAreNotAcknowledged() throws WireException {
        bulk(0);
        assertThat(arrivals.pending()).isTrue();
        arrivals.forget();
        assertThat(arrivals.pending()).isFalse();
    }

    private void bulk(long number) throws WireException {
        bulk(arrivals, number);
    }

    private void bulk(LinkReceiver link, long number) throws WireException {
        link.bulk(number, 0, frame, 0, frame.readableBytes(), new FrameView());
    }
}
