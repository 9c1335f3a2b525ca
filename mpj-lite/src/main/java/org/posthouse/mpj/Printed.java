package org.posthouse.mpj;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;

/**
 * How much a rank has printed to its two streams, over all its processes: a checkpoint says so, for the launcher, which
 * shows every byte once. What native code prints is not counted. Thread-safe.
 */
final class Printed extends FilterOutputStream {
    private static final int BUFFER_BYTES = 8192;

    private static volatile Printed standardOutput;
    private static volatile Printed standardError;

    private long bytes;

    private Printed(FileDescriptor to) {
        super(new FileOutputStream(to));
    }

    /** From here on this process's streams are counted. */
    static void count() {
        standardOutput = new Printed(FileDescriptor.out);
        standardError = new Printed(FileDescriptor.err);
        System.setOut(stream(standardOutput, "stdout.encoding"));
        System.setErr(stream(standardError, "stderr.encoding"));
    }

    /** As the JVM makes them. */
    private static PrintStream stream(OutputStream to, String encoding) {
        String name = System.getProperty(encoding, System.getProperty("sun." + encoding, Charset.defaultCharset().name()));
        return new PrintStream(new BufferedOutputStream(to, BUFFER_BYTES), true, Charset.forName(name));
    }

    /** Bytes to standard output. */
    static long out() {
        System.out.flush();
        return count(standardOutput);
    }

    /** Bytes to standard error. */
    static long err() {
        System.err.flush();
        return count(standardError);
    }

    private static long count(Printed stream) {
        return stream == null ? 0 : stream.bytes();
    }

    /** This process goes on where another had printed so much. */
    static void goOn(long outBytes, long errBytes) {
        System.out.flush();
        System.err.flush();
        if (standardOutput != null) {
            standardOutput.set(outBytes);
            standardError.set(errBytes);
        }
    }

    private synchronized long bytes() {
        return bytes;
    }

    private synchronized void set(long count) {
        bytes = count;
    }

    @Override
    public synchronized void write(int b) throws IOException {
        out.write(b);
        bytes++;
    }

    @Override
    public synchronized void write(byte[] from, int offset, int length) throws IOException {
        out.write(from, offset, length);
        bytes += length;
    }
}
