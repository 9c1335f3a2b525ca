package org.posthouse.directory;

import java.time.Duration;
import java.util.List;

/**
 * Finds the postings of a view that have expired.
 *
 * <p>A relay that was withdrawn or vanished, and a job that ended, leave a posting behind. It prevents that a delayed
 * write, or a part of the group that was cut off, lists them again. It stays for a day, longer than any write is
 * retried over a link that is down.
 *
 * <p>A rank whose relay is no longer known expires too, because nobody will report the end of its job. Relays' clocks
 * do not decide this: if one were set back, living ranks would be lost.
 */
final class ExpiredPostings {
    static final Duration KEPT = Duration.ofDays(1);

    /**
     * Limit of ended jobs that are remembered, the latest ones. Each takes about 1,400 bytes in view and group,
     * signatures included: 46 MB of a relay's heap.
     */
    static final int ENDED_MAX = 32_768;

    private final DirectoryView directoryView;
    private final long now;
    private final long[] endedStamps;

    ExpiredPostings(DirectoryView directoryView, long now) {
        this.directoryView = directoryView;
        this.now = now;
        this.endedStamps = directoryView.endedPostings().stream().mapToLong(Posting::stamp).sorted().toArray();
    }

    /** The postings that have expired. */
    List<Posting> aged() {
        return directoryView.all().stream().filter(posting -> isLeft(posting) && !isWithin(posting, KEPT.toMillis(), ENDED_MAX)).toList();
    }

    /** Whether a posting that the group lost should be written again from the view; false if it would soon expire. */
    boolean worthRestoring(Posting posting) {
        return !isLeft(posting) || isWithin(posting, KEPT.toMillis() / 2, ENDED_MAX / 2);
    }

    private boolean isWithin(Posting posting, long ageMsMax, int endedMax) {
        boolean latest = posting.endedJob() == null || endedStamps.length <= endedMax || posting.stamp() >= endedStamps[endedStamps.length - endedMax];
        return latest && now - posting.stamp() <= ageMsMax;
    }

    private boolean isLeft(Posting posting) {
        return posting.rank() == null ? !posting.present() : directoryView.get(Posting.relayKey(posting.rank().relay())) == null;
    }
}
