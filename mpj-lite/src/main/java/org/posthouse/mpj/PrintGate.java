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

/**
 * Where the bytes go that a rank's program prints: in a job that is logged they leave the process only when all that the program
 * has observed until then is in the log, since what they say may follow from it; what it has received counts only in a job that is to survive hosts, as
 * it is in the log before it comes, but maybe not on the disk. A program that has observed nothing since its last line waits for nothing. What native code writes to the same descriptors goes past it.
 */
final class PrintGate extends OutputStream {
    /** Whose observations are waited for; null for nobody's. Written by the threads that connect and that end the process, read by those that print. */
    private static volatile RelayEndpoint holder;

    /** Whether nothing leaves any more. Written by the same threads, read by those that print. */
    private static volatile boolean shut;

    /** Threads that are in a gate. */
    private static final Set<Thread> INSIDE = ConcurrentHashMap.newKeySet();

    private final OutputStream out;

    PrintGate(OutputStream out) {
        this.out = out;
    }

    /** From here on what this process prints to its two streams goes through a gate, which is open. */
    static void install() {
        OutputOffset.markWith(System.getenv(Endpoints.PRINT_MARKS));
        OutputStream out = OutputOffset.countOut(new FileOutputStream(FileDescriptor.out));
        System.setOut(stream(new PrintGate(out), "stdout.encoding", "sun.stdout.encoding"));
        System.setErr(errors(new PrintGate(OutputOffset.countErr(new FileOutputStream(FileDescriptor.err)))));
    }

    private static PrintStream errors(OutputStream to) {
        return stream(to, "stderr.encoding", "sun.stderr.encoding");
    }

    /** As the JDK makes its own. */
    private static PrintStream stream(OutputStream to, String property, String olderProperty) {
        String charset = System.getProperty(property, System.getProperty(olderProperty, Charset.defaultCharset().name()));
        return new PrintStream(new BufferedOutputStream(to), true, Charset.forName(charset));
    }

    /** From here on what is printed waits for the log. */
    static void hold(RelayEndpoint endpoint) {
        holder = endpoint;
        shut = false;
    }

    /** From here on it does not: the process ends. */
    static void lift() {
        holder = null;
    }

    /**
     * From here on what waits for the log never leaves: the process ends, and the next one, which may observe something else, prints it again.
     * Without a log all of it leaves.
     */
    static void shut() {
        RelayEndpoint endpoint = holder;
        shut = endpoint != null && endpoint.isLogged();
        lift();
    }

    /** Passes this line by all that is printed or waits. */
    static void lastWords(String line) {
        errors(new FileOutputStream(FileDescriptor.err)).println(line);
    }

    /** Whether no other thread has the lock of a stream and is in its gate, where it may wait for what the caller has. */
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
            RelayEndpoint endpoint = holder; // Whoever lifts the gate looks behind that who is inside.
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
