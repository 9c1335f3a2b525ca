package org.posthouse.mpj.determinant;

/**
 * The value of a {@link DeterminantLog#FAILED} event: a rank is dead, or an operation has ended because of a death or a revocation. An operation is
 * named by its context and its number there, as in a delivery, so that the event has no place in the order of the program's calls.
 *
 * @param isSend of an operation: whether it is a send, numbered in its channel, and not a receive, numbered in its context
 * @param revoked of an operation: whether its communicator was revoked, else {@code rank} is dead
 * @param rank the world rank that is dead; of a send that of its destination
 * @param context of the operation; {@link #NOTICE}: of none
 * @param number the operation's, its low 32 bits
 */
public record FailureEvent(boolean isSend, boolean revoked, int rank, int context, int number) {
    /** In place of a context: the rank is dead. */
    public static final int NOTICE = 0xffff;

    private static final int RANK_BITS = 14;
    private static final int CONTEXT_BITS = 16;

    /** The rank is dead. */
    public static FailureEvent death(int rank) {
        return new FailureEvent(false, false, rank, NOTICE, 0);
    }

    /** Whether it tells that the rank is dead, and not of an operation. */
    public boolean isDeath() {
        return context == NOTICE;
    }

    /** As the event has it. */
    public long value() {
        long flags = (isSend ? 2L : 0) | (revoked ? 1L : 0);
        return ((flags << RANK_BITS | rank) << CONTEXT_BITS | context) << Integer.SIZE | Integer.toUnsignedLong(number);
    }

    /** Reads an event. */
    public static FailureEvent of(long value) {
        int head = (int) (value >>> Integer.SIZE);
        int flags = head >>> RANK_BITS + CONTEXT_BITS;
        return new FailureEvent(
                (flags & 2) != 0, (flags & 1) != 0, head >>> CONTEXT_BITS & (1 << RANK_BITS) - 1, head & (1 << CONTEXT_BITS) - 1, (int) value);
    }
}
