package org.posthouse.mpj;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.posthouse.mpj.checkpoint.OutputOffset;

/**
 * The output gate for what a rank's program prints. In a logged job, bytes leave the process only when all earlier
 * observations of the program are in the log, because the output may follow from them. Receives count only in a job
 * that survives hosts: a message is in the log before it comes, but perhaps not on the disk. A program that has
 * observed nothing since its last line does not wait. Output of native code bypasses the gate.
 */
final class PrintGate extends OutputStream {
    /**
     * The endpoint whose observations are awaited; null for none. Written by the threads that connect and that end the
     * process, read by those that print.
     */
    private static volatile RelayEndpoint holder;

    /** Whether no output leaves any more. Written by the same threads, read by those that print. */
    private static volatile boolean shut;

    /** Threads that are in a gate. */
    private static final Set<Thread> INSIDE = ConcurrentHashMap.newKeySet();

    private final OutputStream out;

    PrintGate(OutputStream out) {
        this.out = out;
    }

    /** Installs an open gate in both output streams of this process. */
    static void install() {
        OutputOffset.markWith(System.getenv(Endpoints.PRINT_MARKS));
        OutputStream out = OutputOffset.countOut(new FileOutputStream(FileDescriptor.out));
        System.setOut(stream(new PrintGate(out), "stdout.encoding", "sun.stdout.encoding"));
        System.setErr(errors(new PrintGate(OutputOffset.countErr(new FileOutputStream(FileDescriptor.err)))));
    }

    private static PrintStream errors(OutputStream to) {
        return stream(to, "stderr.encoding", "sun.stderr.encoding");
    }

    /** A stream with the properties of the JDK's own. */
    private static PrintStream stream(OutputStream to, String property, String olderProperty) {
        String charset = System.getProperty(property, System.getProperty(olderProperty, Charset.defaultCharset().name()));
        return new PrintStream(new BufferedOutputStream(to), true, Charset.forName(charset));
    }

    /** Makes output wait for the log from here on. */
    static void hold(RelayEndpoint endpoint) {
        holder = endpoint;
        shut = false;
    }

    /** Ends the waiting: the process ends. */
    static void lift() {
        holder = null;
    }

    /**
     * Discards output that waits for the log, from here on. The process ends, and the next one, which may observe
     * something else, prints it again. Without a log all output leaves.
     */
    static void shut() {
        RelayEndpoint endpoint = holder;
        shut = endpoint != null && endpoint.isLogged();
        lift();
    }

    /** Prints this line ahead of all output that waits. */
    static void lastWords(String line) {
        errors(new FileOutputStream(FileDescriptor.err)).println(line);
    }

    /** Whether no other thread is in its gate with a stream's lock, where it may wait for a lock of the caller. */
    static boolean isFree() {
        Thread self = Thread.currentThread();
        return INSIDE.stream().allMatch(thread -> thread.equals(self));
    }

    @Override
    public void write(int single) throws IOException {
        write(new byte[] {(byte) single}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        INSIDE.add(Thread.currentThread());
        try {
            RelayEndpoint endpoint = holder; // Whoever lifts the gate checks afterwards who is inside.
            if (endpoint != null && length > 0) {
                endpoint.awaitTold();
            }
        } finally {
            INSIDE.remove(Thread.currentThread());
        }
        if (!shut) {
            out.write(bytes, offset, length);
        }
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
