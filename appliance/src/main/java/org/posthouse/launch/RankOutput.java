package org.posthouse.launch;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Merges what the ranks print: every line whole, behind its rank's tag. Bytes pass unchanged, whatever their encoding.
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

    OutputPump pumpOut(int rank, InputStream from) {
        return pump(rank, from, out);
    }

    OutputPump pumpErr(int rank, InputStream from) {
        return pump(rank, from, err);
    }

    private OutputPump pump(int rank, InputStream from, PrintStream to) {
        String tag = String.format("[%" + digits + "d] ", rank);
        return OutputPump.start("posthouse-output-" + rank, from, to, tag.getBytes(StandardCharsets.US_ASCII));
    }
}
