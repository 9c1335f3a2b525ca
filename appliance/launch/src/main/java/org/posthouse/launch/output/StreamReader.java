package org.posthouse.launch.output;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/**
 * Reads one stream of a process on a thread of its own, until the stream ends. It is a platform thread, since a read of
 * a pipe blocks the carrier of a virtual one. When all carriers are blocked for half a minute, no other virtual thread
 * runs (docs/adr/0074).
 */
public final class StreamReader {
    /** Handles what was read, on the reading thread. */
    public interface Sink {
        /**
         * @param buffer valid during this call, from 0 to {@code count}
         * @param isLast whether nothing more can be read now without waiting
         */
        void onBytes(byte[] buffer, int count, boolean isLast) throws IOException, InterruptedException;

        /** @param fault why the stream could be read no further; null if it has ended */
        void onEnd(IOException fault);
    }

    /** A stream that nothing was read of at so many looks in a row is empty, although a child of the process holds it open. */
    private static final int LOOKS_MAX = 30;

    private static final Duration LOOK = Duration.ofMillis(100);
    private static final int BUFFER_BYTES = 8 * 1024;

    private final InputStream from;
    private final Sink sink;
    private Thread thread;

    /** Whether the thread waits for the stream. Written by it, read by any that waits for its end. */
    private volatile boolean reading;

    /** Number of reads. Written by the thread, read by any that waits for its end. */
    private volatile long reads;

    private StreamReader(InputStream from, Sink sink) {
        this.from = from;
        this.sink = sink;
    }

    /** @param name of the thread */
    public static StreamReader start(String name, InputStream from, Sink sink) {
        StreamReader reader = new StreamReader(from, sink);
        reader.thread = Thread.ofPlatform().daemon().name(name).start(reader::run);
        return reader;
    }

    /**
     * Waits, once the process has ended, until all its output was handled. That is at the stream's end, or when the
     * stream is empty, as a child of the process may hold it open.
     */
    public void await() throws InterruptedException {
        long before = -1;
        int looks = 0;
        while (looks < LOOKS_MAX && !thread.join(LOOK)) {
            looks = reading && reads == before ? looks + 1 : 0;
            before = reads;
        }
    }

    private void run() {
        byte[] buffer = new byte[BUFFER_BYTES];
        IOException fault = null;
        try (from) {
            for (int count = next(buffer); count >= 0; count = next(buffer)) {
                sink.onBytes(buffer, count, from.available() == 0);
            }
        } catch (IOException e) {
            fault = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        sink.onEnd(fault);
    }

    private int next(byte[] buffer) throws IOException {
        reading = true;
        int count = from.read(buffer);
        reading = false;
        reads++;
        return count;
    }
}
