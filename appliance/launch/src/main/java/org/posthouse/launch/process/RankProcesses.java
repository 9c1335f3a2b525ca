package org.posthouse.launch.process;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.posthouse.causes.Causes;
import org.posthouse.launch.folder.JobFolder;
import org.posthouse.launch.folder.JobInput;
import org.posthouse.launch.folder.OutputJournals;
import org.posthouse.launch.install.ArgumentFile;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.launch.supervise.JobSupervisor;
import org.posthouse.launch.supervise.JobThread;

/**
 * The processes of a job's ranks: at most one of each rank at a time. Confined to the job's thread, except {@link
 * #kill()}, which any thread may call. After it no process is started.
 */
public final class RankProcesses implements JobSupervisor.Processes, AutoCloseable {
    private final JobThread thread = new JobThread();
    private final JobSpec spec;
    private final long job;
    private final IntFunction<RelayEndpointAddress> wayOf;
    private final RankOutput output;
    private final Consumer<JobSignal> signals;
    /** Null in a job that ends with this process. */
    private final JobFolder folder;

    /** Null in a job whose ranks are started once. */
    private final OutputJournals tapes;
    /** Null if no rank reads anything. */
    private final JobInput input;

    /** Null before the first process is started. */
    private ArgumentFile command;

    /** Guarded by itself; null for a rank that was never started. */
    private final RankProcess[] present;

    /** Guarded by {@link #present}. */
    private boolean killed;

    /** Ranks whose relays are not told yet that they are done. Confined to the job's thread. */
    private final SequencedSet<Integer> done = new LinkedHashSet<>();

    /**
     * @param wayOf how a rank comes to its home relay
     * @param tapes what the ranks have printed; null in a job whose ranks are started once
     * @param input what ranks read; null if none reads anything
     * @param folder what is told to whoever goes on with the job; null if it ends with this process
     * @param signals hears of every process's end
     */
    public RankProcesses(
            JobSpec spec,
            long job,
            IntFunction<RelayEndpointAddress> wayOf,
            RankOutput output,
            OutputJournals tapes,
            JobInput input,
            JobFolder folder,
            Consumer<JobSignal> signals) {
        this.spec = spec;
        this.job = job;
        this.wayOf = wayOf;
        this.output = output;
        this.signals = signals;
        this.tapes = tapes;
        this.input = input;
        this.folder = folder;
        this.present = new RankProcess[spec.ranks()];
    }

    @Override
    public boolean start(int rank, int incarnation) throws JobFailure {
        assert thread.isCurrent();
        RelayEndpointAddress way = wayOf.apply(rank);
        synchronized (present) {
            if (killed) {
                return false;
            }
            noteStart(rank, incarnation);
            RankProcess process = RankProcess.start(
                    spec, command(), job, way, rank, incarnation, output, tapes, input, folder == null ? null : folder.job().folder());
            present[rank] = process;
            Thread.ofVirtual().name("posthouse-rank-" + rank).start(() -> awaitExit(process));
            return true;
        }
    }

    private List<String> command() throws JobFailure {
        try {
            command = command == null ? RankProcess.shortCommand(spec) : command;
            return command.command();
        } catch (IOException e) {
            throw new JobFailure("the command that starts ranks is too long, and cannot be written to a file: " + Causes.text(e), e);
        }
    }

    @Override
    public long pid(int rank) {
        synchronized (present) {
            return present[rank].pid();
        }
    }

    private void noteStart(int rank, int incarnation) throws JobFailure {
        if (folder != null) {
            try {
                folder.starts(rank, incarnation);
            } catch (IOException e) {
                throw new JobFailure("rank " + rank + " cannot be started: " + cannotWrite(e), e);
            }
        }
    }

    private interface Note {
        void into(JobFolder folder) throws IOException;
    }

    /** For whoever goes on with the job. @param otherwise what it means if it cannot be written @return whether it could */
    private boolean note(Note note, String otherwise) {
        if (folder != null) {
            try {
                note.into(folder);
            } catch (IOException e) {
                output.tell(cannotWrite(e) + "; " + otherwise);
                return false;
            }
        }
        return true;
    }

    private String cannotWrite(IOException why) {
        return "the job's folder " + folder.path() + " cannot be written: " + Causes.text(why);
    }

    private void awaitExit(RankProcess process) {
        try {
            int status = process.await();
            long endedNs = System.nanoTime();
            if (tapes != null && status != 0) {
                process.endStragglers();
            }
            process.awaitOutput();
            signals.accept(new JobSignal.Exited(process.rank(), status, endedNs));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The present processes, perhaps some that have just ended. */
    public List<RankProcess> present() {
        return all().toList();
    }

    private Stream<RankProcess> all() {
        synchronized (present) {
            return Arrays.stream(present.clone()).filter(Objects::nonNull);
        }
    }

    @Override
    public void finishOutput(int rank, boolean well) {
        assert thread.isCurrent();
        RankProcess process;
        synchronized (present) {
            process = present[rank];
        }
        if (process != null) {
            process.finishOutput(well);
        }
        if (well && note(written -> written.done(rank), "rank " + rank + " would be started again for nothing") && spec.logged()) {
            done.add(rank);
        }
    }

    /** Of the ranks that are done, sees to it for one that its relay can be told, which forgets then how to bring it back: the folder says so, whatever becomes of this host. May block for the disk. */
    public void keepDone() {
        assert thread.isCurrent();
        if (!done.isEmpty()) {
            int rank = done.removeFirst();
            RankProcess process;
            synchronized (present) {
                process = present[rank];
            }
            if (folder != null && process != null) { // Nobody prints again what it has printed.
                tapes.out(rank).whenKept(process.incarnation(), 0, () -> {});
                tapes.err(rank).whenKept(process.incarnation(), 0, () -> {});
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
    public void saves(int rank, int incarnation, long outBytes, long errBytes) {
        assert thread.isCurrent();
        Runnable kept = () -> signals.accept(new JobSignal.Kept(rank, incarnation, outBytes, errBytes));
        tapes.out(rank).whenKept(incarnation, outBytes, () -> tapes.err(rank).whenKept(incarnation, errBytes, kept));
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

    /** Waits until every process has ended, or this time is over. */
    public void awaitExits(long timeoutMs) throws InterruptedException {
        assert thread.isCurrent();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        for (RankProcess process : all().toList()) {
            process.awaitExit(Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        }
    }

    /** Waits, once every process has ended, until all that they have printed was passed on. */
    public void awaitOutput() throws InterruptedException {
        assert thread.isCurrent();
        for (RankProcess process : present()) {
            process.awaitOutput();
        }
    }

    /** Kills the present processes of some ranks. */
    public void kill(IntPredicate whose) {
        all().filter(process -> whose.test(process.rank())).forEach(RankProcess::kill);
    }

    /** kill -9 of a rank's present process, as an accident. @return which incarnation it was; 0 if none runs */
    public int strike(int rank) {
        synchronized (present) {
            RankProcess process = present[rank];
            return process != null && process.strike() ? process.incarnation() : 0;
        }
    }

    /** Kills all, and lets none be started any more. */
    public void kill() {
        synchronized (present) {
            killed = true;
        }
        kill(rank -> true);
    }

    /** Nothing is left running: forgets what the ranks printed. */
    @Override
    public void close() {
        assert thread.isCurrent();
        if (tapes != null) {
            tapes.close();
        }
        if (input != null) {
            input.close();
        }
        try {
            if (command != null) {
                command.close();
            }
        } catch (IOException e) {
            output.tell("the file of a long command cannot be removed: " + Causes.text(e));
        }
    }
}
