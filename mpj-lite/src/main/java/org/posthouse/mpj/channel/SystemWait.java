package org.posthouse.mpj.channel;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.channels.SocketChannel;

/**
 * Lets a channel's reads and writes wait inside their one system call, although Java treats the channel as
 * non-blocking. A waiting read is one call in place of a selector's three, and the thread returns sooner. An interrupt
 * does not close the channel: Java closes only those that it knows to block.
 *
 * <p>It needs {@code RankMain.JVM_FLAGS}, which {@code posthouse run} sets. Without them, or in a JVM with other
 * internals, nothing changes. The JVM switches back when a virtual thread uses the channel for the first time. So
 * callers must handle a call that does not wait. A channel that a virtual thread has connected is not switched back
 * again: every waiting call would block a carrier for all other threads.
 */
public final class SystemWait {
    private SystemWait() {}

    /** Turns the feature on for a channel that this thread has connected; false if that is impossible. */
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
     * Waits for input in one more system call. A plain read of a Unix socket wakes its thread each time the other end
     * takes data that was sent (Linux's unix_write_space); a poll names the event that it waits for. In a JVM with
     * other internals it returns at once, and the read waits.
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
        /** Null in a JVM with other internals. */
        private static final Method PARK = park();

        /** The Linux value; there is no local socket elsewhere. */
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
            // A Java version without virtual threads.
            return false;
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("a thread does not say of what kind it is", e);
        }
    }
}
