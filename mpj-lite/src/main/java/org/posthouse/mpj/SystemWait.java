package org.posthouse.mpj;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.channels.SocketChannel;

/**
 * Lets a channel's reads and writes wait inside their one system call, although Java takes the channel for one that does
 * not block. So a read that waits is one call where a selector makes it three, the thread is back sooner, and an
 * interrupt finds no channel to close: Java closes only those that it knows to block.
 *
 * <p>It needs {@link RankMain#JVM_FLAGS}, which {@code posthouse run} sets. Without them, or in a JVM that has other
 * insides, nothing changes; and the JVM takes it back when a virtual thread uses the channel for the first time. So
 * whoever reads or writes is prepared for a call that does not wait. A channel that a virtual thread has connected had its
 * first time: the JVM would not take it back, and every call that waits would keep a carrier from all other threads.
 */
final class SystemWait {
    private SystemWait() {}

    /** Turns it on for a channel that this thread has connected; false if that cannot be. */
    static boolean enable(SocketChannel channel) throws IOException {
        if (isVirtual()) {
            return false;
        }
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

    /**
     * Waits, in one system call more, until there is something to read. Whoever reads from a Unix socket at once is woken each
     * time that the other end takes what he has sent (Linux's unix_write_space); who polls is asked what he waits for. In a JVM of
     * other insides it returns at once: then the read waits.
     *
     * @param channel {@link #enable} was true for it
     */
    static void awaitInput(SocketChannel channel) throws IOException {
        if (Parking.PARK == null) {
            return;
        }
        try {
            Parking.PARK.invoke(channel, Parking.POLLIN);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("a channel that waits inside its system call does not poll", e);
        } catch (InvocationTargetException e) {
            throw new IOException("waiting for input: " + e.getCause().getMessage(), e);
        }
    }

    /** Looked up when a channel polls for the first time. */
    private static final class Parking {
        /** Null in a JVM of other insides. */
        private static final Method PARK = park();

        /** Linux's; there is no local socket elsewhere. */
        private static final Integer POLLIN = 1;

        private static Method park() {
            try {
                return Class.forName("sun.nio.ch.SelChImpl").getMethod("park", int.class);
            } catch (ClassNotFoundException | NoSuchMethodException e) {
                return null;
            }
        }
    }

    private static boolean isVirtual() {
        try {
            return (boolean) Thread.class.getMethod("isVirtual").invoke(Thread.currentThread());
        } catch (NoSuchMethodException e) {
            // A Java that has no virtual threads yet.
            return false;
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("a thread does not say of what kind it is", e);
        }
    }
}
