package org.posthouse.mpj;

import java.io.IOException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Limit;
import org.posthouse.wire.Stall;

/**
 * The calls that this rank is inside: the relay is told of those that last (docs/wire.md, ranks that are blocked), and says of which
 * collectives nothing can come any more. The words of {@link StallWatch} come on its thread; all else is guarded by the
 * endpoint's lock.
 */
final class Presences implements Presence.Watch {
    private final HomeLine line;
    private final Progress progress;
    private final History history;
    private final Outbox outbox;
    private final Inbox inbox;
    private final Function<IOException, IllegalStateException> lost;
    private final long job;
    private final int rank;
    private final StallWatch watch = new StallWatch(this::look);
    private final Places places = new Places();
    private final Waits waits = new Waits();

    /** Whether somebody looks now and then. */
    private boolean watched;

    private boolean quiet;

    private int look;

    /** The last look that has found bytes of the rank moved, and what it has found. */
    private int movedAt = -Presence.LOOKS;

    private long trace;

    /** @param lost ends the process, as its line has broken */
    Presences(
            HomeLine line,
            Progress progress,
            History history,
            Outbox outbox,
            Inbox inbox,
            Function<IOException, IllegalStateException> lost,
            long job,
            int rank) {
        this.line = line;
        this.progress = progress;
        this.history = history;
        this.outbox = outbox;
        this.inbox = inbox;
        this.lost = lost;
        this.job = job;
        this.rank = rank;
    }

    /** As {@link Endpoint#presence}. */
    Presence presence(int context, int[] worldRanks, int first) {
        Presence presence = new Presence(this, context, worldRanks, first);
        watch.add(presence);
        return presence;
    }

    // ---- point-to-point calls

    /** A thread of the program's has ended by what it threw. */
    void threadEnded(String name, Throwable thrown) {
        progress.lock();
        try {
            waits.threadEnded(name, thrown);
        } finally {
            progress.unlock();
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
        waits.begin(call, what);
    }

    /** It does so no more. */
    void end(String call, Object what) {
        if (call != null) {
            waits.end(what);
        }
    }

    /** For who has no watch of its own: {@link #look} is called by others. */
    void watchedByOthers() {
        watched = true;
    }

    /** One look of the watch, before those at presences. */
    void look() {
        boolean says;
        progress.lock();
        try {
            look++;
            long now = inbox.trace() * 31 + outbox.trace();
            movedAt = now == trace ? movedAt : look;
            trace = now;
            says = waits.look(movedAt == look || history.isReplaying());
        } finally {
            progress.unlock();
        }
        if (says) {
            tell(() -> waits.word(job, rank, history.isMultiple(), inbox.keepsReceives()), false);
        }
    }

    // ---- collectives

    /** Why nothing more can come in a context; null if all is well there. */
    ReceiveException mismatch(int context) {
        return places.mismatch(context);
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
    public void stays(Presence presence, boolean again) {
        tell(
                () -> places.stays(presence, again, job, rank, inbox.awaited(presence.context()), look, movedAt, history.isMultiple()),
                false);
    }

    @Override
    public void goesOn(Presence presence) {
        Stall word = leave(presence);
        tell(() -> word, false);
    }

    /** Also if nothing can be said: what the relay concludes from where the rank was is not believed any more. */
    private Stall leave(Presence presence) {
        progress.lock();
        try {
            return places.goesOn(presence);
        } finally {
            progress.unlock();
        }
    }

    @Override
    public void fails(Presence presence) {
        tell(() -> Places.stall(presence, job, rank, -1).with(Stall.LEFT), true);
    }

    /**
     * Says BLOCKED, unless there is nothing to say, or what there is was said before the process was started again.
     *
     * @param once whether nobody will say it again: then it waits until a rank that has come again is live
     */
    private void tell(Supplier<Stall> word, boolean once) {
        progress.lock();
        try {
            while (!progress.isOver() && !quiet && (!line.isOpen() || once && history.isReplaying() && !history.isObservedBefore())) {
                progress.await();
            }
            if (history.isReplaying() || quiet) {
                return;
            }
            Stall stall = word.get();
            if (stall != null && !progress.isOver()) {
                line.write(stall.encode(FrameType.BLOCKED));
            }
        } catch (IOException e) {
            throw lost.apply(e);
        } finally {
            progress.unlock();
        }
    }

    /**
     * The relay says that nothing more can come in a collective; about one that waits for a rank, if it waits for it still: where the context
     * runs ahead only this rank knows.
     */
    void onMismatch(Stall stall) {
        if (!places.isAt(stall) || stall.peer() >= 0 && !inbox.waitsFor(stall.context(), stall.peer())) {
            return;
        }
        history.limit(Limit.MISMATCH);
        ReceiveException why = new ReceiveException(ReceiveException.Kind.MISMATCH, stall.text());
        places.mismatch(stall.context(), why);
        inbox.abandon(stall.context(), why);
        outbox.abandon(stall.context(), why);
    }
}
