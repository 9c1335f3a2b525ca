package org.posthouse.tunnel.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.StreamEnd;
import org.posthouse.wire.StreamOpen;
import org.posthouse.wire.Wire;

/** Where streams stand among the frames of a link. D is bytes of a stream, E its end, O its opening, C a chunk of a message, H a head. */
class LinkQueueStreamsTest {
    private static final int BULK_BYTES = 1_000;

    private final LinkQueue queue = new LinkQueue();
    private long place;

    @Test
    void shortFramesGoBeforeTheBytesOfStreams() {
        data(1);
        data(2);
        add(frame(FrameType.EAGER, Wire.MESSAGE_HEADER_BYTES, 0));
        assertThat(rest()).containsExactly("H", "D1", "D2");
    }

    @Test
    void manyStreamsGetNoMoreTurnsThanLargeMessages() {
        for (int round = 0; round < 2; round++) {
            for (int stream = 1; stream <= 3; stream++) {
                data(stream);
            }
        }
        for (int chunk = 0; chunk < 4; chunk++) {
            add(frame(FrameType.CHUNK, BULK_BYTES, 0));
        }
        assertThat(rest()).containsExactly("C", "D1", "C", "D2", "C", "D3", "C", "D1", "D2", "D3");
    }

    /** Chunks of a job without a log on a fast link. */
    @Test
    void streamsHaveAsMuchAsMessagesOfLongerFrames() {
        for (int data = 0; data < 10; data++) {
            data(1);
        }
        for (int chunk = 0; chunk < 2; chunk++) {
            add(frame(FrameType.CHUNK, 4 * BULK_BYTES, 0));
        }
        assertThat(rest()).containsExactly("C", "D1", "D1", "D1", "D1", "C", "D1", "D1", "D1", "D1", "D1", "D1");
    }

    /** Neither has more of the link for what the other one did not want before. */
    @Test
    void formerSoleFlowWaitsOneFrameAtMost() {
        for (int data = 0; data < 10; data++) {
            data(1);
        }
        assertThat(take(8)).containsOnly("D1");
        for (int chunk = 0; chunk < 10; chunk++) {
            add(frame(FrameType.CHUNK, BULK_BYTES, 0));
        }
        assertThat(take(5)).containsExactly("C", "C", "D1", "C", "D1");
        assertThat(take(6)).containsOnly("C");
        data(1);
        data(1);
        data(1);
        assertThat(rest()).containsExactly("D1", "C", "D1", "D1");
    }

    @Test
    void aStreamKeepsItsOrderFromItsOpeningToItsEnd() {
        add(Unpooled.wrappedBuffer(new StreamOpen(1, 4, "door").encode()));
        data(1);
        data(1);
        add(Unpooled.wrappedBuffer(new StreamEnd(1, CloseReason.NORMAL, "").encode()));
        data(2);
        assertThat(rest()).containsExactly("O1", "D1", "D2", "D1", "E1");
    }

    /** How well something is packed tells of all that is packed with it. */
    @Test
    void packsOnlyFramesOfOneJobOrStreamTogether() {
        queue.packs(true);
        chunk(1);
        chunk(1);
        assertThat(queue.takeRun().frames()).hasSize(2);
        chunk(1);
        chunk(2);
        assertThat(queue.takeRun().frames()).hasSize(1);
        assertThat(queue.takeRun().frames()).hasSize(1);
        queue.clear();
        data(1);
        add(frame(FrameType.CHUNK, BULK_BYTES, 1));
        assertThat(queue.takeRun().frames()).as("of the stream only, whatever a chunk has in the place of its number").hasSize(1);
        assertThat(queue.takeRun().frames()).hasSize(1);
        assertThat(queue.takeRun()).isNull();
    }

    @Test
    void onlyOneStreamsBytesArePackedInOne() {
        queue.packs(true);
        data(1);
        data(2);
        assertThat(queue.takeRun().frames()).hasSize(1);
        data(2);
        assertThat(queue.takeRun().frames()).hasSize(2);
    }

    /** Of bulk the number says where it belongs, so it may go over any lane; a head may not. */
    @Test
    void streamFramesAreBulk() {
        data(1);
        assertThat(queue.next(false, true).isBulk()).isTrue();
        add(Unpooled.wrappedBuffer(new StreamEnd(1, CloseReason.NORMAL, "").encode()));
        assertThat(queue.next(false, true).isBulk()).isTrue();
    }

    /** The other relay was restarted: the streams are over, and their bytes were let go of. */
    @Test
    void nothingOfStreamsThatAreForgottenIsWritten() {
        data(1);
        queue.clear();
        assertThat(queue.next(true, true)).isNull();
    }

    private void chunk(long job) {
        ByteBuffer frame = ByteBuffer.allocate(Wire.CHUNK_HEADER_BYTES + 1);
        new FrameView().wrap(frame, 0).begin(FrameType.CHUNK, Wire.CHUNK_HEADER_BYTES, job).length(frame.capacity());
        add(Unpooled.wrappedBuffer(frame));
    }

    private void data(int stream) {
        add(frame(FrameType.STREAM_DATA, BULK_BYTES, stream));
    }

    private void add(ByteBuf frame) {
        queue.add(new LinkFrame(frame, place++));
    }

    private static ByteBuf frame(FrameType type, int bytes, int stream) {
        ByteBuffer frame = ByteBuffer.allocate(bytes);
        new FrameView().wrap(frame, 0).begin(type, Wire.STREAM_HEADER_BYTES, 0).length(bytes).stream(stream, 0);
        return Unpooled.wrappedBuffer(frame);
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
            names.add(
                    switch (view.type()) {
                        case STREAM_OPEN -> "O" + view.stream();
                        case STREAM_DATA -> "D" + view.stream();
                        case STREAM_END -> "E" + view.stream();
                        case CHUNK -> "C";
                        default -> "H";
                    });
        }
        return names;
    }
}
