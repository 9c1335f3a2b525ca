package org.posthouse.launch.output;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.stream.IntStream;

/**
 * Merges the output of the ranks: every line whole, behind its rank's tag. Bytes pass unchanged, whatever their
 * encoding ({@link LineMerge}), and none is lost, however slowly they are read. The launcher's own messages go between
 * them. For one job, whose {@code JobRun.run} closes it.
 */
public final class RankOutput {
    private final OutputScreen out;
    private final OutputScreen err;
    private final OutputScreen.Lane[] outLanes;
    private final OutputScreen.Lane[] errLanes;

    private RankOutput(int ranks, boolean tagged, boolean wholeLines, OutputStream out, OutputStream err) {
        this.out = new OutputScreen(
                out, tagged, wholeLines, System::nanoTime,
                why -> tell("standard output takes nothing: " + why + "; what ranks print there is not shown, and the job goes on"));
        this.err = new OutputScreen(err, tagged, wholeLines, System::nanoTime, why -> {});
        this.outLanes = lanes(ranks, this.out);
        this.errLanes = lanes(ranks, this.err);
    }

    private static OutputScreen.Lane[] lanes(int ranks, OutputScreen outputScreen) {
        int digits = Integer.toString(ranks - 1).length();
        return IntStream.range(0, ranks).mapToObj(rank -> outputScreen.lane(String.format("[%" + digits + "d] ", rank))).toArray(OutputScreen.Lane[]::new);
    }

    /** Onto this process's own streams, with tags wide enough for {@code ranks} ranks. */
    public static RankOutput tagged(int ranks) {
        return ownStreams(ranks, true, false);
    }

    /**
     * The same.
     *
     * @param tagged whether lines have tags; if not, nothing is added to what ranks print
     * @param wholeLines whether a line is shown when it has its end, and not before
     */
    public static RankOutput ownStreams(int ranks, boolean tagged, boolean wholeLines) {
        return new RankOutput(ranks, tagged, wholeLines, new FileOutputStream(FileDescriptor.out), new FileOutputStream(FileDescriptor.err));
    }

    /** Onto other streams, each line in one write, with its end; one of more than a MiB in several. */
    public static RankOutput tagged(int ranks, PrintStream out, PrintStream err) {
        return new RankOutput(ranks, true, true, out, err);
    }

    /** Copies what is shown of each stream to a file of the folder. Call before any process is started. */
    public void copyTo(OutputCopies copies) {
        for (int rank = 0; rank < outLanes.length; rank++) {
            outLanes[rank].copyTo(copies.of(rank, "out", this::tell));
            errLanes[rank].copyTo(copies.of(rank, "err", this::tell));
        }
    }

    /** Keeps the newest lines of each stream for the relays' consoles. Call before any process is started. */
    public void tailTo(OutputTail tail) {
        for (int rank = 0; rank < outLanes.length; rank++) {
            outLanes[rank].tailTo(tail.of(rank, false));
            errLanes[rank].tailTo(tail.of(rank, true));
        }
    }

    /** Starts the pump of a rank's standard output. @param follows whether nothing is shown until {@link OutputPump#lead} */
    public OutputPump pumpOut(int rank, InputStream from, OutputJournal tape, int incarnation, boolean follows, long secret, StreamProgress progress) {
        return pump(rank, from, outLanes[rank], tape, incarnation, follows, secret, progress, "standard output");
    }

    /** Starts the pump of a rank's standard error. */
    public OutputPump pumpErr(int rank, InputStream from, OutputJournal tape, int incarnation, boolean follows, long secret, StreamProgress progress) {
        return pump(rank, from, errLanes[rank], tape, incarnation, follows, secret, progress, "standard error");
    }

    private OutputPump pump(
            int rank, InputStream from, OutputScreen.Lane to, OutputJournal tape, int incarnation, boolean follows, long secret, StreamProgress progress,
            String stream) {
        return OutputPump.start("posthouse-output-" + rank, from, to, tape, incarnation, follows, secret, progress,
                why -> tell("the " + stream + " of rank " + rank + " " + why));
    }

    /** Tells people what happens to the job, in one line on the error stream. */
    public void tell(String what) {
        err.tell("posthouse: " + what);
    }

    /** From here on {@link #close} does not wait for a reader that takes nothing. */
    public void hurry() {
        out.hurry();
        err.hurry();
    }

    /** Bytes that its readers have taken so far. */
    public long taken() {
        return out.written() + err.written();
    }

    /**
     * Returns when all output of the ranks was written, however slow its readers.
     *
     * @param stallMs in a hurry, the time for which they may take nothing
     */
    public void close(long stallMs) throws InterruptedException {
        long left = out.close(stallMs);
        if (left > 0) {
            tell(left + " bytes that ranks have printed were not taken from standard output in " + stallMs + " ms");
        }
        err.close(stallMs);
    }
}
