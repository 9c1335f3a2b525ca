package org.posthouse.launch.supervise;

import java.util.List;
import org.posthouse.wire.JobEvent;

/**
 * Reports ranks that wait for each other: all of them for long, or some in a ring of sends. Confined to the job's
 * thread.
 */
final class DeadlockReporter {
    private final RankTable ranks;
    private final JobVerdict verdict;
    private final JobNotices notices;
    private final DeadlockDetector deadlockDetector;
    private final SendDeadlock sendDeadlock = new SendDeadlock();

    DeadlockReporter(int size, RankTable ranks, JobVerdict verdict, JobNotices notices) {
        this.ranks = ranks;
        this.verdict = verdict;
        this.notices = notices;
        this.deadlockDetector = new DeadlockDetector(size);
    }

    /** An event of the rank, which the table of ranks knows already. */
    void onEvent(int rank, JobEvent event) {
        detectDeadlock(rank, event);
        detectRing(rank, event);
    }

    /** The rank does not wait any more, or its state is unknown. */
    void goesOn(int rank) {
        deadlockDetector.goesOn(rank);
    }

    private void detectDeadlock(int rank, JobEvent event) {
        if (event.kind() == JobEvent.BLOCKED && event.code() > 0) {
            deadlockDetector.blocked(rank, event.text(), event.code());
        } else if (event.kind() == JobEvent.BLOCKED || !ranks.isConnected(rank)) {
            deadlockDetector.goesOn(rank);
        }
        String news = verdict.isRunning() ? deadlockDetector.news(ranks::finalized) : null;
        if (news != null) {
            notices.print(news);
        }
    }

    /** Ranks in a ring of sends are reported at once. */
    private void detectRing(int rank, JobEvent event) {
        if (event.kind() == JobEvent.SENDS_BEHIND) {
            List<Integer> ring = sendDeadlock.waits(rank, (int) event.a(), event.code(), (int) event.b(), event.text());
            if (!ring.isEmpty() && verdict.isRunning()) {
                notices.print(sendDeadlock.words(ring));
            }
        } else if (!ranks.isConnected(rank)) {
            sendDeadlock.forget(rank);
        }
    }
}
