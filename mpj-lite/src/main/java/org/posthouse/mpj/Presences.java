package org.posthouse.mpj;

import java.io.IOException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Limit;
import org.posthouse.wire.Stall;

/**
 * The collectives that this rank is inside: the relay is told of those that last (docs/wire.md, collectives that do not
 * match), and says of which nothing can come any more. The words of {@link StallWatch} come on its thread; all else is guarded by the
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
    private final StallWatch watch = new StallWatch();
    private final Places places = new Places();

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

    /** Why nothing more can come in a context; null if all is well there. */
    ReceiveException mismatch(int context) {
        return places.mismatch(context);
    }

    /** The relay is told no more. */
    void stop() {
        watch.stop();
    }

    @Override
    public void stays(Presence presence, boolean again) {
        tell(() -> places.stays(presence, again, job, rank, inbox.awaited(presence.context())), false);
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
        tell(() -> Places.stall(presence, job, rank, -1), true);
    }

    /**
     * Says BLOCKED, unless there is nothing to say, or what there is was said before the process was started again.
     *
     * @param once whether nobody will say it again: then it waits until a rank that has come again is live
     */
    private void tell(Supplier<Stall> word, boolean once) {
        progress.lock();
        try {
            while (!progress.isOver() && (!line.isOpen() || once && history.isReplaying() && !history.isObservedBefore())) {
                progress.await();
            }
            if (history.isReplaying()) {
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
