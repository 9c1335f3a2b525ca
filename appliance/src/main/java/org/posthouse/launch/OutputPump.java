package org.posthouse.launch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.posthouse.wire.PrintMark;

/**
 * Copies one stream of one rank's process, line by line, on a thread of its own, until the stream ends. That is no virtual one: a pipe is no socket, a
 * read of it keeps the carrier, and when all carriers are kept for half a minute no other virtual thread runs (docs/adr/0049). Of a stream that
 * has a tape, what is on it already is not shown again, and a line that a dead process left half is held back until
 * nobody can print the whole of it any more.
 */
final class OutputPump {
    /** A line longer than this is passed on in pieces, so that a program that never ends a line needs no memory here. */
    static final int LINE_BYTES_MAX = 64 * 1024;

    private static final Duration LAST_BYTES = Duration.ofSeconds(3);

    private final InputStream from;
    private final Screen to;
    private final byte[] tag;
    private final OutputTape tape;
    private final int incarnation;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private Thread thread;

    /** What the process's marks begin with. */
    private final byte[] markHead;

    /** What may be the beginning of a mark. */
    private byte[] begun = {};

    private OutputPump(InputStream from, Screen to, byte[] tag, OutputTape tape, int incarnation, long secret) {
        this.from = from;
        this.to = to;
        this.tag = tag;
        this.tape = tape;
        this.incarnation = incarnation;
        this.markHead = PrintMark.head(secret);
    }

    /**
     * @param tape what was shown of the stream before; null if none is kept
     * @param secret what the process's marks carry; there are none without a tape
     */
    static OutputPump start(
            String name, InputStream from, Screen to, byte[] tag, OutputTape tape, int incarnation, long secret) {
        OutputPump pump = new OutputPump(from, to, tag, tape, incarnation, secret);
        if (tape != null) {
            tape.begin(incarnation);
        }
        pump.thread = Thread.ofPlatform().daemon().name(name).start(pump::run);
        return pump;
    }

    /** Waits until the last byte was passed on; not for ever, as the rank may have left the stream to a child. */
    void await() throws InterruptedException {
        thread.join(LAST_BYTES);
    }

    /** Nobody goes on with this stream: shows what was held back. @param well whether the rank ended as it should */
    void finish(boolean well) {
        if (tape != null) {
            endLine();
            byte[] last = tape.finish(well);
            if (last.length > 0) {
                show(last);
            }
        }
    }

    private void run() {
        byte[] buffer = new byte[8 * 1024];
        try (from) {
            for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
                read(buffer, count);
            }
        } catch (IOException e) {
            ended(e);
        }
        take(begun, 0, begun.length);
        endLine();
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

    private synchronized void ended(IOException why) {
        // A killed process takes its streams with it; what came before has been passed on.
        line.writeBytes(("(output ended: " + why.getMessage() + ")").getBytes(StandardCharsets.UTF_8));
    }

    private synchronized void take(byte[] buffer, int first, int count) {
        int start = first;
        for (int at = first; at < count; at++) {
            if (buffer[at] == '\n' || line.size() + at - start >= LINE_BYTES_MAX) {
                line.write(buffer, start, at + 1 - start);
                pass();
                start = at + 1;
            }
        }
        line.write(buffer, start, count - start);
    }

    private synchronized void endLine() {
        if (tape != null) {
            tape.hold(incarnation, line.toByteArray());
            line.reset();
        } else if (line.size() > 0) {
            pass();
        }
    }

    private void pass() {
        byte[] bytes = line.toByteArray();
        line.reset();
        if (tape == null || tape.take(incarnation, bytes)) {
            show(bytes);
        }
    }

    private void show(byte[] bytes) {
        boolean whole = bytes[bytes.length - 1] == '\n';
        byte[] tagged = Arrays.copyOf(tag, tag.length + bytes.length + (whole ? 0 : 1));
        System.arraycopy(bytes, 0, tagged, tag.length, bytes.length);
        tagged[tagged.length - 1] = '\n';
        to.show(tagged);
    }
}
