package org.posthouse.launch.folder;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.RankNotes;
import org.posthouse.launch.output.OutputJournal;
import org.posthouse.launch.output.OutputJournalBytes;
import org.posthouse.launch.output.OutputMarks;

/** The output of a logged job's ranks, by rank and stream. Confined to the job's thread; the tapes are not. */
public final class OutputJournals implements AutoCloseable {
    private static final String OUT = "standard output";
    private static final String ERR = "standard error";

    private final OutputJournal[] out;
    private final OutputJournal[] err;

    private OutputJournals(int ranks) {
        out = new OutputJournal[ranks];
        err = new OutputJournal[ranks];
    }

    /**
     * Those of a job that ends with this process.
     *
     * @param compareErr whether what they print to standard error counts
     * @param signals hears of ranks that print something else than before, or whose output cannot be kept
     */
    public static OutputJournals of(int ranks, boolean compareErr, Consumer<JobSignal> signals) {
        OutputJournals tapes = new OutputJournals(ranks);
        for (int rank = 0; rank < ranks; rank++) {
            tapes.out[rank] = new OutputJournal(OUT, List.of(), watcher(rank, false, true, signals));
            tapes.err[rank] = new OutputJournal(ERR, lastWords(rank), watcher(rank, true, compareErr, signals));
        }
        return tapes;
    }

    /** Those of a job that has a folder, with what stands there. @throws IOException if that cannot be read */
    public static OutputJournals in(JobFolder folder, Consumer<JobSignal> signals) throws IOException {
        int ranks = folder.job().spec().ranks();
        OutputJournals tapes = new OutputJournals(ranks);
        for (int rank = 0; rank < ranks; rank++) {
            tapes.out[rank] =
                    OutputJournal.of(new OutputJournalBytes(folder.output(rank, "out"), folder.survivesHost()), OUT, List.of(),
                            watcher(rank, false, true, signals));
            tapes.err[rank] =
                    OutputJournal.of(new OutputJournalBytes(folder.output(rank, "err"), folder.survivesHost()), ERR, lastWords(rank),
                            watcher(rank, true, folder.job().spec().streams().compareErr(), signals));
            folder.notes().places(rank, false).forEach(tapes.out[rank].marks()::place);
            folder.notes().places(rank, true).forEach(tapes.err[rank].marks()::place);
            for (RankNotes.Mark mark : folder.notes().marks(rank)) {
                tapes.mark(rank, mark.image(), mark.outBytes(), mark.errBytes());
            }
        }
        return tapes;
    }

    /**
     * Beginnings of the lines that the library prints before it ends a process, see
     * {@code org.posthouse.mpj.ProcessExit}.
     */
    private static List<String> lastWords(int rank) {
        return Stream.of("the connection to the relay at ", "the relay at ", "Checkpoint.")
                .map(words -> "rank " + rank + ": " + words)
                .toList();
    }

    private static OutputJournal.Watcher watcher(int rank, boolean isErr, boolean isCompared, Consumer<JobSignal> signals) {
        return new OutputJournal.Watcher() {
            @Override
            public void differs(String what) {
                if (isCompared) {
                    signals.accept(new JobSignal.PrintsDiffer(rank, what));
                }
            }

            @Override
            public void lastWords(String line) {
                String tag = "rank " + rank + ": ";
                signals.accept(new JobSignal.LastWords(rank, line.startsWith(tag) ? line.substring(tag.length()) : line));
            }

            @Override
            public void lost(String what) {
                signals.accept(new JobSignal.OutputLost(rank, what));
            }

            @Override
            public void broken(IOException why) {
                signals.accept(new JobSignal.Unkept(rank, "what it printed could not be kept: " + why.getMessage()));
            }

            @Override
            public void placed(long mark, OutputMarks.Place place) {
                signals.accept(new JobSignal.Placed(rank, isErr, mark, place));
            }
        };
    }

    /** A rank has taken a checkpoint, or has come to the end of its prologue (image 0), and these are its marks in the streams. @return whether that is new */
    public boolean mark(int rank, int image, long outBytes, long errBytes) {
        boolean isNew = out[rank].marks().mark(image, outBytes);
        return err[rank].marks().mark(image, errBytes) || isNew;
    }

    /** The journal of the rank's standard output. */
    public OutputJournal out(int rank) {
        return out[rank];
    }

    /** The journal of the rank's standard error. */
    public OutputJournal err(int rank) {
        return err[rank];
    }

    @Override
    public void close() {
        for (int rank = 0; rank < out.length; rank++) {
            out[rank].close();
            err[rank].close();
        }
    }
}
