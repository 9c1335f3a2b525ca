package org.posthouse.mpj;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.channels.SocketChannel;

/**
 * Lets a channel's reads and writes wait inside their one system call, although Java takes the channel for one that does
 * not block. So a read that waits is one call where a selector makes it three, the thread is back sooner, and an
 * interrupt finds no channel to close: Java closes only those that it knows to block.
 *
 * <p>It needs {@link RankMain#JVM_FLAGS}, which {@code posthouse run} sets. Without them, or in a JVM that has other
 * insides, nothing changes; and the JVM takes it back when a virtual thread uses the channel. So whoever reads or
 * writes is prepared for a call that does not wait.
 */
final class SystemWait {
    private SystemWait() {}

    /** Turns it on for a channel that is connected; false if that cannot be. */
    static boolean enable(SocketChannel channel) throws IOException {
        try {
            Object descriptor = Class.forName("sun.nio.ch.SelChImpl").getMethod("getFD").invoke(channel);
            Class.forName("sun.nio.ch.IOUtil")
                    .getMethod("configureBlocking", FileDescriptor.class, boolean.class)
                    .invoke(null, descriptor, true);
            return true;
        } catch (ClassNotFoundException | NoSuchMethodException | IllegalAccessException e) {
            return false;
        } catch (InvocationTargetException e) {
            throw new IOException("the socket's mode cannot be set: " + e.getCause().getMessage(), e);
        }
    }
}
