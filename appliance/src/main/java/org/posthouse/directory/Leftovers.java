package org.posthouse.directory;

import java.time.Duration;
import java.util.List;

/**
 * Which postings have served their time.
 *
 * <p>A relay that was withdrawn or vanished, and a job that ended, leave a posting behind, so that a write which was
 * under way does not bring them up again. It stays for a day: longer than any write is retried over a cut link. So does a rank whose relay is
 * known no more: of its job nobody will say that it has ended. Not by clocks of relays: one whose clock was set back would lose ranks that live.
 */
final class Leftovers {
    static final Duration KEPT = Duration.ofDays(1);

    private Leftovers() {}

    /** Postings to forget. */
    static List<Posting> aged(View view, long now) {
        return view.all().stream().filter(posting -> isLeft(view, posting) && now - posting.stamp() > KEPT.toMillis()).toList();
    }

    /** Whether a posting that the group lost shall be written again from a view: not if it would soon be forgotten. */
    static boolean worthRestoring(View view, Posting posting, long now) {
        return !isLeft(view, posting) || now - posting.stamp() <= KEPT.toMillis() / 2;
    }

    private static boolean isLeft(View view, Posting posting) {
        return posting.rank() == null ? !posting.present() : view.get(Posting.relayKey(posting.rank().relay())) == null;
    }
}
