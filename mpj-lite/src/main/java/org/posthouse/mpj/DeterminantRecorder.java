package org.posthouse.mpj;

import java.io.IOException;
import java.util.function.LongSupplier;
import org.posthouse.wire.FrameType;

/**
 * What the calls of a rank do about all that depends on time: it is recorded and told, and after a restart it is handed out
 * again until there is no more, which the relay is told at once. Guarded by the endpoint's lock.
 */
final class DeterminantRecorder {
    private final RelayConnection line;
    private final ProgressEngine progressEngine;
    private final DeterminantLog determinantLog;
    private final DeterminantWriter determinantWriter;
    private final long job;
    private final RecordedClock clock;
    private final LongSupplier deliveries;
    private boolean survivesHost;
    private boolean over;

    /** How much was observed when the relay was last known to know all. */
    private long toldBefore;

    /** @param deliveries how many messages the rank was given, over all its processes */
    DeterminantRecorder(Platform machine, RelayConnection line, ProgressEngine progressEngine, DeterminantLog determinantLog,
            DeterminantWriter determinantWriter, long job, LongSupplier deliveries) {
        this.line = line;
        this.progressEngine = progressEngine;
        this.determinantLog = determinantLog;
        this.determinantWriter = determinantWriter;
        this.job = job;
        this.deliveries = deliveries;
        clock = new RecordedClock(machine::nanoTime);
    }

    /** The job is to survive hosts: that a message was delivered is not safe because it has come. */
    void surviveHost() {
        survivesHost = true;
    }

    /** FINALIZE was said: what is observed from here on is told to nobody. */
    void end() {
        over = true;
    }

    // ---- after a restart

    /** Whether what is observed next was observed before this process began; blocks until that is known. */
    boolean replays() throws IOException {
        while (determinantLog.isUndecided()) {
            progressEngine.await();
        }
        return determinantLog.isReplaying();
    }

    /** As {@link DeterminantLog#failsAgain}. */
    boolean failsAgain() {
        return determinantLog.failsAgain();
    }

    /** As {@link DeterminantLog#next}. If it was the last, the relay knows before anything is waited for. */
    long again(int kind, String call) throws IOException {
        long value = determinantLog.next(kind, call);
        sayLive();
        return value;
    }

    /** As {@link DeterminantLog#foundAgain}. */
    Envelope foundAgain() throws IOException {
        Envelope envelope = determinantLog.foundAgain();
        sayLive();
        return envelope;
    }

    /** Tells the relay that the replay is over, if it is and that was not told. */
    void sayLive() throws IOException {
        if (determinantLog.isLiveDue() && line.isOpen()) {
            determinantWriter.tell();
            line.flush();
        }
    }

    /** What happens to a program that asks for something else than before. */
    DivergedException diverged(String call) {
        return determinantLog.diverged(call);
    }

    /** The clock goes on from an image. */
    void goOn(boolean asked, long time) {
        if (asked) {
            clock.goOn(time);
        }
    }

    /** Whether the program has ever asked for the time. */
    boolean hasTime() {
        return clock.isAsked();
    }

    /** What it was told last. */
    long time() {
        return clock.time();
    }

    // ---- live

    Envelope found(Envelope envelope) throws IOException {
        if (!over) {
            makeRoom();
            determinantLog.found(envelope);
        }
        return envelope;
    }

    long record(int kind, long value) throws IOException {
        if (!over) {
            makeRoom();
            determinantLog.record(kind, value);
        }
        return value;
    }

    void taken(Operation operation) throws IOException {
        if (!over) {
            makeRoom();
            determinantLog.taken(operation);
        }
    }

    /** Tells at once what there is, if it is much; whoever comes to wait for the line meanwhile looks again. */
    private void makeRoom() throws IOException {
        while (determinantLog.isFull()) {
            progressEngine.awaitLine();
            determinantWriter.tell();
            line.flush();
        }
    }

    /** Counts failed polls, and tells the relay before there are too many to tell. */
    void count(int polls) throws IOException {
        determinantLog.failed(polls);
        if (determinantLog.hasManyPolls() && !over) {
            progressEngine.awaitLine();
            tellPolls();
            line.flush();
        }
    }

    /** Tells of all failed polls, in a frame of their own. The caller flushes. */
    void tellPolls() throws IOException {
        int bytes = FrameType.POLLS.bytesMin();
        determinantWriter.begin(bytes).begin(FrameType.POLLS, bytes, job).finalizeFailedPolls(determinantLog.tellPolls());
        determinantWriter.end(bytes);
    }

    /** Waits until the relay has handled all that was observed until now; if anything was since the last time, or any may be untold. */
    void awaitTold() throws IOException {
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

    /** As {@link Endpoint#value}. */
    long value(LongSupplier source) throws IOException {
        return replays() ? again(DeterminantLog.VALUE, "a value") : record(DeterminantLog.VALUE, source.getAsLong());
    }

    /** As {@link Endpoint#nanoTime}, in a job that is logged. */
    long nanoTime() throws IOException {
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
