package org.posthouse.mpj.channel;

import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Waits until a non-blocking channel is ready for one kind of operation. An interrupt of the waiting thread neither
 * ends the wait nor closes the channel, as it would with a blocking one. The thread's flag is set again after the wait.
 * One thread waits at a time; any may wake it or close this.
 */
final class SelectorWait implements AutoCloseable {
    private static final Consumer<SelectionKey> READY = key -> {};

    private final Selector selector;

    /** Written by any thread before it wakes the selector, read and cleared by the one that waits. */
    private volatile boolean woken;

    /** @param operation one of {@link SelectionKey}'s */
    SelectorWait(SelectableChannel channel, int operation) throws IOException {
        selector = channel.provider().openSelector();
        channel.register(selector, operation);
    }

    /** Blocks until the channel is ready; false if {@link #wake} ended the wait, now or since the last wait. */
    boolean await() throws IOException {
        return await(0);
    }

    /** As {@link #await()}, or until the timeout, which returns false too; 0 is no limit. */
    boolean await(long timeoutMs) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        long leftMs = timeoutMs;
        boolean interrupted = false;
        try {
            while (!woken) {
                if (selector.select(READY, leftMs) > 0) {
                    return true;
                }
                interrupted |= Thread.interrupted();
                if (timeoutMs > 0) {
                    leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                    if (leftMs <= 0) {
                        return false;
                    }
                }
            }
            woken = false;
            return false;
        } catch (ClosedSelectorException e) {
            throw closed(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static AsynchronousCloseException closed(ClosedSelectorException cause) {
        AsynchronousCloseException closed = new AsynchronousCloseException();
        closed.initCause(cause);
        return closed;
    }

    /** Whether the channel is ready now. */
    boolean isReady() throws IOException {
        try {
            return selector.selectNow(READY) > 0;
        } catch (ClosedSelectorException e) {
            throw closed(e);
        }
    }

    /** Whether the next {@link #await} ends at once because of {@link #wake}. */
    boolean isWoken() {
        return woken;
    }

    /** Ends the current wait, or else the next one. */
    void wake() {
        woken = true;
        selector.wakeup();
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }
}
