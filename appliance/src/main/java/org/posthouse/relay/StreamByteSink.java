package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.posthouse.relay.io.ByteSink;
import org.posthouse.relay.io.ConnectionAddresses;
import org.posthouse.tunnel.stream.LinkStream;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Wire;

/**
 * A connection that another relay passes on over a stream of its link: its outlet, and what reads it. Confined to the relay's loop, which is
 * that of the links; only {@link #pauseReading} and {@link #close} may be called by any thread.
 *
 * <p>The stream's tokens bound what waits in both directions. Nothing is read while reading is paused, so that the other relay gets no
 * token back; and what has no token waits in the {@link org.posthouse.relay.io.OutboundChannel}.
 */
final class StreamByteSink implements ByteSink, LinkStream.Listener {
    private final EventLoop loop;
    private final LinkStream stream;
    private final ConnectionAddresses ends;
    private final ArrayDeque<ByteBuf> unread = new ArrayDeque<>();
    private Connection connection;
    private boolean heardLast;
    private boolean over;

    /** What is being written and has no token yet, and whom to tell when it has left; else null. */
    private ByteBuf rest;

    private Runnable then;

    /** Written by any thread, read by the loop. */
    private volatile boolean paused;

    StreamByteSink(EventLoop loop, LinkStream stream) {
        this.loop = loop;
        this.stream = stream;
        this.ends = ConnectionAddresses.passedOn(stream.relay());
    }

    /** Begins to read. */
    void serve(Connection reader) {
        assert loop.inEventLoop();
        connection = reader;
        read();
    }

    // ---- the outlet

    /** Leaves all to {@link #finish}: a stream takes buffers. */
    @Override
    public long write(ByteBuffer[] bytes, int count) throws IOException {
        if (over) {
            throw new IOException("the stream from relay " + stream.relay() + " has ended");
        }
        return 0;
    }

    @Override
    public void finish(ByteBuf bytes, Runnable written) {
        assert loop.inEventLoop();
        rest = bytes;
        then = written;
        onWritable();
    }

    @Override
    public void onWritable() {
        assert loop.inEventLoop();
        while (rest != null && !over && stream.writable()) {
            stream.write(rest.readRetainedSlice(Math.min(rest.readableBytes(), Wire.PAYLOAD_BYTES_MAX)));
            if (!rest.isReadable()) {
                finished();
            }
        }
        if (over && rest != null) {
            finished();
        }
    }

    private void finished() {
        Runnable next = then;
        rest.release();
        rest = null;
        then = null;
        next.run();
    }

    @Override
    public boolean changesLoop() {
        return false;
    }

    @Override
    public void readBy(EventLoop next, Runnable ended, Runnable done) {
        throw new IllegalStateException("a stream stays with the loop of its link");
    }

    @Override
    public ConnectionAddresses ends() {
        return ends;
    }

    // ---- reading

    @Override
    public void onBytes(ByteBuf bytes, boolean last) {
        assert loop.inEventLoop();
        heardLast |= last;
        unread.add(bytes);
        read();
    }

    private void read() {
        while (connection != null && !paused && !over && !unread.isEmpty()) {
            ByteBuf next = unread.remove();
            try {
                connection.onBytes(next);
            } finally {
                next.release();
                stream.left();
            }
        }
        if (heardLast && unread.isEmpty()) {
            close();
        }
    }

    @Override
    public void pauseReading(boolean pause) {
        paused = pause;
        if (!pause) {
            loop.execute(this::read);
        }
    }

    // ---- the end

    /** Not at once, because frames that were read may be at work. */
    @Override
    public void close() {
        loop.execute(() -> end("the connection is closed"));
    }

    @Override
    public void onDone() {
        end("both ends have finished");
    }

    @Override
    public void onEnded(CloseReason closeReason, String text) {
        end(text);
    }

    private void end(String why) {
        assert loop.inEventLoop();
        if (over) {
            return;
        }
        over = true;
        stream.end(CloseReason.NORMAL, why);
        unread.forEach(ByteBuf::release);
        unread.clear();
        onWritable(); // What waits has left, as far as anybody may ask.
        if (connection != null) {
            connection.onEnded();
        }
    }
}
