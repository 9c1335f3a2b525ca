package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** What the receiving end of a link's streams keeps of a session that has ended: nothing that counts in the next. */
class LinkArrivalsTest {
    private final LinkArrivals arrivals = new LinkArrivals((name, buffer, index, length, view) -> {});
    private final ByteBuf frame = Unpooled.buffer(Wire.PAYLOAD_BYTES_MAX).writeZero(Wire.PAYLOAD_BYTES_MAX);

    @Test
    void whatWasHeldBackInSessionsBeforeTakesNoRoom() throws WireException {
        long most = LinkLimits.WINDOW_BYTES_MAX / (frame.readableBytes() + LinkWindow.FRAME_OVERHEAD_BYTES);
        for (int session = 0; session < 3; session++) {
            for (long number = 1; number <= most; number++) {
                bulk(number);
            }
            assertThatThrownBy(() -> bulk(most + 1)).isInstanceOfSatisfying(WireException.class, e -> assertThat(e.reason()).isSameAs(Reason.LIMIT));
            arrivals.drop();
            assertThat(frame.refCnt()).isEqualTo(1);
        }
    }

    @Test
    void aPartThatWasToldInTheSessionBeforeIsToldAgain() {
        int part = Wire.PAYLOAD_BYTES_MAX / 2;
        arrivals.tell(part, 0);
        assertThat(arrivals.isPartDue(part, LinkArrivals.PART_NANOS)).isFalse();
        arrivals.drop();
        assertThat(arrivals.isPartDue(part, LinkArrivals.PART_NANOS)).isTrue();
    }

    @Test
    void aPeerThatWasRestartedIsToldNothingOfWhatTheOneBeforeHasSent() throws WireException {
        bulk(0);
        assertThat(arrivals.pending()).isTrue();
        arrivals.forget();
        assertThat(arrivals.pending()).isFalse();
    }

    private void bulk(long number) throws WireException {
        arrivals.bulk(number, 0, frame, 0, frame.readableBytes(), new FrameView());
    }
}
