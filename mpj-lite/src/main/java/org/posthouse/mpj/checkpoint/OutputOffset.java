package org.posthouse.mpj.checkpoint;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HexFormat;
import org.posthouse.wire.PrintMark;

/**
 * Counts the bytes that a rank has printed to one of its streams, over all its processes, and sets marks where
 * processes may continue. A checkpoint names its mark, so that the launcher shows every byte once. Output of native
 * code or of a child is not counted; a mark holds its place anyhow. Thread-safe.
 */
public final class OutputOffset extends FilterOutputStream {
    private static final PrintMark NONE = new PrintMark(false, 0, 0);

    // Null if nothing is counted. Set before there is another thread.
    private static OutputOffset standardOutput;
    private static OutputOffset standardError;

    /** Secret of the marks; null if nobody reads them. Set before any mark is written. */
    private static Long secret;

    private long bytes;

    /** Bytes that other processes have printed, less those that this one had printed when it continued after them. */
    private long others;

    private PrintMark last = NONE;

    private OutputOffset(OutputStream to) {
        super(to);
    }

    /** Counts output to standard output from here on. */
    public static OutputStream countOut(OutputStream to) {
        standardOutput = new OutputOffset(to);
        return standardOutput;
    }

    /** Counts output to standard error from here on. */
    public static OutputStream countErr(OutputStream to) {
        standardError = new OutputOffset(to);
        return standardError;
    }

    /** Flushes the printed output, which may wait for the relay. */
    public static void flushAll() {
        System.out.flush();
        System.err.flush();
    }

    /** The secret of marks, in hexadecimal digits; null if the process has no launcher that reads them. */
    public static void markWith(String hexSecret) {
        secret = hexSecret == null ? null : HexFormat.fromHexDigitsToLong(hexSecret);
    }

    /**
     * Sets a mark in both streams behind all printed output, for the process's present position. This may wait for the
     * relay, and for the reader.
     */
    static void markAll() {
        flushAll();
        if (standardOutput != null) {
            standardOutput.mark();
            standardError.mark();
        }
    }

    /** Announces in both streams that this process continues where another was, see {@link #goOn}. */
    static void sayGoesOn() {
        if (standardOutput != null) {
            standardOutput.goesOn();
            standardError.goesOn();
        }
    }

    /** Bytes that had been written to standard output by its last mark. */
    static long out() {
        return last(standardOutput).number();
    }

    /** Bytes that had been written to standard error by its last mark. */
    static long err() {
        return last(standardError).number();
    }

    /** The part of those that this process has printed to standard output. */
    static long processOut() {
        return last(standardOutput).process();
    }

    /** The part of those that this process has printed to standard error. */
    static long processErr() {
        return last(standardError).process();
    }

    private static PrintMark last(OutputOffset stream) {
        return stream == null ? NONE : stream.last();
    }

    /** Sets the counts of the process that this one continues. */
    static void goOn(long outBytes, long errBytes) {
        if (standardOutput != null) {
            standardOutput.set(outBytes);
            standardError.set(errBytes);
        }
    }

    private synchronized PrintMark last() {
        return last;
    }

    private synchronized void mark() {
        if (write(new PrintMark(false, bytes + PrintMark.BYTES, bytes - others + PrintMark.BYTES))) {
            bytes += PrintMark.BYTES;
            last = new PrintMark(false, bytes, bytes - others);
        }
    }

    private synchronized void goesOn() {
        if (write(new PrintMark(true, bytes, bytes - others + PrintMark.BYTES))) {
            others -= PrintMark.BYTES;
        }
    }

    /**
     * Writes a mark in one piece, which a pipe does not divide.
     *
     * @return false if nobody reads marks, or the program has closed the stream; a closed stream blocks no image
     */
    private boolean write(PrintMark mark) {
        try {
            if (secret != null) {
                out.write(mark.encode(secret));
            }
            return secret != null;
        } catch (IOException e) {
            return false;
        }
    }

    private synchronized void set(long count) {
        others += count - bytes;
        bytes = count;
        last = new PrintMark(false, count, last.process());
    }

    @Override
    public synchronized void write(int single) throws IOException {
        out.write(single);
        bytes++;
    }

    @Override
    public synchronized void write(byte[] from, int offset, int length) throws IOException {
        out.write(from, offset, length);
        bytes += length;
    }
}
