package org.posthouse.names.raft;

import java.io.IOException;
import java.nio.channels.SocketChannel;

/** Decides who may be at the other end of a judge's connections, before another byte goes over them. Its methods block, for a bounded time. */
public interface PeerGuard {
    /**
     * Checks an accepted connection.
     *
     * @throws IOException if it must be closed
     */
    void accept(SocketChannel channel) throws IOException;

    /**
     * Checks a dialled connection.
     *
     * @throws IOException if it must be closed
     */
    void dial(SocketChannel channel) throws IOException;

    /** Closes connections that would not be admitted any more, if that can be. Called now and then. */
    default void expel() {}
}
