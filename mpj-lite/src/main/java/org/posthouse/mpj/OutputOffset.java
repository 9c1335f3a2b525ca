package org.posthouse.mpj;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HexFormat;
import org.posthouse.wire.PrintMark;

/**
 * How much a rank has printed to one of its streams, over all its processes, and the marks in it where processes may go on: a checkpoint says which is its own, for the launcher, which
 * shows every byte once. What native code prints, or a child, is not counted; a mark stands where it stands all the same. Thread-safe.
 */
final class OutputOffset extends FilterOutputStream {
    private static final PrintMark NONE = new PrintMark(false, 0, 0);

    // Null if nothing is counted. Set before there is another thread.
    private static OutputOffset standardOutput;
    private static OutputOffset standardError;

    /** What marks carry; null if there is nobody to read them. Set before any is. */
    private static Long secret;

    private long bytes;

    /** How much of that other processes have printed, less what this one had printed when it went on where they were. */
    private long others;

    private PrintMark last = NONE;

    private OutputOffset(OutputStream to) {
        super(to);
    }

    /** Counts what goes to standard output, from here on. */
    static OutputStream countOut(OutputStream to) {
        standardOutput = new OutputOffset(to);
        return standardOutput;
    }

    /** Counts what goes to standard error, from here on. */
    static OutputStream countErr(OutputStream to) {
        standardError = new OutputOffset(to);
        return standardError;
    }

    /** Brings out what was printed, which may wait for the relay. */
    static void flushAll() {
        System.out.flush();
        System.err.flush();
    }

    /** The secret of marks, in hexadecimal digits; null if the process has no launcher that reads them. */
    static void markWith(String hexSecret) {
        secret = hexSecret == null ? null : HexFormat.fromHexDigitsToLong(hexSecret);
    }

    /** Marks in both streams, behind all that was printed, where this process is. Which may wait for the relay, and for who reads. */
    static void markAll() {
        flushAll();
        if (standardOutput != null) {
            standardOutput.mark();
            standardError.mark();
        }
    }

    /** Says in both streams that this process goes on where another was, see {@link #goOn}. */
    static void sayGoesOn() {
        if (standardOutput != null) {
            standardOutput.goesOn();
            standardError.goesOn();
        }
    }

    /** Bytes that had gone to standard output with its last mark. */
    static long out() {
        return last(standardOutput).number();
    }

    /** Bytes that had gone to standard error with its last mark. */
    static long err() {
        return last(standardError).number();
    }

    /** Bytes of that which this process has printed to standard output. */
    static long processOut() {
        return last(standardOutput).process();
    }

    /** Bytes of that which this process has printed to standard error. */
    static long processErr() {
        return last(standardError).process();
    }

    private static PrintMark last(OutputOffset stream) {
        return stream == null ? NONE : stream.last();
    }

    /** This process goes on where another had printed so much. */
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

    /** In one piece, which a pipe does not divide. @return false if nobody reads marks, or the program has closed the stream, which holds no image up */
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
