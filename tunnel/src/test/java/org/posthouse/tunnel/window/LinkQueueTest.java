package org.posthouse.tunnel.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/** Which frame of a link goes next. Heads are named H, long messages L, chunks by their flow, with the number of each. */
class LinkQueueTest {
    private static final int LONG = 5_000;

    private final LinkQueue queue = new LinkQueue();
    private long place;

    @Test
    void letsHeadsGoBeforeTheChunksOfEarlierMessages() {
        chunk(1, 0);
        chunk(1, 1);
        head(2);
        chunk(1, 2);
        head(3);
        assertThat(rest()).containsExactly("H2", "H3", "1:0", "1:1", "1:2");
    }

    @Test
    void servesFlowsInTurn() {
        for (int chunk = 0; chunk < 3; chunk++) {
            chunk(1, chunk);
        }
        chunk(2, 0);
        chunk(2, 1);
        assertThat(take(2)).containsExactly("1:0", "2:0");
        chunk(3, 0);
        assertThat(rest()).containsExactly("1:1", "2:1", "3:0", "1:2");
    }

    @Test
    void letsAChunkGoAfterManyHeadsButNotBeforeItsOwn() {
        for (int head = 0; head < 40; head++) {
            head(head);
        }
        chunk(1, 0);
        for (int head = 40; head < 100; head++) {
            head(head);
        }
        chunk(1, 1);
        List<String> order = rest();
        assertThat(order.indexOf("1:0")).as("behind the 40 that were there before it").isEqualTo(40);
        assertThat(order.indexOf("1:1")).as("behind the 100 that were there before it").isEqualTo(101);
        for (int head = 100; head < 400; head++) {
            head(head);
            if (head == 100) {
                chunk(2, 0);
                chunk(2, 1);
            }
        }
        order = rest();
        assertThat(order.indexOf("2:0")).isEqualTo(LinkQueue.HEADS_IN_A_ROW_MAX);
        assertThat(order.indexOf("2:1")).isEqualTo(2 * LinkQueue.HEADS_IN_A_ROW_MAX + 1);
    }

    @Test
    void interleavesLongMessagesAndLetsShortOnesPass() {
        frame(FrameType.SEND, 1, 0, LONG);
        frame(FrameType.SEND, 1, 1, LONG);
        frame(FrameType.SEND, 2, 2, LONG);
        chunk(3, 0);
        frame(FrameType.SEND, 4, 3, 10);
        assertThat(rest()).containsExactly("H3", "L0", "L2", "3:0", "L1");
    }

    @Test
    void letsNothingButChunksBeOvertakenByItsOwnFlow() {
        frame(FrameType.SEND, 1, 0, LONG);
        frame(FrameType.SEND, 1, 1, 10);
        frame(FrameType.SEND, 2, 2, LONG);
        List<LinkFrame> taken = new ArrayList<>();
        for (LinkFrame next = queue.next(true, true); next != null; next = queue.next(true, true)) {
            taken.add(next);
        }
        assertThat(taken).extracting(LinkFrame::place).containsExactly(0L, 2L, 1L);
        queue.came(taken.get(0));
        chunk(3, 0);
        frame(FrameType.SEND, 1, 3, 10);
        assertThat(rest()).as("the short one of the flow has not come yet").containsExactly("3:0", "H3");
        queue.came(taken.get(2));
        chunk(3, 1);
        frame(FrameType.SEND, 1, 4, 10);
        assertThat(rest()).as("the first short one that was bulk has not come yet").containsExactly("3:1", "H4");
    }

    @Test
    void letsAFlowPassAgainWhenAllThatWasLongHasCome() {
        LinkFrame sent = frame(FrameType.SEND, 1, 0, LONG);
        assertThat(rest()).containsExactly("L0");
        queue.came(sent);
        chunk(3, 0);
        frame(FrameType.SEND, 1, 1, 10);
        assertThat(rest()).containsExactly("H1", "3:0");
    }

    @Test
    void letsAFlowPassAgainWhenAllIsForgotten() {
        frame(FrameType.SEND, 1, 0, LONG);
        queue.clear();
        chunk(3, 0);
        frame(FrameType.SEND, 1, 1, 10);
        assertThat(rest()).containsExactly("H1", "3:0");
    }

    @Test
    void tellsFlowsApartByAllThatNamesThem() {
        for (int field = 0; field < 5; field++) {
            queue.add(new LinkFrame(frame(FrameType.CHUNK, field, 0), place++));
            queue.add(new LinkFrame(frame(FrameType.CHUNK, field, 1), place++));
        }
        List<Long> offsets = new ArrayList<>();
        for (LinkFrame next = queue.next(true, true); next != null; next = queue.next(true, true)) {
            offsets.add(new FrameView().wrap(next.bytes().nioBuffer(), 0).offset());
        }
        assertThat(offsets).containsExactly(0L, 0L, 0L, 0L, 0L, 1L, 1L, 1L, 1L, 1L);
    }

    private void head(int number) {
        queue.add(new LinkFrame(frame(FrameType.EAGER, 0, number), place++));
    }

    private LinkFrame frame(FrameType type, int flow, int number, int payloadBytes) {
        ByteBuffer bytes = ByteBuffer.allocate(Wire.MESSAGE_HEADER_BYTES + payloadBytes);
        new FrameView()
                .wrap(bytes, 0)
                .begin(type, Wire.MESSAGE_HEADER_BYTES, 7)
                .length(bytes.capacity())
                .address(1, flow, 3, 0)
                .sequence(number);
        LinkFrame frame = new LinkFrame(Unpooled.wrappedBuffer(bytes), place++);
        queue.add(frame);
        return frame;
    }

    private void chunk(int message, int number) {
        queue.add(new LinkFrame(chunkOf(message, number), place++));
    }

    private List<String> rest() {
        return take(Integer.MAX_VALUE);
    }

    private List<String> take(int most) {
        List<String> names = new ArrayList<>();
        while (names.size() < most) {
            LinkFrame next = queue.next(true, true);
            if (next == null) {
                break;
            }
            FrameView view = new FrameView().wrap(next.bytes().nioBuffer(), 0);
            String size = next.bytes().readableBytes() > LinkQueue.HEAD_BYTES_MAX ? "L" : "H";
            names.add(view.type() == FrameType.CHUNK ? view.sequence() + ":" + view.offset() : size + view.sequence());
        }
        return names;
    }

    private static ByteBuf chunkOf(int message, long number) {
        ByteBuffer frame = begin(FrameType.CHUNK, 7);
        new FrameView().wrap(frame, 0).address(1, message, 3, 0).sequence(message).offset(number);
        return Unpooled.wrappedBuffer(frame);
    }

    /** A frame whose message differs from that of {@code field} 0 in one thing; a head has the number as its sequence. */
    private static ByteBuf frame(FrameType type, int field, long number) {
        ByteBuffer frame = begin(type, field == 1 ? 8 : 7);
        FrameView view = new FrameView()
                .wrap(frame, 0)
                .address(field == 2 ? 8 : 1, field == 3 ? 8 : 2, field == 4 ? 8 : 3, 0)
                .sequence(type != FrameType.CHUNK ? number : field == 5 ? 8 : 9);
        if (type == FrameType.CHUNK) {
            view.offset(number);
        }
        return Unpooled.wrappedBuffer(frame);
    }

    private static ByteBuffer begin(FrameType type, long job) {
        int header = type == FrameType.CHUNK ? Wire.CHUNK_HEADER_BYTES : Wire.MESSAGE_HEADER_BYTES;
        int bytes = type == FrameType.CHUNK ? header + 4 : header;
        ByteBuffer frame = ByteBuffer.allocate(bytes);
        new FrameView().wrap(frame, 0).begin(type, header, job).length(bytes);
        return frame;
    }
}
