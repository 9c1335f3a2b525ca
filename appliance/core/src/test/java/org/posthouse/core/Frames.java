package org.posthouse.core;

import java.nio.ByteBuffer;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/** Builds the frames of one job on the heap. */
public final class Frames {
    private final long job;

    Frames(long job) {
        this.job = job;
    }

    private ByteBuffer frame(FrameType type, int headerBytes, int payloadBytes) {
        ByteBuffer frame = ByteBuffer.allocate(headerBytes + payloadBytes);
        view(frame).begin(type, headerBytes, job).length(headerBytes + payloadBytes);
        return frame;
    }

    private static FrameView view(ByteBuffer frame) {
        return new FrameView().wrap(frame, 0);
    }

    /** SEND, EAGER or OFFER; for SEND the payload's bytes ride and are zero until the caller fills them. */
    ByteBuffer message(FrameType form, int context, int source, int destination, int tag, long sequence, long bytes) {
        ByteBuffer frame = frame(form, Wire.MESSAGE_HEADER_BYTES, form == FrameType.SEND ? (int) bytes : 0);
        view(frame).address(context, source, destination, tag).sequence(sequence).content(bytes, (int) bytes, 1);
        return frame;
    }

    /** An OFFER that is one for want of credit only. */
    ByteBuffer storable(int context, int source, int destination, int tag, long sequence, long bytes) {
        ByteBuffer frame = message(FrameType.OFFER, context, source, destination, tag, sequence, bytes);
        view(frame).flags(FrameView.STORABLE);
        return frame;
    }

    ByteBuffer chunk(int context, int source, int destination, long sequence, long offset, int bytes) {
        ByteBuffer frame = frame(FrameType.CHUNK, Wire.CHUNK_HEADER_BYTES, bytes);
        view(frame).address(context, source, destination, 0).sequence(sequence).offset(offset);
        return frame;
    }

    ByteBuffer image(long offset, int bytes) {
        ByteBuffer frame = frame(FrameType.IMAGE, Wire.IMAGE_HEADER_BYTES, bytes);
        view(frame).image(0, offset);
        return frame;
    }

    ByteBuffer post(int context, int source, int self, int tag, int request, int failedPolls) {
        ByteBuffer frame = frame(FrameType.POST, 48, 0);
        view(frame).address(context, source, self, tag).post(request, failedPolls);
        return frame;
    }

    ByteBuffer probe(boolean blocking, int context, int source, int self, int tag, int request, int failedPolls) {
        ByteBuffer frame = frame(FrameType.PROBE, 48, 0);
        view(frame).flags(blocking ? FrameView.BLOCKING : 0).address(context, source, self, tag).post(request, failedPolls);
        return frame;
    }

    /** Takes the receive back that {@link #post} posted with the same arguments. */
    ByteBuffer cancel(int context, int source, int self, int tag, int request, int failedPolls) {
        ByteBuffer frame = post(context, source, self, tag, request, failedPolls);
        view(frame).type(FrameType.CANCEL);
        return frame;
    }

    ByteBuffer cancelled(int request, boolean gone) {
        ByteBuffer frame = frame(FrameType.CANCELLED, 24, 0);
        view(frame).flags(gone ? FrameView.FOUND : 0).cancelledRequest(request);
        return frame;
    }

    ByteBuffer withdraw(int context, int source, int destination, long sequence, int failedPolls) {
        ByteBuffer frame = frame(FrameType.WITHDRAW, 48, 0);
        view(frame).address(context, source, destination, 0).sequence(sequence).post(0, failedPolls);
        return frame;
    }

    ByteBuffer withdrawn(int context, int source, int destination, long sequence, boolean gone) {
        ByteBuffer frame = frame(FrameType.WITHDRAWN, 48, 0);
        view(frame).flags(gone ? FrameView.FOUND : 0).address(context, source, destination, 0).sequence(sequence);
        return frame;
    }

    ByteBuffer ahead(int context, int round, int self, long upTo, boolean end) {
        ByteBuffer frame = frame(FrameType.AHEAD, 40, 0);
        view(frame).flags(end ? FrameView.END : 0).round(context, round, self, 0, upTo);
        return frame;
    }

    ByteBuffer ended(int context, int round, int rank, int why, long pushedCost) {
        ByteBuffer frame = frame(FrameType.ENDED, 40, 0);
        view(frame).round(context, round, rank, why, pushedCost);
        return frame;
    }

    ByteBuffer clear(int context, int source, int destination, long sequence, long upTo) {
        ByteBuffer frame = frame(FrameType.CLEAR, 48, 0);
        view(frame).address(context, source, destination, 0).sequence(sequence).offset(upTo);
        return frame;
    }

    ByteBuffer credit(int rank, long bytes, int messages) {
        ByteBuffer frame = frame(FrameType.CREDIT, 32, 0);
        view(frame).credit(bytes, messages, rank);
        return frame;
    }

    ByteBuffer moving() {
        return frame(FrameType.MOVE, FrameType.MOVE.bytesMin(), 0);
    }

    ByteBuffer finalizing(int failedPolls) {
        ByteBuffer frame = frame(FrameType.FINALIZE, 24, 0);
        view(frame).finalizeFailedPolls(failedPolls);
        return frame;
    }

    /** A frame of {@code type} with nothing but its header and zeros. */
    ByteBuffer resent(int source, int destination, long sequence) {
        return message(FrameType.RESENT, 0, source, destination, 0, sequence, 10);
    }

    ByteBuffer ack(long safe, long handled, long[] firstUnsafe) {
        ByteBuffer frame = frame(FrameType.ACK, Wire.ACK_HEADER_BYTES, firstUnsafe.length * Long.BYTES);
        FrameView view = view(frame).ack(safe, handled);
        for (int home = 0; home < firstUnsafe.length; home++) {
            view.firstUnsafe(home, firstUnsafe[home]);
        }
        return frame;
    }

    ByteBuffer live() {
        return frame(FrameType.LIVE, Wire.HEADER_BYTES, 0);
    }

    ByteBuffer events(long first, int count) {
        ByteBuffer frame = frame(FrameType.EVENTS, Wire.EVENTS_HEADER_BYTES, count * Wire.EVENT_BYTES);
        view(frame).events(first, count, 0);
        return frame;
    }

    ByteBuffer empty(FrameType type) {
        ByteBuffer frame = frame(type, (type.bytesMin() + 7) / 8 * 8, 0);
        view(frame).length(type.bytesMin());
        return frame.slice(0, type.bytesMin());
    }

    /** What a relay answers to a probe. */
    ByteBuffer probeAnswer(int request, Message found) {
        ByteBuffer frame = frame(FrameType.PROBE_ANSWER, Wire.MESSAGE_HEADER_BYTES, 0);
        view(frame).request(request);
        if (found != null) {
            view(frame)
                    .flags(FrameView.FOUND)
                    .address(found.context(), found.source(), found.destination(), found.tag())
                    .sequence(found.sequence())
                    .content(found.bytes(), found.elements(), found.datatype());
        }
        return frame;
    }

    /** Turns the frame that began a message into the one that delivers it. */
    static ByteBuffer delivered(ByteBuffer head, int flags, int request) {
        view(head).type(FrameType.DELIVERED).flags(flags).request(request).failedPolls(0);
        return head;
    }
}
