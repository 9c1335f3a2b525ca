package org.posthouse.tunnel.query;

import io.netty.buffer.ByteBuf;
import org.posthouse.tunnel.stream.LinkStream;
import org.posthouse.wire.CloseReason;

/** The answering end of a question's stream. Confined to the relay's context. */
final class SentAnswer implements LinkStream.Listener {
    private static final int FRAME_BYTES_MAX = 65_536;

    private final LinkStream stream;
    private final ByteBuf rest;
    private boolean isFinished;

    /** @param answer owned by this object; on the heap, so that nothing leaks with a stream that is never read */
    SentAnswer(LinkStream stream, ByteBuf answer) {
        this.stream = stream;
        this.rest = answer;
    }

    @Override
    public void onWritable() {
        while (rest.isReadable() && stream.writable()) {
            stream.write(rest.readRetainedSlice(Math.min(FRAME_BYTES_MAX, rest.readableBytes())));
        }
        if (!rest.isReadable() && !isFinished) {
            isFinished = true;
            stream.finish();
        }
    }

    /** A question has no bytes. */
    @Override
    public void onBytes(ByteBuf bytes, boolean last) {
        bytes.release();
        stream.left();
    }

    @Override
    public void onDone() {
        rest.release();
    }

    @Override
    public void onEnded(CloseReason closeReason, String text) {
        rest.release();
    }

    @Override
    public void onLinkDown() {
        stream.end(CloseReason.SITE_UNREACHABLE, "the link is down");
        rest.release();
    }
}
