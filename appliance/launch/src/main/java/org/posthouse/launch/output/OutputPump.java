package org.posthouse.launch.output;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.function.Consumer;
import org.posthouse.causes.Causes;
import org.posthouse.wire.OutputPoint;
import org.posthouse.wire.PrintMark;

/**
 * Copies one stream of one rank's process to the screen, until the stream ends. If the stream has a tape, what is
 * already on the tape is not shown again.
 */
public final class OutputPump implements StreamReader.Sink {
    /** A tape compares a longer line in pieces of one byte more, so that a program that never ends a line needs no memory here. */
    public static final int LINE_BYTES_MAX = 64 * 1024;

    private final OutputScreen.Lane to;
    private final OutputJournal tape;
    private final int incarnation;
    private final Consumer<String> complaint;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final StreamProgress progress;
    private StreamReader reader;

    /** Whether {@link StreamProgress#begins} was asked. Confined to the reading thread, as the next two. */
    private boolean hasBegun;

    /** Bytes of the stream that were read. */
    private long readBytes;

    /** Of them, those up to which {@link StreamProgress#kept} was told. */
    private long keptBytes;

    /** Where in the stream the unfinished line begins, with the mark that it may go on behind. Guarded by this. */
    private long lineStart;

    /** Beginning of the process's marks. */
    private final byte[] markHead;

    /** Bytes that may be the beginning of a mark. */
    private byte[] begun = {};

    private OutputPump(
            OutputScreen.Lane to, OutputJournal tape, int incarnation, long secret, StreamProgress progress, Consumer<String> complaint) {
        this.to = to;
        this.tape = tape;
        this.incarnation = incarnation;
        this.progress = progress;
        this.complaint = complaint;
        this.markHead = PrintMark.head(secret);
    }

    /**
     * @param tape lines of the stream that were shown before; null if none is kept
     * @param follows whether the process follows its rank's leader: nothing of it is shown until {@link #lead}
     * @param secret the value in the process's marks; there are none without a tape
     * @param progress where the stream begins, and how far it is kept; unused without a tape
     * @param complaint receives the reason if the stream could not be read to its end
     */
    static OutputPump start(
            String name, InputStream from, OutputScreen.Lane to, OutputJournal tape, int incarnation, boolean follows, long secret,
            StreamProgress progress, Consumer<String> complaint) {
        OutputPump pump = new OutputPump(to, tape, incarnation, secret, progress, complaint);
        if (follows) {
            tape.follow(incarnation);
        } else {
            to.drain(false);
            if (tape != null) {
                tape.begin(incarnation);
            }
        }
        pump.reader = StreamReader.start(name, from, pump);
        return pump;
    }

    /** The process has followed, and leads from now on. Any thread may call it. */
    public void lead() {
        to.drain(false);
        tape.lead(incarnation);
    }

    /** The process follows, and will not lead: what it prints is read and dropped. Any thread may call it. */
    public void drop() {
        tape.drop(incarnation);
    }

    /** A line that may say why a process that followed has ended ({@link OutputJournal#wordsOf}). Called once, behind {@link #await}. */
    public String words() {
        return tape == null ? "" : tape.wordsOf(incarnation);
    }

    /**
     * Waits, once a process that follows has ended, until its leader has printed as much, or the process leads and all of it was passed on, or it was
     * dropped.
     */
    public void awaitFollowed() throws InterruptedException {
        reader.await();
    }

    /**
     * Waits, once the process has ended, until all its output was passed on ({@link StreamReader#await}). That of a process
     * that does not lead is dropped.
     */
    public void await() throws InterruptedException {
        if (tape == null || !tape.drop(incarnation)) {
            to.drain(true);
        }
        reader.await();
    }

    /** No process continues this stream: shows the output held back. @param well whether the rank ended as it should */
    public void finish(boolean well) {
        if (tape != null) {
            endLine();
            to.show(tape.finish(well));
        }
        to.end();
    }

    @Override
    public void onBytes(byte[] buffer, int count, boolean isLast) {
        begin();
        read(buffer, count);
        if (tape != null) {
            if (isLast) {
                begunLine();
            }
            tellKept(isLast);
        }
    }

    @Override
    public void onEnd(IOException fault) {
        if (fault != null) {
            complaint.accept("can be read no further: " + Causes.text(fault));
        }
        begin();
        take(begun, 0, begun.length, readBytes - begun.length);
        endLine();
    }

    private void begin() {
        if (tape != null && !hasBegun) {
            hasBegun = true;
            OutputPoint from = progress.begins();
            readBytes = from.position();
            keptBytes = from.position();
            lineStart(from.position());
            tape.continueAt(incarnation, from.place(), from.printed());
        }
    }

    private synchronized void lineStart(long position) {
        lineStart = position;
    }

    /** Tells how far the stream is kept, if that is news. */
    private void tellKept(boolean isLast) {
        long upTo;
        synchronized (this) {
            upTo = lineStart;
        }
        if (upTo > keptBytes && (isLast || upTo - keptBytes >= LINE_BYTES_MAX)) {
            keptBytes = upTo;
            progress.kept(tape.point(upTo));
        }
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
        readBytes += count;
        long position = readBytes - end;
        int first = 0;
        for (int at = 0; at < end; at++) {
            if (tape != null && bytes[at] == PrintMark.FIRST && PrintMark.mayBegin(bytes, at, end, markHead)) {
                take(bytes, first, at, position);
                if (end - at < PrintMark.BYTES) {
                    begun = Arrays.copyOfRange(bytes, at, end);
                    return;
                }
                mark(PrintMark.decode(bytes, at), position + at);
                first = at + PrintMark.BYTES;
                at = first - 1;
            }
        }
        take(bytes, first, end, position);
    }

    private synchronized void mark(PrintMark mark, long position) {
        if (mark.goesOn()) {
            line.reset();
            lineStart = position;
            line.writeBytes(tape.jump(incarnation, mark.number()));
        } else {
            tape.mark(incarnation, mark, line.toByteArray());
            if (line.size() == 0) {
                lineStart = position + PrintMark.BYTES;
            }
        }
    }

    /** @param position of the buffer's first byte in the stream */
    private synchronized void take(byte[] buffer, int first, int count, long position) {
        if (tape == null) {
            to.show(buffer, first, count - first);
            return;
        }
        int start = first;
        for (int at = first; at < count; at++) {
            if (buffer[at] == '\n' || line.size() + at - start >= LINE_BYTES_MAX) {
                line.write(buffer, start, at + 1 - start);
                byte[] whole = line.toByteArray();
                if (!tape.followed(incarnation, whole)) {
                    to.show(tape.take(incarnation, whole));
                }
                line.reset();
                start = at + 1;
                lineStart = position + start;
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
