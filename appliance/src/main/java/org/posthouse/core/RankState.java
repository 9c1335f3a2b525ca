package org.posthouse.core;

/** The life of a rank, as its home relay sees it. */
public enum RankState {
    /** Its process has not connected yet. */
    WAITING,
    /** Connected, and between Init and Finalize. */
    CONNECTED,
    /** Asked to connect again, it has stopped writing; all that it wrote was handled, and it has not come yet. */
    MOVING,
    /** It called Finalize; what happens to its connection does not matter any more. */
    FINALIZED,
    /** Its connection ended without Finalize. */
    LOST;

    boolean mayBecome(RankState next) {
        return switch (this) {
            case WAITING -> next == CONNECTED;
            case CONNECTED -> next == FINALIZED || next == LOST || next == MOVING;
            case MOVING -> next == CONNECTED || next == LOST;
            case FINALIZED, LOST -> false;
        };
    }
}
