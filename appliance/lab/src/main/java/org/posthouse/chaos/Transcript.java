package org.posthouse.chaos;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import org.posthouse.faults.ResultCheck;

/** Output of one job, kept in case it fails. Written by several threads, a whole line at a time; guarded by itself. */
final class Transcript {
    /** The last lines are kept: of 200 bytes each, which is long for one, they take 200 kB. */
    private static final int LINES_MAX = 1_000;

    private final ResultCheck resultCheck = new ResultCheck();
    private final Deque<String> lines = new ArrayDeque<>();
    private long outLines;

    /** Where the job's output goes. */
    PrintStream out() {
        return stream(true);
    }

    /** Receives the job's errors and the launcher's messages. */
    PrintStream err() {
        return stream(false);
    }

    private PrintStream stream(boolean isOutput) {
        return new PrintStream(
                new OutputStream() {
                    @Override
                    public void write(int one) {
                        write(new byte[] {(byte) one}, 0, 1);
                    }

                    @Override
                    public void write(byte[] bytes, int from, int count) {
                        onLine(new String(bytes, from, count, StandardCharsets.UTF_8), isOutput);
                    }
                },
                true,
                StandardCharsets.UTF_8);
    }

    /** Takes a line with its end. @param isOutput whether it is the job's output, or an error */
    synchronized void onLine(String line, boolean isOutput) {
        if (isOutput) {
            outLines++;
            resultCheck.onLine(line);
        }
        lines.add(line);
        if (lines.size() > LINES_MAX) {
            lines.remove();
        }
    }

    ResultCheck verification() {
        return resultCheck;
    }

    /** Number of lines that the job has printed, errors apart. */
    synchronized long outLines() {
        return outLines;
    }

    synchronized void print(PrintStream to) {
        lines.forEach(line -> to.print("  │ " + line));
    }
}
