package org.posthouse.tunnel.stream;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.ScheduledFuture;

/** The links below the streams, as {@link Streams} needs them. Called on the relay's context. */
public interface StreamLinks {
    /**
     * Sends one whole frame to {@code relay} and takes ownership of it; false if there is no link that could carry it.
     */
    boolean send(String relay, ByteBuf frame);

    /** Whether streams have space in the window of the link to {@code relay}. */
    boolean takesStreams(String relay);

    /** Runs {@code task} on the relay's context in {@code ms} milliseconds. */
    ScheduledFuture<?> after(long ms, Runnable task);
}
