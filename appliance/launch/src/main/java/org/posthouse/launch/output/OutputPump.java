package org.posthouse.launch.output;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import org.posthouse.causes.Causes;
import org.posthouse.wire.PrintMark;

/**
 * Copies one stream of one rank's process on a thread of its own, until the stream ends. It is a platform thread, since
 * a read of a pipe blocks the carrier of a virtual one. When all carriers are blocked for half a minute, no other
 * virtual thread runs (docs/adr/0074). If the stream has a tape, what is already on the tape is not shown again.
 */
public final class OutputPump {
    /** A tape compares a longer line in pieces of one byte more, so that a program that never ends a line needs no memory here. */
    public static final int LINE_BYTES_MAX = 64 * 1024;

    /** A stream that nothing was read of at so many looks in a row is empty, although a child of the process holds it open. */
    private static final int LOOKS_MAX = 30;

    private static final Duration LOOK = Duration.ofMillis(100);

    private final InputStream from;
    private final OutputScreen.Lane to;
    private final OutputJournal tape;
    private final int incarnation;
    private final Consumer<String> complaint;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private Thread thread;

    /** Whether the thread waits for the stream. Written by it, read by who waits for its end. */
    private volatile boolean reading;

    /** Number of reads. Written by the thread, read by any that waits for its end. */
    private volatile long reads;

    /** Beginning of the process's marks. */
    private final byte[] markHead;

    /** Bytes that may be the beginning of a mark. */
    private byte[] begun = {};

    private OutputPump(InputStream from, OutputScreen.Lane to, OutputJournal tape, int incarnation, long secret, Consumer<String> complaint) {
        this.from = from;
        this.to = to;
        this.tape = tape;
        this.incarnation = incarnation;
        this.complaint = complaint;
        this.markHead = PrintMark.head(secret);
    }

    /**
     * @param tape lines of the stream that were shown before; null if none is kept
     * @param secret the value in the process's marks; there are none without a tape
     * @param complaint receives the reason if the stream could not be read to its end
     */
    static OutputPump start(
            String name, InputStream from, OutputScreen.Lane to, OutputJournal tape, int incarnation, long secret, Consumer<String> complaint) {
        OutputPump pump = new OutputPump(from, to, tape, incarnation, secret, complaint);
        to.drain(false);
        if (tape != null) {
            tape.begin(incarnation);
        }
        pump.thread = Thread.ofPlatform().daemon().name(name).start(pump::run);
        return pump;
    }

    /**
     * Waits, once the process has ended, until all its output was passed on. That is at the stream's end, or when the
     * stream is empty, as a child of the process may hold it open.
     */
    public void await() throws InterruptedException {
        to.drain(true);
        long before = -1;
        int looks = 0;
        while (looks < LOOKS_MAX && !thread.join(LOOK)) {
            looks = reading && reads == before ? looks + 1 : 0;
            before = reads;
        }
    }

    /** No process continues this stream: shows the output held back. @param well whether the rank ended as it should */
    public void finish(boolean well) {
        if (tape != null) {
            endLine();
            to.show(tape.finish(well));
        }
        to.end();
    }

    private void run() {
        byte[] buffer = new byte[8 * 1024];
        try (from) {
            for (int count = next(buffer); count >= 0; count = next(buffer)) {
                read(buffer, count);
                if (tape != null && from.available() == 0) {
                    begunLine();
                }
            }
        } catch (IOException e) {
            complaint.accept("can be read no further: " + Causes.text(e));
        }
        take(begun, 0, begun.length);
        endLine();
    }

    private int next(byte[] buffer) throws IOException {
        reading = true;
        int count = from.read(buffer);
        reading = false;
        reads++;
        return count;
    }

    /** Takes the marks out of it, of which the last may not be all there. */
    private void read(byte[] buffer, int count) {
        byte[] bytes = buffer;
        int end = count;
        if (begun.length > 0) {
            end = begun.length + count;
            bytes = Arrays.copyOf(begun, end);
            System.arraycopy(buffer, 0, bytes, begun.length, count);
            begun = new byte[0];
        }
        int first = 0;
        for (int at = 0; at < end; at++) {
            if (tape != null && bytes[at] == PrintMark.FIRST && PrintMark.mayBegin(bytes, at, end, markHead)) {
                take(bytes, first, at);
                if (end - at < PrintMark.BYTES) {
                    begun = Arrays.copyOfRange(bytes, at, end);
                    return;
                }
                mark(PrintMark.decode(bytes, at));
                first = at + PrintMark.BYTES;
                at = first - 1;
            }
        }
        take(bytes, first, end);
    }

    private synchronized void mark(PrintMark mark) {
        if (mark.goesOn()) {
            line.reset();
            line.writeBytes(tape.jump(incarnation, mark.number()));
        } else {
            tape.mark(incarnation, mark, line.toByteArray());
        }
    }

    private synchronized void take(byte[] buffer, int first, int count) {
        if (tape == null) {
            to.show(buffer, first, count - first);
            return;
        }
        int start = first;
        for (int at = first; at < count; at++) {
            if (buffer[at] == '\n' || line.size() + at - start >= LINE_BYTES_MAX) {
                line.write(buffer, start, at + 1 - start);
                to.show(tape.take(incarnation, line.toByteArray()));
                line.reset();
                start = at + 1;
            }
        }
        line.write(buffer, start, count - start);
    }

    /** A line that has no end yet may be a prompt. */
    private synchronized void begunLine() {
        if (line.size() > 0) {
            to.show(tape.begun(incarnation, line.toByteArray()));
        }
    }

    private synchronized void endLine() {
        if (tape != null) {
            tape.hold(incarnation, line.toByteArray());
            line.reset();
        }
    }
}
