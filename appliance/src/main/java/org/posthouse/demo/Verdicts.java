package org.posthouse.demo;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.posthouse.faults.ResultCheck;

/** Passes a job's output on, indented, and notes whether it verified. Called by several threads, a whole line at a time. */
final class Verdicts extends OutputStream {
    private static final String INDENT = "  │ ";

    private final PrintStream to;
    private final ResultCheck resultCheck = new ResultCheck();

    Verdicts(PrintStream to) {
        this.to = to;
    }

    @Override
    public void write(int one) {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int count) {
        String line = new String(bytes, from, count, StandardCharsets.UTF_8);
        resultCheck.onLine(line);
        to.print(INDENT + line);
        to.flush();
    }

    /** The job said once that its result is right, and nothing else. */
    boolean verified() {
        return resultCheck.isSuccessful();
    }
}
