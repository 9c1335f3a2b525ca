package org.posthouse.mpj;

import java.io.IOException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.ReplayLimit;

/**
 * The calls that this rank is inside: the relay is told of those that last (docs/wire.md, ranks that are blocked), and says of which
 * collectives nothing can come any more. The words of {@link StallDetector} come on its thread; all else is guarded by the
 * endpoint's lock.
 */
final class CallTracker implements CollectivePosition.Watch {
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

    /** Whether somebody looks now and then. */
    private boolean watched;

    private boolean quiet;

    private int look;

    /** The last look that has found bytes of the rank moved, and what it has found. */
    private int movedAt = -CollectivePosition.LOOKS;

    private long trace;

    /** @param lost ends the process, as its line has broken */
    CallTracker(
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

    /** As {@link Endpoint#presence}. */
    CollectivePosition presence(int context, int[] worldRanks, int first) {
        CollectivePosition collectivePosition = new CollectivePosition(this, context, worldRanks, first);
        watch.add(collectivePosition);
        return collectivePosition;
    }

    // ---- point-to-point calls

    /** A thread of the program's has ended by what it threw. */
    void threadEnded(String name, Throwable thrown) {
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

    /** A call of the program begins to wait; null: one that has another word. The first one begins the watch. */
    void begin(String call, Object what) {
        if (call == null) {
            return;
        }
        if (!watched) {
            watched = true;
            watch.start();
        }
        blockedCalls.begin(call, what);
    }

    /** It does so no more. */
    void end(String call, Object what) {
        if (call != null) {
            blockedCalls.end(what);
        }
    }

    /** For who has no watch of its own: {@link #look} is called by others. */
    void watchedByOthers() {
        watched = true;
    }

    /** One look of the watch, before those at presences. */
    void look() {
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

    /** Why nothing more can come in a context; null if all is well there. */
    ReceiveException mismatch(int context) {
        return mismatchReports.mismatch(context);
    }

    /** The watch looks no more, when it has ended its look. */
    void stop() {
        watch.stop();
    }

    /** The rank says goodbye: the relay is told no more. With the lock. */
    void quiet() {
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

    /** Also if nothing can be said: what the relay concludes from where the rank was is not believed any more. */
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
     * Says BLOCKED, unless there is nothing to say, or what there is was said before the process was started again.
     *
     * @param once whether nobody will say it again: then it waits until a rank that has come again is live
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
     * The relay says that nothing more can come in a collective; about one that waits for a rank, if it waits for it still: where the context
     * runs ahead only this rank knows.
     */
    void onMismatch(BlockedReport blockedReport) {
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
