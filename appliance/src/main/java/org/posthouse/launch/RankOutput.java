package org.posthouse.launch;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Merges what the ranks print: every line whole, behind its rank's tag. Bytes pass unchanged, whatever their encoding.
 * What the launcher itself has to tell of the job goes between them.
 */
public final class RankOutput {
    private final int digits;
    private final PrintStream out;
    private final PrintStream err;

    private RankOutput(int digits, PrintStream out, PrintStream err) {
        this.digits = digits;
        this.out = out;
        this.err = err;
    }

    /** Onto this process's own streams, with tags wide enough for {@code ranks} ranks. */
    public static RankOutput tagged(int ranks) {
        return tagged(ranks, System.out, System.err);
    }

    /** The same onto other streams; each line is one write. */
    public static RankOutput tagged(int ranks, PrintStream out, PrintStream err) {
        return new RankOutput(Integer.toString(ranks - 1).length(), out, err);
    }

    OutputPump pumpOut(int rank, InputStream from, OutputTape tape, int incarnation, long secret) {
        return pump(rank, from, out, tape, incarnation, secret);
    }

    OutputPump pumpErr(int rank, InputStream from, OutputTape tape, int incarnation, long secret) {
        return pump(rank, from, err, tape, incarnation, secret);
    }

    private OutputPump pump(int rank, InputStream from, PrintStream to, OutputTape tape, int incarnation, long secret) {
        byte[] tag = String.format("[%" + digits + "d] ", rank).getBytes(StandardCharsets.US_ASCII);
        return OutputPump.start("posthouse-output-" + rank, from, to, tag, tape, incarnation, secret);
    }

    /** Tells people what happens to the job, in one line on the error stream. */
    void tell(String what) {
        byte[] line = ("posthouse: " + what + "\n").getBytes(StandardCharsets.UTF_8);
        err.write(line, 0, line.length);
        err.flush();
    }
}
