package org.posthouse.mpj.blocked;

import java.io.IOException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.match.Inbox;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.progress.ProgressEngine;
import org.posthouse.mpj.progress.RelayConnection;
import org.posthouse.mpj.send.Outbox;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.ReplayLimit;

/**
 * Tracks the calls that this rank is inside, and reports long ones to the relay (docs/wire.md, ranks that are blocked).
 * It also knows the collectives in which nothing more can come. {@link StallDetector} calls on its own thread; all else
 * is guarded by the endpoint's lock.
 */
public final class CallTracker implements CollectivePosition.Watch {
    private final RelayConnection line;
    private final ProgressEngine progressEngine;
    private final DeterminantLog determinantLog;
    private final Outbox outbox;
    private final Inbox inbox;
    private final Function<IOException, IllegalStateException> lost;
    private final long job;
    private final int rank;
    private final StallDetector watch = new StallDetector(this::look);
    private final MismatchReports mismatchReports = new MismatchReports();
    private final BlockedCalls blockedCalls = new BlockedCalls();

    /** Whether a watch runs. */
    private boolean watched;

    private boolean quiet;

    private int look;

    /** The last look that found moved bytes of the rank, and the counters that it found. */
    private int movedAt = -CollectivePosition.LOOKS;

    private long trace;

    /** @param lost ends the process after its connection has broken */
    public CallTracker(
            RelayConnection line,
            ProgressEngine progressEngine,
            DeterminantLog determinantLog,
            Outbox outbox,
            Inbox inbox,
            Function<IOException, IllegalStateException> lost,
            long job,
            int rank) {
        this.line = line;
        this.progressEngine = progressEngine;
        this.determinantLog = determinantLog;
        this.outbox = outbox;
        this.inbox = inbox;
        this.lost = lost;
        this.job = job;
        this.rank = rank;
    }

    /** As {@link org.posthouse.mpj.Endpoint#presence}. */
    public CollectivePosition presence(int context, int[] worldRanks, int first) {
        CollectivePosition collectivePosition = new CollectivePosition(this, context, worldRanks, first);
        watch.add(collectivePosition);
        return collectivePosition;
    }

    // ---- point-to-point calls

    /** Handles a thread of the program that has ended with an exception. */
    public void threadEnded(String name, Throwable thrown) {
        progressEngine.lock();
        try {
            blockedCalls.threadEnded(name, thrown);
        } finally {
            progressEngine.unlock();
        }
        if (!watched) {
            watched = true;
            watch.start();
        }
    }

    /**
     * Registers a call of the program that begins to wait; null: one that has another name. The first one starts the
     * watch.
     */
    public void begin(String call, Object what) {
        if (call == null) {
            return;
        }
        if (!watched) {
            watched = true;
            watch.start();
        }
        blockedCalls.begin(call, what);
    }

    /** Removes a call that waits no more. */
    public void end(String call, Object what) {
        if (call != null) {
            blockedCalls.end(what);
        }
    }

    /** For a rank without a watch of its own: others call {@link #look}. */
    public void watchedByOthers() {
        watched = true;
    }

    /** One look of the watch, before the looks at presences. */
    public void look() {
        boolean says;
        progressEngine.lock();
        try {
            look++;
            long now = inbox.trace() * 31 + outbox.trace();
            movedAt = now == trace ? movedAt : look;
            trace = now;
            says = blockedCalls.look(movedAt == look || determinantLog.isReplaying());
        } finally {
            progressEngine.unlock();
        }
        if (says) {
            tell(() -> blockedCalls.word(job, rank, determinantLog.isMultiple(), inbox.keepsReceives()), false);
        }
    }

    // ---- collectives

    /** The reason that nothing more can come in a context; null if there is none. */
    public ReceiveException mismatch(int context) {
        return mismatchReports.mismatch(context);
    }

    /** Stops the watch, after its present look. */
    public void stop() {
        watch.stop();
    }

    /** Ends all reports: the rank is closing its connection. Called with the lock. */
    public void quiet() {
        quiet = true;
    }

    @Override
    public void stays(CollectivePosition collectivePosition, boolean again) {
        tell(
                () -> mismatchReports.stays(collectivePosition, again, job, rank, inbox.awaited(collectivePosition.context()), look, movedAt,
                        determinantLog.isMultiple()),
                false);
    }

    @Override
    public void goesOn(CollectivePosition collectivePosition) {
        BlockedReport word = leave(collectivePosition);
        tell(() -> word, false);
    }

    /**
     * Also used if nothing can be sent: the relay's conclusions from the rank's old position are refused from now on.
     */
    private BlockedReport leave(CollectivePosition collectivePosition) {
        progressEngine.lock();
        try {
            return mismatchReports.goesOn(collectivePosition);
        } finally {
            progressEngine.unlock();
        }
    }

    @Override
    public void fails(CollectivePosition collectivePosition) {
        tell(() -> MismatchReports.stall(collectivePosition, job, rank, -1).with(BlockedReport.LEFT), true);
    }

    /**
     * Sends BLOCKED, unless there is nothing to report, or the report was made before the process was restarted.
     *
     * @param once whether nobody repeats the report: then it waits until a reconnected rank is live
     */
    private void tell(Supplier<BlockedReport> word, boolean once) {
        progressEngine.lock();
        try {
            while (!progressEngine.isOver() && !quiet && (!line.isOpen() || once && determinantLog.isReplaying() && !determinantLog.isObservedBefore())) {
                progressEngine.await();
            }
            if (determinantLog.isReplaying() || quiet) {
                return;
            }
            BlockedReport blockedReport = word.get();
            if (blockedReport != null && !progressEngine.isOver()) {
                line.write(blockedReport.encode(FrameType.BLOCKED));
            }
        } catch (IOException e) {
            throw lost.apply(e);
        } finally {
            progressEngine.unlock();
        }
    }

    /**
     * Handles MISMATCH: nothing more can come in a collective. A MISMATCH about a waiting receive holds only if that
     * receive still waits: in a context that runs ahead only this rank knows.
     */
    public void onMismatch(BlockedReport blockedReport) {
        if (!mismatchReports.isAt(blockedReport) || blockedReport.peer() >= 0 && !inbox.waitsFor(blockedReport.context(), blockedReport.peer())) {
            return;
        }
        determinantLog.limit(ReplayLimit.MISMATCH);
        ReceiveException why = new ReceiveException(ReceiveException.Kind.MISMATCH, blockedReport.text());
        mismatchReports.mismatch(blockedReport.context(), why);
        inbox.abandon(blockedReport.context(), why);
        outbox.abandon(blockedReport.context(), why);
    }
}
