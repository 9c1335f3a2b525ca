package org.posthouse.launch.process;

import java.security.SecureRandom;
import java.util.HexFormat;
import org.posthouse.launch.folder.JobInput;
import org.posthouse.launch.folder.OutputJournals;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.output.OutputPump;
import org.posthouse.launch.output.RankOutput;

/** One process of a rank, which may have several in succession, with the pumps of its output. */
final class RankProcess implements StoppedRanks.Watched {
    /** A program that copies another's output, or this one's, must not set its marks. */
    private static final SecureRandom SECRETS = new SecureRandom();

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
     * @param incarnation 1 + how often the rank was started before
     * @param tapes what the rank has printed before; null in a job whose ranks are started once
     * @param input the rank's input; null if it reads nothing
     */
    static RankProcess start(
            ProcessStarter starter, int rank, int incarnation, RelayEndpointAddress way, RankOutput output, OutputJournals tapes, JobInput input)
            throws JobFailure {
        long secret = SECRETS.nextLong();
        String marks = tapes == null ? null : HexFormat.of().toHexDigits(secret);
        StartedProcess process = starter.start(new ProcessRequest(rank, incarnation, way, marks, input != null));
        try {
            if (input != null) {
                input.feed(rank, process.input());
            }
            OutputPump out = output.pumpOut(rank, process.output(), tapes == null ? null : tapes.out(rank), incarnation, secret);
            OutputPump err = output.pumpErr(rank, process.error(), tapes == null ? null : tapes.err(rank), incarnation, secret);
            return new RankProcess(rank, incarnation, process, out, err);
        } catch (OutOfMemoryError e) { // One that no thread can read.
            process.killAll();
            throw new JobFailure("rank " + rank + " cannot be started: " + e.getMessage(), e);
        }
    }

    @Override
    public int rank() {
        return rank;
    }

    /** The number of this process among those of its rank. */
    int incarnation() {
        return incarnation;
    }

    /** Waits for the process. @return its exit status; 128 + n after signal n */
    int await() throws InterruptedException {
        return process.await();
    }

    /** Waits, once the process has ended, until all that it has printed was passed on. */
    void awaitOutput() throws InterruptedException {
        out.await();
        err.await();
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
