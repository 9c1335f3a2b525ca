package org.posthouse.tunnel.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Splits a connection's incoming bytes into checked frames, which are handled in the buffer they were read into. A
 * frame that is split over two reads is assembled in a separate buffer of the frame's length, within the limit for
 * frames. A long frame is not copied if the reader asks {@link #toFill} where to read on. Confined to the thread that
 * reads the connection.
 */
public final class FrameDecoder {
    /** Receives the frames. */
    public interface Sink {
        /**
         * Receives one whole frame; its header has been checked.
         *
         * @param buffer holds the frame at [{@code index}, {@code index} + {@code length}); retain a slice to keep it
         * @param view decodes the frame; valid during this call
         * @return whether to continue; false drops all further input
         * @throws WireException if the frame breaks the protocol; all further input is dropped
         */
        boolean onFrame(ByteBuf buffer, int index, int length, FrameView view) throws WireException;
    }

    /** For a shorter frame, copying is cheaper than holding on to its buffer. */
    private static final int LONG_BYTES = 16 * 1024;

    private final ByteBufAllocator allocator;
    private boolean readsOn;
    private final Sink sink;
    private final FrameView view = new FrameView();
    private int bytesMax = Wire.CHUNK_FRAME_BYTES_MAX;

    /** An incomplete frame, from its reader index on. */
    private ByteBuf partial;

    /** Bytes of the whole frame, if reading continues in place; for a shorter one perhaps only those of its header. */
    private int partialLength;

    /** Length of the longest frame, incomplete ones included, of the last read and of the read before it. */
    private int longest;

    private int longestBefore;

    /** @param readsOn whether the reader reads into {@link #toFill} whenever that buffer exists */
    public FrameDecoder(ByteBufAllocator allocator, boolean readsOn, Sink sink) {
        this.allocator = allocator;
        this.readsOn = readsOn;
        this.sink = sink;
    }

    /** From now on the reader reads into buffers of its own; it has not read into {@link #toFill} yet. */
    public void readsElsewhere() {
        readsOn = false;
    }

    /**
     * Limits the length of all further frames. A longer frame ends the reading when its header has arrived, and gets no
     * buffer.
     */
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

    /** The buffer that the next bytes of a long frame must be appended to; null if they may go into any buffer. */
    public ByteBuf toFill() {
        return partial != null && partialLength >= LONG_BYTES ? partial : null;
    }

    /** Missing bytes of the frame in {@link #toFill}. Bytes read beyond them may have to be copied. */
    public int wanted() {
        return partialLength - partial.readableBytes();
    }

    /** Bytes of the longest frame that arrived or began in the last two reads. */
    public int longestLately() {
        return Math.max(longest, longestBefore);
    }

    /** Received bytes of an incomplete frame. */
    int incompleteBytes() {
        return partial == null ? 0 : partial.readableBytes();
    }

    /** Type of the incomplete frame; null if unknown. */
    FrameType incompleteType() {
        return incompleteBytes() <= FrameView.TYPE_AT ? null : FrameType.of(partial.getByte(partial.readerIndex() + FrameView.TYPE_AT));
    }

    /**
     * Decodes the bytes that were read; the caller keeps the buffer.
     *
     * @throws WireException if they are not valid frames
     */
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

    /** Discards an incomplete frame. Called when nothing more is wanted from the connection, and at its end. */
    public void release() {
        if (partial != null) {
            partial.release();
            partial = null;
        }
    }

    /** Passes on the whole frames of {@code in}; an incomplete one may remain. */
    private boolean dispatchWhole(ByteBuf in) throws WireException {
        int end = in.writerIndex();
        int at = in.readerIndex();
        while (at < end) {
            // The buffer's own view costs no allocation; the handler of a frame may move its position.
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

    /**
     * Stores the received bytes of an incomplete frame.
     *
     * @return whether they were consumed from {@code in}
     */
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
