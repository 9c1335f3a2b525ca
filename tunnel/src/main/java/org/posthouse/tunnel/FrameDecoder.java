package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Cuts a connection's incoming bytes into checked frames, which are handled in the buffer they were read into. One that is
 * split over two reads is put together in a buffer of its own, as large as the frame says and no larger than a frame may
 * be; a long one is not copied if the reader asks {@link #toFill} where to read on. Confined to the thread that reads the
 * connection.
 */
public final class FrameDecoder {
    /** What becomes of the frames. */
    public interface Sink {
        /**
         * One whole frame, header checked.
         *
         * @param buffer holds the frame at [{@code index}, {@code index} + {@code length}); retain a slice to keep it
         * @param view looks at the frame; valid during this call
         * @return whether to go on: false drops what follows
         * @throws WireException if the frame breaks the protocol; what follows is dropped
         */
        boolean onFrame(ByteBuf buffer, int index, int length, FrameView view) throws WireException;
    }

    /** A frame of fewer bytes is cheaper to put together than to hold its buffer for. */
    private static final int LONG_BYTES = 16 * 1024;

    private final ByteBufAllocator allocator;
    private final boolean readsOn;
    private final Sink sink;
    private final FrameView view = new FrameView();
    private int bytesMax = Wire.CHUNK_FRAME_BYTES_MAX;

    /** An incomplete frame, from its reader index on. */
    private ByteBuf partial;

    /** Bytes of the whole frame, if it is read on; of a shorter one perhaps those of its header only. */
    private int partialLength;

    /** Of the frames of the last read, the incomplete one among them, and of those of the read before it. */
    private int longest;

    private int longestBefore;

    /** @param readsOn whether the reader reads into {@link #toFill} whenever there is such a buffer */
    public FrameDecoder(ByteBufAllocator allocator, boolean readsOn, Sink sink) {
        this.allocator = allocator;
        this.readsOn = readsOn;
        this.sink = sink;
    }

    /** From the next frame on none may be longer: one that is ends the reading when its header has come, and gets no buffer. */
    public void limit(int bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** As {@link FrameView#checkHeader}. */
    private int check(int available) throws WireException {
        int length = view.checkHeader(available);
        if (length > bytesMax) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
                    view.type() + " of " + length + " bytes, expected " + bytesMax + " at most from one who has not proven who he is");
        }
        return length;
    }

    /** Where the rest of a long frame belongs: the next bytes go behind what is in there; null if they may go anywhere. */
    public ByteBuf toFill() {
        return partial != null && partialLength >= LONG_BYTES ? partial : null;
    }

    /** Bytes that the frame in {@link #toFill} wants yet: what is read behind them may have to be copied. */
    public int wanted() {
        return partialLength - partial.readableBytes();
    }

    /** Bytes of the longest frame that came, or began, with the last two reads. */
    public int longestLately() {
        return Math.max(longest, longestBefore);
    }

    /** Bytes that have come of a frame whose rest has not. */
    int incompleteBytes() {
        return partial == null ? 0 : partial.readableBytes();
    }

    /** Of what type the frame is whose rest has not come; null if that is not known. */
    FrameType incompleteType() {
        return incompleteBytes() <= FrameView.TYPE_AT ? null : FrameType.of(partial.getByte(partial.readerIndex() + FrameView.TYPE_AT));
    }

    /** Takes the bytes that were read; the buffer stays the caller's. @throws WireException if they are no frames */
    public void feed(ByteBuf in) throws WireException {
        if (in == partial) {
            partial = null;
            in.release();
        }
        longestBefore = longest;
        longest = 0;
        boolean on = true;
        while (on && in.isReadable()) {
            if (partial != null) {
                on = completePartial(in);
            } else {
                on = dispatchWhole(in);
                if (on && in.isReadable()) {
                    on = startPartial(in);
                }
            }
        }
    }

    /** Gives up what has come of an incomplete frame. Called when nothing more is wanted of the connection, and at its end. */
    public void release() {
        if (partial != null) {
            partial.release();
            partial = null;
        }
    }

    /** Hands over the whole frames of {@code in}; an incomplete one may remain. */
    private boolean dispatchWhole(ByteBuf in) throws WireException {
        int end = in.writerIndex();
        int at = in.readerIndex();
        while (at < end) {
            // The buffer's own view, which costs no allocation; whoever handles a frame may move it.
            ByteBuffer bytes = in.internalNioBuffer(at, end - at);
            view.wrap(bytes, bytes.position());
            int length = check(end - at);
            if (length == 0 || length > end - at) {
                break;
            }
            longest = Math.max(longest, length);
            if (!sink.onFrame(in, at, length, view)) {
                return false;
            }
            at += length;
        }
        in.readerIndex(at);
        return true;
    }

    /** Keeps what has come of an incomplete frame. @return whether it was taken out of {@code in} */
    private boolean startPartial(ByteBuf in) throws WireException {
        int there = in.readableBytes();
        view.wrap(in.nioBuffer(), 0);
        int length = there < Wire.HEADER_BYTES ? Wire.HEADER_BYTES : check(there);
        partialLength = length;
        longest = Math.max(longest, length);
        if (readsOn && length >= LONG_BYTES && length <= in.capacity() - in.readerIndex()) {
            partial = in.retain();
            return false;
        }
        partial = allocator.ioBuffer(length, length);
        partial.writeBytes(in);
        return true;
    }

    private boolean completePartial(ByteBuf in) throws WireException {
        partial.writeBytes(in, Math.min(in.readableBytes(), partial.writableBytes()));
        if (partial.isWritable()) {
            return true;
        }
        int there = partial.readableBytes();
        view.wrap(partial.nioBuffer(), 0);
        int length = check(there);
        if (length > there) {
            ByteBuf whole = allocator.ioBuffer(length, length);
            whole.writeBytes(partial);
            partial.release();
            partial = whole;
            partialLength = length;
            return true;
        }
        ByteBuf frame = partial;
        partial = null;
        longest = Math.max(longest, length);
        try {
            view.wrap(frame.nioBuffer(), 0);
            return sink.onFrame(frame, 0, length, view);
        } finally {
            frame.release();
        }
    }
}
