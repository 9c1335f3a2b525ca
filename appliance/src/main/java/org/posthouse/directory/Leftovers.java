package org.posthouse.directory;

import java.time.Duration;
import java.util.List;

/**
 * Which postings of a view have served their time.
 *
 * <p>A relay that was withdrawn or vanished, and a job that ended, leave a posting behind, so that a write which was
 * under way does not bring them up again, nor a part of the group that was cut off. It stays for a day: longer than any write is retried over a cut link. So does a rank
 * whose relay is known no more: of its job nobody will say that it has ended. Not by clocks of relays: one whose clock was set back would lose ranks that live.
 */
final class Leftovers {
    static final Duration KEPT = Duration.ofDays(1);

    /** Jobs known as ended, the latest: with some 1,400 bytes each in view and group, signatures included, 46 MB of a relay's heap. */
    static final int ENDED_MAX = 32_768;

    private final View view;
    private final long now;
    private final long[] endedStamps;

    Leftovers(View view, long now) {
        this.view = view;
        this.now = now;
        this.endedStamps = view.endedPostings().stream().mapToLong(Posting::stamp).sorted().toArray();
    }

    /** Postings to forget. */
    List<Posting> aged() {
        return view.all().stream().filter(posting -> isLeft(posting) && !isWithin(posting, KEPT.toMillis(), ENDED_MAX)).toList();
    }

    /** Whether a posting that the group lost shall be written again from the view: not if it would soon be forgotten. */
    boolean worthRestoring(Posting posting) {
        return !isLeft(posting) || isWithin(posting, KEPT.toMillis() / 2, ENDED_MAX / 2);
    }

    private boolean isWithin(Posting posting, long ageMsMax, int endedMax) {
        boolean latest = posting.endedJob() == null || endedStamps.length <= endedMax || posting.stamp() >= endedStamps[endedStamps.length - endedMax];
        return latest && now - posting.stamp() <= ageMsMax;
    }

    private boolean isLeft(Posting posting) {
        return posting.rank() == null ? !posting.present() : view.get(Posting.relayKey(posting.rank().relay())) == null;
    }
}
