package org.posthouse.launch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

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
    private final PrintStream to;
    private final byte[] tag;
    private final OutputTape tape;
    private final int incarnation;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private Thread thread;

    /** Bytes that the process has printed. */
    private long printed;

    private OutputPump(InputStream from, PrintStream to, byte[] tag, OutputTape tape, int incarnation) {
        this.from = from;
        this.to = to;
        this.tag = tag;
        this.tape = tape;
        this.incarnation = incarnation;
    }

    /** @param tape what was shown of the stream before; null if none is kept */
    static OutputPump start(String name, InputStream from, PrintStream to, byte[] tag, OutputTape tape, int incarnation) {
        OutputPump pump = new OutputPump(from, to, tag, tape, incarnation);
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
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            ended(e);
        }
        endLine();
    }

    /** At the end of its prologue the process goes on elsewhere, perhaps; where that is may be told again only when the process has begun. */
    private void read(byte[] buffer, int count) throws InterruptedException {
        int first = 0;
        long prologue = tape != null && incarnation > 1 ? tape.marks().prologue() : OutputMarks.NONE;
        if (prologue >= printed && prologue < printed + count) {
            first = (int) (prologue - printed);
            take(buffer, 0, first);
            long target = tape.marks().target();
            if (target != OutputMarks.NONE) {
                jump(target);
            }
        }
        take(buffer, first, count);
        printed += count;
        if (tape != null) {
            tape.came(incarnation, printed);
        }
    }

    private synchronized void jump(long target) {
        line.reset();
        line.writeBytes(tape.jump(incarnation, target));
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
        if (tape != null && tape.isForNextLauncher() && line.size() > 0) {
            tape.begun(incarnation, line.toByteArray());
        }
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
        to.write(tagged, 0, tagged.length);
        to.flush();
    }
}
