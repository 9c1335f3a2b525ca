package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.posthouse.peer.PeerUser;

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

    /** The other end, as {@link #text} has it. */
    String remote();

    /** Where the connection came to: this relay's address and port; empty over a local socket. */
    Optional<InetSocketAddress> reached();

    /**
     * Whose process the other end is. Blocks for some milliseconds, and longer on a busy host.
     *
     * @param passesOn whether this very process counts as unknown, since it passes on what others say at its other ports
     */
    PeerUser user(boolean passesOn);

    /** An end of a connection, as host:port; a local socket's has no name. */
    static String text(SocketAddress end) {
        String text = String.valueOf(end).replaceFirst("^[^/]*/", "");
        return text.isEmpty() ? "this host" : text;
    }
}
