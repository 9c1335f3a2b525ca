package org.posthouse.mpj;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * How much a rank has printed to one of its streams, over all its processes: a checkpoint says so, for the launcher, which
 * shows every byte once. What native code prints is not counted. Thread-safe.
 */
final class Printed extends FilterOutputStream {
    private static volatile Printed standardOutput;
    private static volatile Printed standardError;

    private long bytes;

    /** How much of that other processes have printed, less what this one had printed when it went on where they were. */
    private long others;

    private Printed(OutputStream to) {
        super(to);
    }

    /** Counts what goes to standard output, from here on. */
    static OutputStream countOut(OutputStream to) {
        standardOutput = new Printed(to);
        return standardOutput;
    }

    /** Counts what goes to standard error, from here on. */
    static OutputStream countErr(OutputStream to) {
        standardError = new Printed(to);
        return standardError;
    }

    /** Brings out what was printed, which may wait for the relay. */
    static void flushAll() {
        System.out.flush();
        System.err.flush();
    }

    /** Bytes that have gone to standard output. */
    static long out() {
        return count(standardOutput);
    }

    /** Bytes that have gone to standard error. */
    static long err() {
        return count(standardError);
    }

    /** Bytes of that which this process has printed to standard output. */
    static long processOut() {
        return own(standardOutput);
    }

    /** Bytes of that which this process has printed to standard error. */
    static long processErr() {
        return own(standardError);
    }

    private static long own(Printed stream) {
        return stream == null ? 0 : stream.own();
    }

    private static long count(Printed stream) {
        return stream == null ? 0 : stream.bytes();
    }

    /** This process goes on where another had printed so much. */
    static void goOn(long outBytes, long errBytes) {
        if (standardOutput != null) {
            standardOutput.set(outBytes);
            standardError.set(errBytes);
        }
    }

    private synchronized long bytes() {
        return bytes;
    }

    private synchronized long own() {
        return bytes - others;
    }

    private synchronized void set(long count) {
        others += count - bytes;
        bytes = count;
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
