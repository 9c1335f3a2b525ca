package org.posthouse.tunnel.stream;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.posthouse.wire.CloseReason;

/**
 * Joins two streams of different links: what arrives on either is sent on the other. Confined to the relay's context;
 * uses no socket.
 *
 * <p>A token is returned when its bytes were written on the other stream, which takes a token there. So the granted
 * tokens bound the waiting bytes, and a slow receiver slows only its own senders, hop by hop. When either stream ends,
 * so does the other, without waiting for pending bytes.
 */
public final class StreamPipe {
    private final StreamCounters tally;
    private final Side near = new Side();
    private final Side far = new Side();
    private boolean begun;
    private boolean over;

    /** One of the two streams. */
    private final class Side implements LinkStream.Listener {
        private final ArrayDeque<ByteBuf> came = new ArrayDeque<>();
        private LinkStream stream;
        private boolean heardLast;
        private boolean finished;

        private Side other() {
            return this == near ? far : near;
        }

        @Override
        public void onBytes(ByteBuf bytes, boolean last) {
            heardLast |= last;
            if (bytes.isReadable()) {
                came.add(bytes);
            } else {
                bytes.release();
                stream.left();
            }
            other().onWritable();
        }

        /** Sends on this stream what arrived on the other one. */
        @Override
        public void onWritable() {
            if (!begun) {
                begin();
            }
            Side from = other();
            while (!from.came.isEmpty() && stream.writable()) {
                ByteBuf bytes = from.came.remove();
                tally.carried(bytes.readableBytes());
                stream.write(bytes);
                from.stream.left();
            }
            if (from.heardLast && from.came.isEmpty() && !finished) {
                finished = true;
                stream.finish();
            }
        }

        @Override
        public void onDone() {
            over();
        }

        @Override
        public void onEnded(CloseReason closeReason, String text) {
            other().stream.end(closeReason, text);
            over();
        }

        @Override
        public void onLinkDown() {
            stream.end(CloseReason.SITE_UNREACHABLE, "the link is down");
            onEnded(CloseReason.SITE_UNREACHABLE, "the link to relay " + stream.relay() + " is down");
        }
    }

    StreamPipe(StreamCounters tally) {
        this.tally = tally;
    }

    /** @param asked the stream that another relay opened, which is not answered before the onward one is open */
    public LinkStream.Listener from(LinkStream asked) {
        near.stream = asked;
        return far;
    }

    /** @param opened the onward stream */
    public void onto(LinkStream opened) {
        far.stream = opened;
    }

    private void begin() {
        begun = true;
        tally.pipe(1);
        if (near.stream.state() == LinkStream.State.ASKED) {
            near.stream.accept(near);
        } else {
            far.stream.end(CloseReason.NORMAL, "it is not wanted any more");
            over();
        }
    }

    private void over() {
        if (begun && !over) {
            tally.pipe(-1);
        }
        over = true;
        near.came.forEach(ByteBuf::release);
        near.came.clear();
        far.came.forEach(ByteBuf::release);
        far.came.clear();
    }
}
