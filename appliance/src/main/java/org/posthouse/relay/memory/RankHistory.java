package org.posthouse.relay.memory;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.posthouse.core.HistoryStep;

/**
 * The history of one rank, in the order of the journal: a list from the oldest entry that somebody needs. From the beginning as long as a
 * new follower may come; then from the follower that has been sent least, and before that as much as there is room for, since a follower
 * whose connection breaks has not read all that it was sent. With no follower, and none that may come again, nothing. Confined to the journal's owner.
 */
final class RankHistory {
    /** Seconds for a follower whose connection broke to come again: what it may not have read is kept for so long. */
    static final long AGAIN_SECONDS = 60;

    /** The place before the oldest entry that is here. */
    private HistoryEntry first = new HistoryEntry();

    private HistoryEntry last = first;
    private final Map<Integer, HistoryCursor> cursors = new HashMap<>();
    private final int followers;

    /** When the followers that the rank is to have from its start have had their time to come. */
    private final long awaitedUntil;

    private boolean haveAllCome;

    /** Until then one of its followers may come again; {@link Long#MIN_VALUE} if it has not had any. */
    private long mayComeUntil = Long.MIN_VALUE;

    /** Whether no new follower can begin. */
    private boolean isCut;

    /** Whether the rank is at its end, so that none needs to come again. */
    private boolean isEnded;

    // Of the entries that were dropped: the last delivery and event, and the failed polls.
    private long deliveries;
    private long events;
    private long polls;

    /** Whether senders are held, as there is too much. */
    private boolean isHeld;

    RankHistory(int followers, long awaitedUntil) {
        this.followers = followers;
        this.awaitedUntil = awaitedUntil;
    }

    void add(long position, HistoryEntry.Content content) {
        HistoryEntry entry = new HistoryEntry(position, last, content);
        last.next = entry;
        last = entry;
    }

    /** Bytes of the entries that are here. */
    long bytes() {
        return last.upTo - first.upTo;
    }

    /**
     * Drops what nobody needs any more.
     *
     * @param limit bytes up to which the beginning is kept for new followers, and twice that while the first of them are awaited
     * @return whether senders must be held
     */
    boolean trim(long limit, long now) {
        boolean isAwaited = !haveAllCome && awaitedUntil - now > 0 && bytes() <= 2 * limit;
        if (bytes() > limit && !isAwaited) {
            isCut = true;
        }
        if (!cursors.isEmpty()) {
            mayComeUntil = now + TimeUnit.SECONDS.toNanos(AGAIN_SECONDS);
        }
        if (isCut) {
            boolean mayComeAgain = mayComeUntil != Long.MIN_VALUE && mayComeUntil - now > 0 && !isEnded;
            dropRead(mayComeAgain ? limit : 0);
        }
        isHeld = bytes() > limit;
        return isHeld;
    }

    /** Drops the oldest entries that all have been sent, down to so many bytes. */
    private void dropRead(long kept) {
        HistoryEntry needed = last;
        for (HistoryCursor cursor : cursors.values()) {
            if (cursor.sent().upTo < needed.upTo) {
                needed = cursor.sent();
            }
        }
        while (first != needed && bytes() > kept) {
            HistoryEntry gone = first;
            first = gone.next;
            gone.next = null; // A collector would else keep what follows as long as an old entry.
            note(first.content);
            HistoryEntry.drop(first.content);
            first.content = null;
        }
    }

    private void note(HistoryEntry.Content content) {
        switch (content) {
            case HistoryEntry.Content.Delivered delivered -> deliveries = delivered.number();
            case HistoryEntry.Content.Events told -> events = told.first() + told.count() - 1;
            case HistoryEntry.Content.Plain plain when plain.step() instanceof HistoryStep.Polls known -> polls = known.failed();
            default -> {}
        }
    }

    boolean isHeld() {
        return isHeld;
    }

    /** The rank has come to its end: no other process is to follow it. */
    void end() {
        isCut = true;
        isEnded = true;
    }

    // ---- who reads it

    /** Whether a process with so much of the history can go on from what is here. */
    boolean isHere(long ownDeliveries, long ownEvents) {
        return !isCut || ownDeliveries >= deliveries && ownEvents >= events && ownDeliveries + ownEvents > 0;
    }

    HistoryCursor begin(int replay) {
        HistoryCursor cursor = new HistoryCursor(first, polls);
        cursors.put(replay, cursor);
        haveAllCome |= cursors.size() >= followers;
        return cursor;
    }

    /** Null if it is not being read under this number. */
    HistoryCursor cursor(int replay) {
        return cursors.get(replay);
    }

    void end(int replay) {
        cursors.remove(replay);
    }

    /** Bytes that this reader was not sent. */
    long unsent(int replay) {
        HistoryCursor cursor = cursors.get(replay);
        return cursor == null ? 0 : last.upTo - cursor.sent().upTo;
    }
}
