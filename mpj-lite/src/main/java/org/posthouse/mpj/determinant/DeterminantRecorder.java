package org.posthouse.mpj.determinant;

import java.io.IOException;
import java.util.function.LongSupplier;
import org.posthouse.mpj.channel.Platform;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.progress.ProgressEngine;
import org.posthouse.mpj.progress.RelayConnection;
import org.posthouse.wire.FrameType;

/**
 * Records and reports the non-deterministic outcomes of a rank's calls, and replays them after a restart. When none is
 * left, the relay is told at once. Guarded by the endpoint's lock.
 */
public final class DeterminantRecorder {
    private final RelayConnection line;
    private final ProgressEngine progressEngine;
    private final DeterminantLog determinantLog;
    private final DeterminantWriter determinantWriter;
    private final long job;
    private final RecordedClock clock;
    private final LongSupplier deliveries;
    private boolean survivesHost;
    private boolean over;

    /** The observation count at the last time that the relay was known to have all. */
    private long toldBefore;

    /** @param deliveries number of messages given to the rank, over all its processes */
    public DeterminantRecorder(Platform machine, RelayConnection line, ProgressEngine progressEngine,
            DeterminantLog determinantLog, DeterminantWriter determinantWriter, long job, LongSupplier deliveries) {
        this.line = line;
        this.progressEngine = progressEngine;
        this.determinantLog = determinantLog;
        this.determinantWriter = determinantWriter;
        this.job = job;
        this.deliveries = deliveries;
        clock = new RecordedClock(machine::nanoTime);
    }

    /** Sets that the job survives hosts: an arrived delivery is then not yet safe. */
    public void surviveHost() {
        survivesHost = true;
    }

    /** Whether the job survives hosts. */
    public boolean survivesHost() {
        return survivesHost;
    }

    /** Marks FINALIZE as sent: later observations are not reported. */
    public void end() {
        over = true;
    }

    /** Whether FINALIZE was sent. */
    public boolean isOver() {
        return over;
    }

    // ---- after a restart

    /** Whether the next observation was made by an earlier process. Blocks until that is known. */
    public boolean replays() throws IOException {
        while (determinantLog.isUndecided()) {
            progressEngine.await();
        }
        return determinantLog.isReplaying();
    }

    /** As {@link DeterminantLog#failsAgain}. */
    public boolean failsAgain() {
        return determinantLog.failsAgain();
    }

    /** As {@link DeterminantLog#next}. If it was the last event, the relay is told before any wait. */
    public long again(int kind, String call) throws IOException {
        long value = determinantLog.next(kind, call);
        sayLive();
        return value;
    }

    /** Whether the next event of a replay is of this kind, here. Call it when {@link #replays} is true. */
    public boolean isNext(int kind) {
        return determinantLog.isNext(kind);
    }

    /** As {@link DeterminantLog#foundAgain}. */
    public Envelope foundAgain() throws IOException {
        Envelope envelope = determinantLog.foundAgain();
        sayLive();
        return envelope;
    }

    /** Sends LIVE, if the replay is over and the relay was not told. */
    public void sayLive() throws IOException {
        if (determinantLog.isLiveDue() && line.isOpen()) {
            determinantWriter.tell();
            line.flush();
        }
    }

    /** The error of a program that asks for something else than before. */
    public DivergedException diverged(String call) {
        return determinantLog.diverged(call);
    }

    /** Sets the clock to continue from an image. */
    public void goOn(boolean asked, long time) {
        if (asked) {
            clock.goOn(time);
        }
    }

    /** Whether the program has ever asked for the time. */
    public boolean hasTime() {
        return clock.isAsked();
    }

    /** The time that it was given last. */
    public long time() {
        return clock.time();
    }

    // ---- live

    /** Records the answer to a probe, and returns it. */
    public Envelope found(Envelope envelope) throws IOException {
        if (!over) {
            makeRoom();
            determinantLog.found(envelope);
        }
        return envelope;
    }

    /** Records an outcome of this kind, and returns it. */
    public long record(int kind, long value) throws IOException {
        if (!over) {
            makeRoom();
            determinantLog.record(kind, value);
        }
        return value;
    }

    /** Records that a cancel was in time. */
    public void taken(Operation operation) throws IOException {
        if (!over) {
            makeRoom();
            determinantLog.taken(operation);
        }
    }

    /** Reports at once if much has gathered. Callers that wait for the connection meanwhile look again. */
    private void makeRoom() throws IOException {
        while (determinantLog.isFull()) {
            progressEngine.awaitLine();
            determinantWriter.tell();
            line.flush();
        }
    }

    /** Counts failed polls, and reports them before there are too many for a frame. */
    public void count(int polls) throws IOException {
        determinantLog.failed(polls);
        if (determinantLog.hasManyPolls() && !over) {
            progressEngine.awaitLine();
            tellPolls();
            line.flush();
        }
    }

    /** Reports all failed polls in a frame of their own. The caller flushes. */
    public void tellPolls() throws IOException {
        int bytes = FrameType.POLLS.bytesMin();
        determinantWriter.begin(bytes).begin(FrameType.POLLS, bytes, job).finalizeFailedPolls(determinantLog.tellPolls());
        determinantWriter.end(bytes);
    }

    /**
     * Waits until the relay has handled all that was observed until now. Returns at once if nothing was observed since
     * the last time and nothing is unreported.
     */
    public void awaitTold() throws IOException {
        long seen = determinantLog.observed() + (survivesHost ? deliveries.getAsLong() : 0);
        if (over || progressEngine.isOver() || seen == toldBefore) {
            return;
        }
        if (!determinantLog.isObservedBefore()) {
            progressEngine.awaitLine();
            determinantWriter.ask();
            line.flush();
            while (!line.kept().isAnswered()) {
                progressEngine.await();
            }
        }
        toldBefore = Math.max(toldBefore, seen);
    }

    // ---- both

    /** As {@code Endpoint.value}. */
    public long value(LongSupplier source) throws IOException {
        return replays() ? again(DeterminantLog.VALUE, "a value") : record(DeterminantLog.VALUE, source.getAsLong());
    }

    /** As {@code Endpoint.nanoTime}, in a job that is logged. */
    public long nanoTime() throws IOException {
        if (replays()) {
            if (!determinantLog.failsAgain()) {
                clock.goOn(again(DeterminantLog.VALUE, "Wtime"));
            }
        } else if (clock.ticks(determinantLog.turns())) {
            record(DeterminantLog.VALUE, clock.time());
        } else {
            count(1);
        }
        return clock.time();
    }
}
