package org.posthouse.core;

import java.util.function.LongUnaryOperator;

/**
 * Measures how far a follower is behind the log. One that has caught up once must not fall far behind again, since the log keeps
 * all that it needs: senders wait until it has caught up, and if that does not help, it is dropped. Until then it only has to move. Confined to
 * the relay core.
 */
final class FollowerLag {
    /** Limit of the log's bytes that a follower has not been sent, beyond which it must come nearer. */
    static final long BYTES_MAX = 256L << 20;

    /** Number of such bytes from which on senders of its job wait for it. */
    static final long HELD_BYTES = BYTES_MAX / 2;

    /** Limit of the time by which a follower is behind, or does not move. */
    static final long SECONDS_MAX = 60;

    /** Limit of the time for which a follower that does not move, or come nearer, holds up the senders of its job. */
    static final long HELD_SECONDS_MAX = 5;

    private static final long NANOS_MAX = SECONDS_MAX * 1_000_000_000;
    private static final long HELD_NANOS_MAX = HELD_SECONDS_MAX * 1_000_000_000;

    private final Replay replay;

    /** A position that was safe at {@link #targetNanos}. */
    private long target = -1;

    private long targetNanos;
    private boolean caughtUp;

    /** Whether senders wait for it; then with the least bytes of the log that it was behind since, and when that was. */
    private boolean holds;

    private long nearest;
    private long nearerNanos;
    private long moves = -1;
    private long movedNanos;

    /** Since when the leader has read all it was given. */
    private long leaderReadsNanos;

    FollowerLag(Replay replay) {
        this.replay = replay;
    }

    /** Whether senders of its job wait until it has caught up. */
    boolean holds() {
        return holds;
    }

    /**
     * It may have been sent all of its rank's history.
     *
     * @param lastRecord the log position of the last record that it may know
     */
    void look(long lastRecord) {
        holds &= replay.reachedPosition() < lastRecord;
    }

    /**
     * The same as {@link #look(long, long, LongUnaryOperator)} for a follower for which senders are held. Call it after that. A follower may stand where its leader does: programs
     * read only in calls of the library.
     *
     * @param leaderReads whether the leader has read what it was given, as far as its connection tells
     */
    String lookHeld(long now, boolean leaderReads) {
        if (!leaderReads) {
            leaderReadsNanos = now;
        }
        return replay.isBegun() && now - movedNanos > HELD_NANOS_MAX && now - leaderReadsNanos > HELD_NANOS_MAX
                ? "has read nothing for " + HELD_SECONDS_MAX + " s, and those that send to its rank wait for it"
                : "";
    }

    /**
     * Why the follower is dropped; empty if it is not.
     *
     * @param safe the log position up to which it may know the history
     * @param bytesFrom bytes that the log has from a position on
     */
    String look(long now, long safe, LongUnaryOperator bytesFrom) {
        long reached = replay.reachedPosition();
        if (target < 0) {
            target = safe;
            targetNanos = now;
            leaderReadsNanos = now;
        } else if (reached >= target) {
            caughtUp = true;
            target = safe;
            targetNanos = now;
        }
        if (moves != replay.moves()) {
            moves = replay.moves();
            movedNanos = now;
        }
        if (!replay.isBegun() || reached >= safe) {
            movedNanos = now;
            holds = false;
            return "";
        }
        if (!caughtUp) {
            return now - movedNanos > NANOS_MAX ? "has read nothing for " + SECONDS_MAX + " s" : "";
        }
        if (now - targetNanos > NANOS_MAX) {
            return "is more than " + SECONDS_MAX + " s behind its leader";
        }
        long bytes = bytesFrom.applyAsLong(reached + 1);
        if (!holds || bytes < nearest) {
            nearest = bytes;
            nearerNanos = now;
        }
        holds |= bytes > HELD_BYTES;
        return bytes > BYTES_MAX && now - nearerNanos > HELD_NANOS_MAX
                ? "is " + bytes + " bytes of the log behind its leader, at most " + BYTES_MAX + " may be, and has not come nearer for " + HELD_SECONDS_MAX
                        + " s, in which senders have waited for it"
                : "";
    }
}
