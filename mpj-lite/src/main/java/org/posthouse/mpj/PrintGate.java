package org.posthouse.mpj;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;

/**
 * Where the bytes go that a rank's program prints: in a job that is logged they leave the process only when all that the program
 * has observed until then is in the log, since what they say may follow from it; what it has received counts only in a job that is to survive hosts, as
 * it is in the log before it comes, but maybe not on the disk. A program that has observed nothing since its last line waits for nothing. What native code writes to the same descriptors goes past it.
 */
final class PrintGate extends OutputStream {
    /** Whose observations are waited for; null for nobody's. Written by the threads that connect and that end the process. */
    private static volatile RelayEndpoint holder;

    private final OutputStream out;

    PrintGate(OutputStream out) {
        this.out = out;
    }

    /** From here on what this process prints to its two streams goes through a gate, which is open. */
    static void install() {
        System.setOut(stream(Printed.countOut(new FileOutputStream(FileDescriptor.out)), "stdout.encoding", "sun.stdout.encoding"));
        System.setErr(stream(Printed.countErr(new FileOutputStream(FileDescriptor.err)), "stderr.encoding", "sun.stderr.encoding"));
    }

    /** As the JDK makes its own. */
    private static PrintStream stream(OutputStream to, String property, String olderProperty) {
        String charset = System.getProperty(property, System.getProperty(olderProperty, Charset.defaultCharset().name()));
        OutputStream gate = new BufferedOutputStream(new PrintGate(to));
        return new PrintStream(gate, true, Charset.forName(charset));
    }

    /** From here on what is printed waits for the log. */
    static void hold(RelayEndpoint endpoint) {
        holder = endpoint;
    }

    /** From here on it does not: the process ends. */
    static void lift() {
        holder = null;
    }

    @Override
    public void write(int single) throws IOException {
        write(new byte[] {(byte) single}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        RelayEndpoint endpoint = holder;
        if (endpoint != null && length > 0) {
            endpoint.awaitTold();
        }
        out.write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
