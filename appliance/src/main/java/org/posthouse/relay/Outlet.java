package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Where a connection's bytes leave: the one thing in which the kinds of connection differ for {@link Line}. */
interface Outlet {
    /**
     * Writes what the kernel takes at once, or all of it if this outlet blocks. Called by one thread at a time.
     *
     * @return bytes written
     * @throws IOException if the connection is broken
     */
    long write(ByteBuffer[] bytes, int count) throws IOException;

    /**
     * Writes what the kernel did not take, whenever it does, and then calls back: also if the connection breaks meanwhile,
     * and the next write fails. Takes over the buffer.
     */
    void finish(ByteBuf rest, Runnable then);

    /** Whether {@link #readBy} may be called: an event loop reads the connection, and can leave it to another. */
    boolean changesLoop();

    /**
     * Has the connection read by this loop from now on, and then calls back. Nothing may be written until then.
     *
     * @param ended called before that if the connection has ended meanwhile, which its reader may not hear; for any thread
     */
    void readBy(EventLoop loop, Runnable ended, Runnable then);

    /** Has nothing more read from the connection until {@code false} is said; what was read already is handled. For any thread. */
    void pauseReading(boolean pause);

    /** Breaks the connection off. For any thread, any number of times. */
    void close();

    /** Both ends of the connection, also after it was closed. */
    ConnectionEnds ends();
}
