package org.posthouse.launch;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Merges what the ranks print: every line whole, behind its rank's tag. Bytes pass unchanged, whatever their encoding.
 * What the launcher itself has to tell of the job goes between them.
 */
public final class RankOutput {
    private final int digits;
    private final Screen out;
    private final Screen err;

    private RankOutput(int ranks, OutputStream out, OutputStream err) {
        this.digits = Integer.toString(ranks - 1).length();
        this.out = new Screen(out, System::nanoTime,
                why -> tell("standard output takes nothing: " + why + "; what ranks print there is not shown, and the job goes on"));
        this.err = new Screen(err, System::nanoTime, why -> {});
    }

    /** Onto this process's own streams, with tags wide enough for {@code ranks} ranks. */
    public static RankOutput tagged(int ranks) {
        return new RankOutput(ranks, new FileOutputStream(FileDescriptor.out), new FileOutputStream(FileDescriptor.err));
    }

    /** The same onto other streams; each line is one write. */
    public static RankOutput tagged(int ranks, PrintStream out, PrintStream err) {
        return new RankOutput(ranks, out, err);
    }

    OutputPump pumpOut(int rank, InputStream from, OutputTape tape, int incarnation, long secret) {
        return pump(rank, from, out, tape, incarnation, secret);
    }

    OutputPump pumpErr(int rank, InputStream from, OutputTape tape, int incarnation, long secret) {
        return pump(rank, from, err, tape, incarnation, secret);
    }

    private OutputPump pump(int rank, InputStream from, Screen to, OutputTape tape, int incarnation, long secret) {
        byte[] tag = String.format("[%" + digits + "d] ", rank).getBytes(StandardCharsets.US_ASCII);
        return OutputPump.start("posthouse-output-" + rank, from, to, tag, tape, incarnation, secret);
    }

    /** Tells people what happens to the job, in one line on the error stream. */
    void tell(String what) {
        err.show(("posthouse: " + what + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
