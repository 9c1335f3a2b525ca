package org.posthouse.launch;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Merges what the ranks print: every line whole, behind its rank's tag. Bytes pass unchanged, whatever their encoding.
 */
public final class RankOutput {
    private final int digits;
    private final boolean tagged;

    /** Tags wide enough for {@code ranks} ranks. */
    public static RankOutput tagged(int ranks) {
        return new RankOutput(Integer.toString(ranks - 1).length(), true);
    }

    /** No tags: for jobs whose output another part of this program reads. */
    public static RankOutput plain() {
        return new RankOutput(0, false);
    }

    private RankOutput(int digits, boolean tagged) {
        this.digits = digits;
        this.tagged = tagged;
    }

    OutputPump pump(int rank, InputStream from, PrintStream to) {
        String tag = tagged ? String.format("[%" + digits + "d] ", rank) : "";
        return OutputPump.start("posthouse-output-" + rank, from, to, tag.getBytes(StandardCharsets.US_ASCII));
    }
}
