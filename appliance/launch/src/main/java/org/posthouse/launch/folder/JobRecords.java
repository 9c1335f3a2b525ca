package org.posthouse.launch.folder;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.function.Consumer;
import org.posthouse.causes.Causes;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.supervise.JobThread;
import org.posthouse.launch.supervise.RankRecords;

/**
 * Records the progress of a job's ranks in the job's folder and in the journals of their output. A job without a folder
 * ends with this process, and a job without journals starts each rank once. Confined to the job's thread.
 */
public final class JobRecords implements RankRecords, AutoCloseable {
    private final JobThread thread = new JobThread();
    private final boolean logged;
    /** Null in a job that ends with this process. */
    private final JobFolder folder;

    /** Null in a job whose ranks are started once. */
    private final OutputJournals tapes;

    private final Consumer<JobSignal> signals;
    private final Consumer<String> printer;

    /** For each rank, the number of the last process that this launcher has started; 0 if none. */
    private final int[] incarnation;

    /** Finished ranks whose relays have not been informed of it yet. */
    private final SequencedSet<Integer> done = new LinkedHashSet<>();

    /**
     * @param ranks their count
     * @param logged whether the relays have what a rank needs that is started again, in a log or in memory
     * @param folder the job's folder; null if the job ends with this process
     * @param tapes what the ranks have printed, closed with this; null in a job whose ranks are started once
     * @param printer prints a line for people
     */
    public JobRecords(int ranks, boolean logged, JobFolder folder, OutputJournals tapes, Consumer<JobSignal> signals, Consumer<String> printer) {
        this.logged = logged;
        this.folder = folder;
        this.tapes = tapes;
        this.signals = signals;
        this.printer = printer;
        this.incarnation = new int[ranks];
    }

    /**
     * Records the start of a process before it.
     *
     * @throws JobFailure if that cannot be written: the process must not be started
     */
    public void starts(int rank, int number) throws JobFailure {
        assert thread.isCurrent();
        if (folder != null) {
            try {
                folder.starts(rank, number);
            } catch (IOException e) {
                throw new JobFailure("rank " + rank + " cannot be started: " + cannotWrite(e), e);
            }
        }
        incarnation[rank] = number;
    }

    /** An earlier launcher has recorded the start of this process. */
    public void continues(int rank, int number) {
        assert thread.isCurrent();
        incarnation[rank] = number;
    }

    /** Whether another launcher may need what is recorded. */
    public boolean areForOthers() {
        return folder != null;
    }

    private interface Note {
        void into(JobFolder folder) throws IOException;
    }

    /**
     * Writes for a later launcher.
     *
     * @param otherwise the consequence of a failure, for people
     * @return whether it was written
     */
    private boolean note(Note note, String otherwise) {
        if (folder != null) {
            try {
                note.into(folder);
            } catch (IOException e) {
                printer.accept(cannotWrite(e) + "; " + otherwise);
                return false;
            }
        }
        return true;
    }

    private String cannotWrite(IOException why) {
        return "the job's folder " + folder.path() + " cannot be written: " + Causes.text(why);
    }

    @Override
    public void done(int rank) {
        assert thread.isCurrent();
        if (note(written -> written.done(rank), "rank " + rank + " would be started again for nothing") && logged) {
            done.add(rank);
        }
    }

    /**
     * Makes the end of one finished rank durable, and signals that its relay may release what it holds for a restart of
     * the rank. May block for the disk.
     */
    public void keepDone() {
        assert thread.isCurrent();
        if (!done.isEmpty()) {
            int rank = done.removeFirst();
            if (folder != null && incarnation[rank] > 0) { // Nobody prints again what it has printed.
                tapes.out(rank).whenKept(incarnation[rank], 0, () -> {});
                tapes.err(rank).whenKept(incarnation[rank], 0, () -> {});
            }
            if (note(JobFolder::force, "the relay of rank " + rank + " keeps what it needs to bring it back")) {
                signals.accept(new JobSignal.Kept(rank, 0, 0, 0));
            }
        }
    }

    @Override
    public boolean checkpointed(int rank, int image, long outBytes, long errBytes) {
        assert thread.isCurrent();
        if (tapes != null && !tapes.mark(rank, image, outBytes, errBytes)) {
            return false;
        }
        note(written -> written.marked(rank, image, outBytes, errBytes), "what rank " + rank + " prints may be shown twice");
        return true;
    }

    @Override
    public void saves(int rank, int number, long outBytes, long errBytes) {
        assert thread.isCurrent();
        Runnable kept = () -> signals.accept(new JobSignal.Kept(rank, number, outBytes, errBytes));
        tapes.out(rank).whenKept(number, outBytes, () -> tapes.err(rank).whenKept(number, errBytes, kept));
    }

    @Override
    public void outputKept(JobSignal.OutputKept kept) {
        assert thread.isCurrent();
        if (folder.survivesHost()) {
            (kept.isErr() ? tapes.err(kept.rank()) : tapes.out(kept.rank())).keep();
            keepPlaces();
        }
    }

    @Override
    public void limited(int rank, String why) {
        assert thread.isCurrent();
        note(written -> written.limited(rank, why), "that rank " + rank + " cannot be started again is not said there");
    }

    @Override
    public void placed(JobSignal.Placed place) {
        assert thread.isCurrent();
        note(written -> written.placed(place), "what rank " + place.rank() + " prints may be shown twice");
    }

    @Override
    public void keepPlaces() {
        assert thread.isCurrent();
        if (folder != null && folder.survivesHost()) {
            note(JobFolder::force, "what ranks print may be shown twice if this host loses its power");
        }
    }

    /** Releases what the ranks printed. The folder stays open. */
    @Override
    public void close() {
        assert thread.isCurrent();
        if (tapes != null) {
            tapes.close();
        }
    }
}
