package org.posthouse.relay.io;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import org.posthouse.core.HistoryStep;
import org.posthouse.core.Message;
import org.posthouse.core.PushWindow;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/** Builds the relay's own small frames in pooled buffers. Confined to its owner's strand; reuses its view. */
public final class FrameBuilder {
    private final FrameView view = new FrameView();

    private FrameView begin(ByteBuf frame, FrameType type, long job) {
        int bytes = frame.capacity();
        ByteBuffer nio = frame.internalNioBuffer(0, bytes);
        frame.writerIndex(bytes);
        return view.wrap(nio, nio.position()).begin(type, bytes, job);
    }

    private static ByteBuf buffer(int bytes) {
        return ByteBufAllocator.DEFAULT.ioBuffer(bytes, bytes);
    }

    public ByteBuf clear(long job, int context, int source, int destination, long sequence, long upTo) {
        ByteBuf frame = buffer(FrameType.CLEAR.bytesMin());
        begin(frame, FrameType.CLEAR, job).address(context, source, destination, 0).sequence(sequence).offset(upTo);
        return frame;
    }

    public ByteBuf withdraw(long job, int context, int source, int destination, long sequence) {
        ByteBuf frame = buffer(FrameType.WITHDRAW.bytesMin());
        begin(frame, FrameType.WITHDRAW, job).address(context, source, destination, 0).sequence(sequence);
        return frame;
    }

    public ByteBuf withdrawn(long job, int context, int source, int destination, long sequence, boolean gone) {
        ByteBuf frame = buffer(FrameType.WITHDRAWN.bytesMin());
        begin(frame, FrameType.WITHDRAWN, job)
                .flags(gone ? FrameView.FOUND : 0)
                .address(context, source, destination, 0)
                .sequence(sequence);
        return frame;
    }

    /** An offer that the other end has received before; only the fields that identify it are set. */
    public ByteBuf offerAgain(long job, int context, int source, int destination, long sequence, long bytes) {
        ByteBuf frame = buffer(Wire.MESSAGE_HEADER_BYTES);
        begin(frame, FrameType.OFFER, job)
                .flags(FrameView.AGAIN)
                .address(context, source, destination, 0)
                .sequence(sequence)
                .content(bytes, 0, 0);
        return frame;
    }

    public ByteBuf ended(long job, int context, int round, int rank, PushWindow.End why, long pushedCost) {
        ByteBuf frame = buffer(FrameType.ENDED.bytesMin());
        begin(frame, FrameType.ENDED, job).round(context, round, rank, why.code(), pushedCost);
        return frame;
    }

    public ByteBuf ack(long job, long safe, long handled, long[] firstUnsafe) {
        int bytes = Wire.ACK_HEADER_BYTES + firstUnsafe.length * Long.BYTES;
        ByteBuf frame = buffer(bytes);
        FrameView view = begin(frame, FrameType.ACK, job).length(bytes).ack(safe, handled);
        for (int home = 0; home < firstUnsafe.length; home++) {
            view.firstUnsafe(home, firstUnsafe[home]);
        }
        return frame;
    }

    public ByteBuf cancelled(long job, int request, boolean gone) {
        ByteBuf frame = buffer(FrameType.CANCELLED.bytesMin());
        begin(frame, FrameType.CANCELLED, job).flags(gone ? FrameView.FOUND : 0).cancelledRequest(request);
        return frame;
    }

    public ByteBuf credit(long job, int rank, long bytes, int messages) {
        ByteBuf frame = buffer(FrameType.CREDIT.bytesMin());
        begin(frame, FrameType.CREDIT, job).credit(bytes, messages, rank);
        return frame;
    }

    /** @param items {@code count} events; null if there are none */
    public ByteBuf events(long job, long first, int count, int failedPolls, ByteBuffer items, boolean end) {
        int bytes = Wire.EVENTS_HEADER_BYTES + count * Wire.EVENT_BYTES;
        ByteBuf frame = buffer(bytes);
        ByteBuffer nio = frame.internalNioBuffer(0, bytes);
        view.wrap(nio, nio.position())
                .begin(FrameType.EVENTS, Wire.EVENTS_HEADER_BYTES, job)
                .length(bytes)
                .flags(end ? FrameView.END : 0)
                .events(first, count, failedPolls);
        frame.writerIndex(Wire.EVENTS_HEADER_BYTES);
        return items == null ? frame : frame.writeBytes(items);
    }

    public ByteBuf image(long job, HistoryStep.ImagePiece piece) {
        int bytes = Wire.IMAGE_HEADER_BYTES + piece.bytes().remaining();
        ByteBuf frame = buffer(bytes);
        ByteBuffer nio = frame.internalNioBuffer(0, bytes);
        view.wrap(nio, nio.position())
                .begin(FrameType.IMAGE, Wire.IMAGE_HEADER_BYTES, job)
                .length(bytes)
                .image(piece.number(), piece.offset());
        return frame.writerIndex(Wire.IMAGE_HEADER_BYTES).writeBytes(piece.bytes());
    }

    public ByteBuf move(long job) {
        ByteBuf frame = buffer(FrameType.MOVE.bytesMin());
        begin(frame, FrameType.MOVE, job);
        return frame;
    }

    public ByteBuf finalized(long job) {
        ByteBuf frame = buffer(FrameType.FINALIZE.bytesMin());
        begin(frame, FrameType.FINALIZE, job);
        return frame;
    }

    /** @param found null if no message matches */
    public ByteBuf probeAnswer(long job, int request, Message found) {
        ByteBuf frame = buffer(Wire.MESSAGE_HEADER_BYTES);
        FrameView answer = begin(frame, FrameType.PROBE_ANSWER, job).request(request);
        if (found != null) {
            answer.flags(FrameView.FOUND)
                    .address(found.context(), found.source(), found.destination(), found.tag())
                    .sequence(found.sequence())
                    .content(found.bytes(), found.elements(), found.datatype());
        }
        return frame;
    }

    /** The first frame of a message, as it arrived, without payload. Room for {@code payloadBytes} follows. */
    public ByteBuf message(long job, Message message, int payloadBytes) {
        ByteBuf frame = beginWithPayload(message.form(), Wire.MESSAGE_HEADER_BYTES, job, payloadBytes);
        view.address(message.context(), message.source(), message.destination(), message.tag())
                .sequence(message.sequence())
                .content(message.bytes(), message.elements(), message.datatype());
        return frame;
    }

    /** A CHUNK of a message, as it arrived, without payload. */
    public ByteBuf chunk(long job, Message message, long offset, int payloadBytes) {
        ByteBuf frame = beginWithPayload(FrameType.CHUNK, Wire.CHUNK_HEADER_BYTES, job, payloadBytes);
        view.address(message.context(), message.source(), message.destination(), 0)
                .sequence(message.sequence())
                .offset(offset);
        return frame;
    }

    private ByteBuf beginWithPayload(FrameType type, int headerBytes, long job, int payloadBytes) {
        int bytes = headerBytes + payloadBytes;
        ByteBuf frame = buffer(bytes).writerIndex(bytes);
        ByteBuffer nio = frame.internalNioBuffer(0, bytes);
        view.wrap(nio, nio.position()).begin(type, headerBytes, job).length(bytes);
        return frame;
    }
}
