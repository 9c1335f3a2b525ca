package org.posthouse.relay.io;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The sending side of a connection: the only part in which the kinds of connection differ for {@link OutboundChannel}. */
public interface ByteSink {
    /**
     * Writes as much as the kernel accepts now, or everything if this outlet blocks. Called by one thread at a time.
     *
     * @return bytes written
     * @throws IOException if the connection is broken
     */
    long write(ByteBuffer[] bytes, int count) throws IOException;

    /**
     * Writes what the kernel did not accept, as soon as it does, and then calls back. It also calls back if the
     * connection breaks meanwhile; the next write then fails. Takes over the buffer.
     */
    void finish(ByteBuf rest, Runnable then);

    /** Whether {@link #readBy} may be called: an event loop reads the connection, and can pass it to another. */
    boolean changesLoop();

    /**
     * Passes reading to this loop, and then calls back. Nothing may be written until then.
     *
     * @param ended called before the callback if the connection has ended meanwhile, which its reader may not notice;
     *         called by any thread
     */
    void readBy(EventLoop loop, Runnable ended, Runnable then);

    /** Pauses reading until it is called with {@code false}; bytes that were read already are handled. Any thread. */
    void pauseReading(boolean pause);

    /** Closes the connection at once. Any thread, any number of times. */
    void close();

    /** Both ends of the connection, also after it was closed. */
    ConnectionAddresses ends();
}
