package org.posthouse.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * {@code posthouse ARGUMENTS} in this process, for commands that print in the thread that executes them: what a process of their own would show more is
 * that it starts. Tests beside it print where they did.
 */
public final class InProcess {
    private static final ThreadLocal<ByteArrayOutputStream> OUT = new ThreadLocal<>();
    private static final ThreadLocal<ByteArrayOutputStream> ERR = new ThreadLocal<>();

    static {
        System.setOut(byThread(OUT, System.out));
        System.setErr(byThread(ERR, System.err));
    }

    private InProcess() {}

    /** What it printed and its exit status. */
    public record Result(int status, String out, String err) {}

    public static Result run(String... arguments) {
        OUT.set(new ByteArrayOutputStream());
        ERR.set(new ByteArrayOutputStream());
        try {
            int status = Posthouse.commandLine(arguments).execute(arguments);
            return new Result(status, OUT.get().toString(StandardCharsets.UTF_8), ERR.get().toString(StandardCharsets.UTF_8));
        } finally {
            OUT.remove();
            ERR.remove();
        }
    }

    private static PrintStream byThread(ThreadLocal<ByteArrayOutputStream> own, PrintStream others) {
        OutputStream either = new OutputStream() {
            @Override
            public void write(int octet) throws IOException {
                write(new byte[] {(byte) octet}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                OutputStream to = own.get() == null ? others : own.get();
                to.write(bytes, from, length);
                to.flush();
            }
        };
        return new PrintStream(either, true, StandardCharsets.UTF_8);
    }
}
