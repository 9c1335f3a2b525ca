package org.posthouse.launch.process;

import java.util.HexFormat;
import java.util.function.Consumer;
import org.posthouse.launch.folder.JobInput;
import org.posthouse.launch.folder.OutputJournals;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.output.OutputPump;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.launch.output.StreamProgress;
import org.posthouse.wire.OutputPoint;

/** One process of a rank, which may have several in succession, with the pumps of its output. */
final class RankProcess implements StoppedRanks.Watched {
    private final int rank;
    private final int incarnation;
    private final StartedProcess process;
    private final OutputPump out;
    private final OutputPump err;

    private RankProcess(int rank, int incarnation, StartedProcess process, OutputPump out, OutputPump err) {
        this.rank = rank;
        this.incarnation = incarnation;
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /**
     * Starts the process; it connects to its relay when the program calls Init.
     *
     * @param tapes what the rank has printed before; null in a job whose ranks are started once
     * @param input the rank's input; null if it reads nothing
     * @param signals hears how far its output is kept; null if nobody asks
     */
    static RankProcess start(
            ProcessStarter starter, ProcessRequest request, RankOutput output, OutputJournals tapes, JobInput input, Consumer<JobSignal> signals)
            throws JobFailure {
        StartedProcess process = starter.start(request);
        try {
            return of(process, request, output, tapes, input, signals);
        } catch (OutOfMemoryError e) { // One that no thread can read.
            process.killAll();
            throw new JobFailure("rank " + request.rank() + " cannot be started: " + e.getMessage(), e);
        }
    }

    /** Connects a process that runs with the streams of its rank. */
    static RankProcess of(
            StartedProcess process, ProcessRequest request, RankOutput output, OutputJournals tapes, JobInput input, Consumer<JobSignal> signals) {
        int rank = request.rank();
        int incarnation = request.incarnation();
        boolean follows = request.follows();
        if (input != null) {
            input.feed(rank, process.input());
        }
        long secret = request.marks() == null ? 0 : HexFormat.fromHexDigitsToLong(request.marks());
        OutputPump out = output.pumpOut(
                rank, process.output(), tapes == null ? null : tapes.out(rank), incarnation, follows, secret, progress(process, request, false, signals));
        OutputPump err = output.pumpErr(
                rank, process.error(), tapes == null ? null : tapes.err(rank), incarnation, follows, secret, progress(process, request, true, signals));
        return new RankProcess(rank, incarnation, process, out, err);
    }

    private static StreamProgress progress(StartedProcess process, ProcessRequest request, boolean isErr, Consumer<JobSignal> signals) {
        return signals == null ? StreamProgress.NONE : new StreamProgress() {
            @Override
            public OutputPoint begins() {
                return process.begins(isErr);
            }

            @Override
            public void kept(OutputPoint upTo) {
                signals.accept(new JobSignal.OutputKept(request.rank(), request.incarnation(), isErr, upTo));
            }
        };
    }

    /** One of its streams is kept up to this point. */
    void kept(boolean isErr, OutputPoint upTo) {
        process.kept(isErr, upTo);
    }

    @Override
    public int rank() {
        return rank;
    }

    /** The number of this process among those of its rank. */
    int incarnation() {
        return incarnation;
    }

    /** As {@link StartedProcess#where}. */
    String node() {
        return process.node();
    }

    String where() {
        return process.where();
    }

    /** Waits for the process. @return its exit status; 128 + n after signal n */
    int await() throws InterruptedException {
        return process.await();
    }

    /** It has followed and leads from now on: what it prints is shown. */
    void lead() {
        out.lead();
        err.lead();
    }

    /** Waits, once a process that follows has ended, until all that it has printed was shown of its leader or of itself, or was dropped. */
    void awaitFollowedOutput() throws InterruptedException {
        out.awaitFollowed();
        err.awaitFollowed();
    }

    /** Waits, once the process has ended, until all that it has printed was passed on. What a follower still prints is dropped. */
    void awaitOutput() throws InterruptedException {
        out.await();
        err.await();
    }

    /** It follows, and is to end: what it prints is read and dropped, so that it waits for nobody. */
    void dropOutput() {
        out.drop();
        err.drop();
    }

    /** A line that it printed, and its leader did not, if it followed; else empty. Asked once, when its output was passed on. */
    String words() {
        String printed = out.words();
        String words = err.words();
        return words.isEmpty() ? printed : words;
    }

    boolean awaitExit(long timeoutMs) throws InterruptedException {
        return process.awaitExit(timeoutMs);
    }

    /** Ends what the process has started and left behind when it ended; another is to take its place. */
    void endStragglers() {
        process.endStragglers();
    }

    /** No other process takes its place: shows what was held back of its output. @param well whether it ended as it should */
    void finishOutput(boolean well) {
        out.finish(well);
        err.finish(well);
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public boolean strike() {
        boolean alive = process.isAlive();
        process.kill();
        return alive;
    }

    /** Ends the process, and what it may have started, at once. */
    void kill() {
        process.killAll();
    }
}
